"""Files that a user names for results: checked before anything runs, written whole, never put in a device's place.

`-` is standard output. A symbolic link is followed, so that its target is what changes. A device, pipe or socket is
written to; only a regular file is replaced, in one step, keeping its permissions.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import tempfile
from pathlib import Path

from models.errors import TsujiError

STDOUT = Path("-")


def check_output(path: Path, option: str = "") -> None:
    """Check that a file can be written, without writing anything.

    Parameters
    ----------
    path : Path
        The file, or `-` for standard output.
    option : str
        What the user gave it to, for the message, such as `--json`.

    Raises
    ------
    TsujiError
        If it is a folder, if its folder cannot be made or written to, or if the file itself cannot.
    """
    if path == STDOUT:
        return
    name = f"{option} {path}".strip()
    if "\0" in str(path):
        raise TsujiError(f"{name!r}: cannot be written: no name of a file has a NUL in it")
    target = _resolved(path, name)
    try:
        mode = target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        check_folder(target.parent, name)
        return
    except OSError as error:
        raise TsujiError(f"{name}: cannot be written: {error.strerror}") from error
    if stat.S_ISDIR(mode):
        raise TsujiError(f"{name}: is a folder; give the name of a file, or - for standard output")
    if stat.S_ISSOCK(mode):
        raise TsujiError(f"{name}: is a socket, which cannot be opened; give a file, a pipe or - for standard output")
    if not os.access(target, os.W_OK):
        raise TsujiError(f"{name}: cannot be written: {os.strerror(13)}")
    if stat.S_ISREG(mode):
        check_folder(target.parent, name)


def write_output(path: Path, content: bytes | str) -> None:
    """Write a file that a user named; a regular one is whole or as it was before.

    Parameters
    ----------
    path : Path
        The file, or `-` for standard output. Folders that are not there are made.
    content : bytes or str
        What to write; text as UTF-8.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    if path == STDOUT:
        _to_stdout(data)
        return
    target = _resolved(path, str(path))
    try:
        if target.exists() and not target.is_file():
            with target.open("wb", buffering=0) as file:
                file.write(data)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data)
    except OSError as error:
        raise TsujiError(f"{path}: cannot be written: {error.strerror}") from error


def _resolved(path: Path, name: str) -> Path:
    """Return where symbolic links lead; /dev/stdout and /dev/fd/N lead to pipes that have no path of their own."""
    try:
        if not path.is_symlink() or (path.exists() and not path.is_file()):
            return path
        return Path(os.path.realpath(path, strict=False))
    except OSError as error:
        raise TsujiError(f"{name}: cannot be written: {error.strerror}") from error


def check_folder(folder: Path, name: str) -> None:
    """Check that a folder is there, or can be made, and that files can be made in it.

    Raises
    ------
    TsujiError
        With the name of what the user gave, if not.
    """
    there = folder
    try:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            folder.lstat()  # finds names that no folder can have
        while not os.path.lexists(there) and there != there.parent:
            there = there.parent
        there.stat()
    except FileNotFoundError:
        raise TsujiError(f"{name}: cannot be written: {there} is a link to what is not there") from None
    except (OSError, ValueError) as error:
        raise TsujiError(f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
    if not there.is_dir():
        raise TsujiError(f"{name}: cannot be written: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise TsujiError(f"{name}: cannot be written: no permission to make files in {there}")


def _replace(target: Path, data: bytes) -> None:
    """Put a new file in the place of a regular one, or where there is none."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _to_stdout(data: bytes) -> None:
    """Write to standard output, behind what was printed before."""
    sys.stdout.flush()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data.decode())
