"""Verilator builds, one per distinct Verilog text: `build/verilated/<digest>/`.

Verilator's own makefiles are not used. Its run-time library and headers are the same for every design and take most of
the build time, so they are compiled once for each set of flags. A design is then one C++ file, which compiles in a
second.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from models.errors import TsujiError
from synth import toolchain

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path("build").resolve()  # in the working directory, not in the folder of the program


@dataclass(frozen=True)
class Options:
    """Build options of a design.

    Parameters
    ----------
    shared : bool
        Whether to build a shared library without VPI instead of a program.
    waves : bool
        Whether it can write a VCD.
    coverage : bool
        Whether it counts executed lines and toggled bits.
    optimise : str
        Optimisation option of the C++ compiler for the design. Without optimisation a big design builds in half the
        time, and a bench in Python hardly runs slower.
    """

    shared: bool = False
    waves: bool = False
    coverage: bool = False
    optimise: str = "-O0"

    @property
    def defines(self) -> list[str]:
        """Macros for both the run-time library and the design."""
        flags = {
            "VERILATOR": 1,
            "VM_COVERAGE": int(self.coverage),
            "VM_SC": 0,
            "VM_TIMING": 0,
            "VM_TRACE": int(self.waves),
            "VM_TRACE_FST": 0,
            "VM_TRACE_SAIF": 0,
            "VM_TRACE_VCD": int(self.waves),
        }
        return [f"-D{name}={value}" for name, value in flags.items()]

    @property
    def runtime_sources(self) -> list[str]:
        """Source files of the run-time library."""
        sources = ["verilated.cpp", "verilated_threads.cpp"]
        sources += [] if self.shared else ["verilated_vpi.cpp", "verilated_dpi.cpp"]
        sources += ["verilated_vcd_c.cpp"] if self.waves else []
        sources += ["verilated_cov.cpp"] if self.coverage else []
        return sources


@dataclass(frozen=True)
class Source:
    """A C++ file that is compiled with the design, and its link options."""

    text: str
    link: tuple[str, ...] = ()


def build(verilog: str, top: str, main: Source, options: Options = Options()) -> Path:
    """Return the program or library of a design; build it if it does not exist.

    Parameters
    ----------
    verilog : str
        Verilog of all modules.
    top : str
        Name of the top module; all its ports are accessible.
    main : Source
        C++ code around class `Vtop`.
    options : Options
        Build options.

    Raises
    ------
    TsujiError
        If Verilator or the compiler fails, with its output.
    """
    tool = toolchain.verilator()
    names = ("options", options), ("top", top), ("tool", tool.version), ("cxx", toolchain.compiler().version)
    digest = sha256(repr((names, main, verilog)).encode()).hexdigest()[:20]
    folder = BUILD / "verilated" / digest
    target = folder / ("design.so" if options.shared else "design")
    with _locked(folder):
        if not (folder / "complete").exists():
            _build(verilog, top, main, options, folder, target)
            (folder / "complete").write_text(json.dumps({"top": top}))
    return target


def _build(verilog: str, top: str, main: Source, options: Options, folder: Path, target: Path) -> None:
    shutil.rmtree(folder / "obj", ignore_errors=True)
    (folder / "obj").mkdir(parents=True)
    (folder / "design.v").write_text(verilog, encoding="utf-8")
    (folder / "main.cpp").write_text(main.text, encoding="utf-8")
    sources = ["design.v"]
    arguments = [
        "--cc",
        "--Mdir",
        "obj",
        "--prefix",
        "Vtop",
        "--top-module",
        top,
        "--x-assign",
        "0",
        "--x-initial",
        "0",
    ]
    arguments += ["-O3", "-Wno-lint", "-Wno-style", "--noassert" if options.shared else "--assert"]
    if not options.shared:
        control = folder / "ports.vlt"
        control.write_text(f'`verilator_config\npublic_flat_rw -module "{top}" -var "*"\n', encoding="utf-8")
        arguments += ["--vpi"]
        sources = ["ports.vlt", *sources]
    arguments += ["--trace"] if options.waves else []
    arguments += ["--coverage-line", "--coverage-toggle", "--coverage-user"] if options.coverage else []
    toolchain.verilator().run([*arguments, *sources], cwd=folder, log=folder / "verilator.log")
    parts = [*sorted((folder / "obj").glob("*.cpp")), folder / "main.cpp"]
    unity = "".join(f'#include "{path.relative_to(folder)}"\n' for path in parts)
    (folder / "unity.cc").write_text(unity, encoding="utf-8")
    compiler = toolchain.compiler()
    headers, runtime = (os.path.relpath(path, folder) for path in (_headers(options), _runtime(options)))
    flags = [*_flags(options), *options.optimise.split(), "-include", headers]
    compiler.run([*flags, "-I.", "-Iobj", "-c", "-o", "design.o", "unity.cc"], cwd=folder, log=folder / "compiler.log")
    kind = ["-shared"] if options.shared else []
    compiler.run([*kind, "-o", target.name, "design.o", runtime, *main.link], cwd=folder)
    (folder / "design.o").unlink()


def _flags(options: Options) -> list[str]:
    include = toolchain.verilator().root / "include"
    position = ["-fPIC", "-fvisibility=hidden"] if options.shared else []
    return ["-std=c++17", "-w", f"-I{include}", f"-I{include}/vltstd", *options.defines, *position]


def _runtime(options: Options) -> Path:
    """Return Verilator's run-time library; compile it if it does not exist."""
    tool, compiler = toolchain.verilator(), toolchain.compiler()
    flags = [*_flags(options), "-O2"]
    digest = sha256(repr((tool.version, compiler.version, flags)).encode()).hexdigest()[:20]
    folder = BUILD / "verilated" / f"runtime-{digest}"
    library = folder / "runtime.o"
    with _locked(folder):
        if not library.exists():
            objects = []
            for source in options.runtime_sources:
                objects.append(source.replace(".cpp", ".o"))
                compiler.run([*flags, "-c", "-o", objects[-1], str(tool.root / "include" / source)], cwd=folder)
            # One relocatable object: all parts of the library are linked, even those that the design does not refer to.
            compiler.run(["-r", "-nostdlib", "-o", "runtime.partial", *objects], cwd=folder)
            (folder / "runtime.partial").rename(library)
    return library


def _headers(options: Options) -> Path:
    """Return a precompiled header of Verilator's headers: reading them takes longer than most designs."""
    tool, compiler = toolchain.verilator(), toolchain.compiler()
    flags = [*_flags(options), *options.optimise.split()]
    names = ["verilated.h", *([] if options.shared else ["verilated_vpi.h"])]
    digest = sha256(repr((tool.version, compiler.version, flags, names)).encode()).hexdigest()[:20]
    folder = BUILD / "verilated" / f"headers-{digest}"
    header = folder / "headers.h"
    with _locked(folder):
        if not header.exists():
            (folder / "partial.h").write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
            compiler.run([*flags, "-x", "c++-header", "-o", "headers.h.gch", "partial.h"], cwd=folder)
            (folder / "partial.h").rename(header)
    return header


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that parallel test processes build it once."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise TsujiError(f"{folder}: cannot be written: {error.strerror}") from error
