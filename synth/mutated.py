"""Mutants: a copy of a source folder in which one text of one file is replaced by a fault."""

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
    """Yield a temporary folder with a faulty copy of `hdl/`, or of another folder.

    Parameters
    ----------
    name : str
        Name of the fault in messages.
    file : str
        Source file, relative to the root of the project; its top-level folder is copied.
    old, new : str
        Text that occurs exactly once in the file, and its replacement.

    Raises
    ------
    TsujiError
        If the text to replace does not occur exactly once: the mutant must follow the source.
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
    """Yield a temporary folder with a copy of `hdl/`, or of another folder, in which one file has other content.

    Parameters
    ----------
    file : str
        Source file, relative to the root of the project; its top-level folder is copied.
    source : str
        New content of the file.
    """
    with tempfile.TemporaryDirectory(prefix="tsuji-mutant-") as copy:
        folder = Path(copy)
        top = Path(file).parts[0]
        shutil.copytree(ROOT / top, folder / top, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / file).write_text(source, encoding="utf-8")
        yield folder


def run_in(folder: Path, name: str, arguments: Sequence[str], given: str = "") -> str:
    """Run Python with the copies in `folder` before the project on sys.path; return its output.

    Parameters
    ----------
    folder : Path
        A mutated copy, or the root of the project.
    name : str
        Name of the run in messages.
    arguments : sequence of str
        Arguments of `python`.
    given : str
        Text for its standard input.

    Raises
    ------
    TsujiError
        If the exit code is not 0.
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
