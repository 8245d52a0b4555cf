"""Hardware, or a model, with a fault on purpose: a copy of its folder in which one text of one file is another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from models.errors import TsujiError

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def mutated(name: str, file: str, old: str, new: str) -> Iterator[Path]:
    """Give a folder with a faulty copy of `hdl/`, or of another, for a while.

    Parameters
    ----------
    name : str
        What messages call the fault.
    file : str
        Source file, relative to the project: the folder that it is in is copied.
    old, new : str
        Text that stands there exactly once, and what replaces it.

    Raises
    ------
    TsujiError
        If the text to replace is not there exactly once: the mutant must follow the source.
    """
    source = (ROOT / file).read_text(encoding="utf-8")
    if source.count(old) != 1:
        raise TsujiError(
            f"mutant {name!r}: {file} has {source.count(old)} of {old!r}, not 1; change the mutant with the source"
        )
    with copy_with(file, source.replace(old, new)) as folder:
        yield folder


@contextmanager
def copy_with(file: str, source: str) -> Iterator[Path]:
    """Give a folder with a copy of `hdl/`, or of another, for a while, in which a file has another source.

    Parameters
    ----------
    file : str
        Source file, relative to the project: the folder that it is in is copied.
    source : str
        What stands there instead.
    """
    with tempfile.TemporaryDirectory(prefix="tsuji-mutant-") as copy:
        folder = Path(copy)
        top = Path(file).parts[0]
        shutil.copytree(ROOT / top, folder / top, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / file).write_text(source, encoding="utf-8")
        yield folder


def run_in(folder: Path, name: str, arguments: Sequence[str], given: str = "") -> str:
    """Run Python with what a folder holds of the project and the rest of that; return what it prints.

    Parameters
    ----------
    folder : Path
        A mutated copy, or the project itself.
    name : str
        What messages call it.
    arguments : sequence of str
        What follows `python`.
    given : str
        Its standard input.

    Raises
    ------
    TsujiError
        If it fails.
    """
    done = subprocess.run(
        [sys.executable, *arguments],
        input=given,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise TsujiError(f"mutant {name!r} does not run:\n{done.stderr[-2000:]}")
    return done.stdout
