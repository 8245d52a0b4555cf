"""Refuses to start if another package, module or folder hides one of ours of the same name.

`models`, `sim`, `hdl`, `synth` and `cocotb_tests` are common names. Python takes the first one on its path; if that is
another package, imports fail later and elsewhere. So this is checked before anything of ours is imported.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("models", "hdl", "sim", "synth", "cocotb_tests")


def refuse_shadowed() -> None:
    """Refuse to continue if Python finds another package under one of our names.

    Raises
    ------
    models.errors.TsujiError
        In a program that imports this package; the message names the package, the one found, the place of ours and what
        to do.
    SystemExit
        In one of its commands, with the same message and exit code 2.
    """
    lines = [line for name in PACKAGES if (line := _complaint(name))]
    if not lines:
        return
    error = _error("\n".join(lines))
    if _is_command():
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    raise error


def _complaint(name: str) -> str:
    """Return the complaint about a name; None if it is ours, or not found."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module that a program put there
        spec = None
    if spec is None or (found := _place(spec)) == ROOT / name:
        return ""
    if found.parent == Path.cwd():
        advice = f"start Python in another folder than {found.parent}"
    else:
        advice = f"take {found.parent} off Python's path, or put ours in front of it with PYTHONPATH={ROOT}"
    return f"{name}: another package of this name, {found}, hides tsuji's own, {ROOT / name}; {advice}"


def _place(spec: ModuleSpec) -> Path:
    """Return the folder of a package, or the file of a module."""
    folders = list(spec.submodule_search_locations or ())
    return Path(folders[0] if folders else spec.origin or spec.name).resolve()


def _error(message: str) -> Exception:
    """Return the project's error, read from our file, because `models` may be the hidden package."""
    if not _complaint("models"):
        from models.errors import TsujiError

        return TsujiError(message)
    spec = spec_from_file_location("models.errors", ROOT / "models" / "errors.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    error: Exception = module.TsujiError(message)
    return error


def _is_command() -> bool:
    """Return whether this process is one of our commands instead of a program that imports the library."""
    main = sys.modules["__main__"]
    spec: ModuleSpec | None = getattr(main, "__spec__", None)
    if spec is not None:
        return spec.name.partition(".")[0] in (*PACKAGES, "tsuji", "benchmarks")
    return Path(getattr(main, "__file__", None) or "").stem == "tsuji"
