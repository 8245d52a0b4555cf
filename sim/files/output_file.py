"""Output files named by a user: checked before anything runs, written atomically; devices are never replaced.

`-` is standard output. A symbolic link is followed, so its target changes. Devices and pipes are written to; only a
regular file is replaced, in one step, keeping its permissions.
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
TEST_BYTES = 4096  # written to a temporary file of a folder, as a test of its disk


def check_output(path: Path, option: str = "") -> None:
    """Check that a file can be written, by a test that leaves nothing behind.

    Parameters
    ----------
    path : Path
        The file, or `-` for standard output.
    option : str
        Option that named the file, for the message, such as `--json`.

    Raises
    ------
    TsujiError
        If it is a folder, if its folder cannot be made or written to, or if the file itself cannot: it is a full
        device, or on a full disk.
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
    elif stat.S_ISCHR(mode):
        _test_device(target, name)


def _test_device(device: Path, name: str) -> None:
    """Check that a device takes what is written, by writing nothing: a full one refuses that, too."""
    try:
        handle = os.open(device, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            os.write(handle, b"")
        finally:
            os.close(handle)
    except OSError as error:
        raise TsujiError(f"{name}: cannot be written: {error.strerror}") from error


def write_output(path: Path, content: bytes | str) -> None:
    """Write a file that a user named; a regular file is replaced atomically.

    Parameters
    ----------
    path : Path
        The file, or `-` for standard output. Missing folders are created.
    content : bytes or str
        Content; text is written as UTF-8.

    Raises
    ------
    TsujiError
        If it cannot be written; the message names the file in the folder for temporary files that has the content.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if path == STDOUT:
            _to_stdout(data)
            return
        target = _resolved(path, str(path))
        if target.exists() and not target.is_file():
            with target.open("wb", buffering=0) as file:
                file.write(data)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data)
    except OSError as error:
        if path == STDOUT and isinstance(error, BrokenPipeError):
            raise  # nobody reads any more
        raise TsujiError(f"{path}: cannot be written: {error.strerror}{_kept_elsewhere(path, data)}") from error


def _kept_elsewhere(path: Path, data: bytes) -> str:
    """Keep a content that cannot be written in the folder for temporary files; return the end of the message."""
    try:
        handle, kept = tempfile.mkstemp(prefix="tsuji-", suffix="" if path == STDOUT else f"-{path.name}")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as error:
        return f"; nor can it be kept in {tempfile.gettempdir()}: {error.strerror}"
    return f"; it is kept in {kept}"


def _resolved(path: Path, name: str) -> Path:
    """Return the target of symbolic links; /dev/stdout and /dev/fd/N may be pipes, which have no path of their own."""
    try:
        if not path.is_symlink() or (path.exists() and not path.is_file()):
            return path
        return Path(os.path.realpath(path, strict=False))
    except OSError as error:
        raise TsujiError(f"{name}: cannot be written: {error.strerror}") from error


def check_folder(folder: Path, name: str) -> None:
    """Check that a folder exists or can be created, and that files can be created in it and written to.

    Raises
    ------
    TsujiError
        If not; the message names the path that the user gave.
    """
    there = folder
    try:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            folder.lstat()  # raises for names that no folder can have
        while not os.path.lexists(there) and there != there.parent:
            there = there.parent
        there.stat()
    except FileNotFoundError:
        raise TsujiError(f"{name}: cannot be written: {there} is a link to a missing target") from None
    except (OSError, ValueError) as error:
        raise TsujiError(f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
    if not there.is_dir():
        raise TsujiError(f"{name}: cannot be written: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise TsujiError(f"{name}: cannot be written: no permission to make files in {there}")
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(bytes(TEST_BYTES))
    except OSError as error:
        raise TsujiError(f"{name}: cannot be written: {error.strerror}, by a test in {there}") from error


def _replace(target: Path, data: bytes) -> None:
    """Create a file, or replace a regular one."""
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
    """Return the permissions masked out for new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _to_stdout(data: bytes) -> None:
    """Write to standard output, after all earlier output."""
    sys.stdout.flush()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data.decode())
