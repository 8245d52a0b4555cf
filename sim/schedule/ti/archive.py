"""Unpacks archives and compressed files of traces, recognised by their content.

All ranks of a trace are read in parallel, and an archive is sequential; so it is unpacked before.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from models.errors import TsujiError

COMPRESSED = (".gz", ".tgz", ".zst", ".bz2", ".xz")
ERRORS = (tarfile.TarError, zstandard.ZstdError, lzma.LZMAError, zlib.error, EOFError, OSError)


def _zstd(path: Path) -> BinaryIO:
    opened = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True)
    return cast("BinaryIO", opened)


OPENERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x28\xb5\x2f\xfd": _zstd,
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
"""Openers of compressed files, by the first bytes of these."""


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed or an archive, by its content, or should be one by its name."""
    named = path.suffix in COMPRESSED or ".tar" in path.suffixes
    return named or _opener(path) is not None or tarfile.is_tarfile(path)


def unpack(path: Path, folder: Path) -> Path | None:
    """Unpack an archive into a folder, or decompress a file into it; return the single file, None for an archive.

    Raises
    ------
    TsujiError
        If it is neither, or damaged.
    """
    opener = _opener(path)
    try:
        if opener is None and path.suffix in COMPRESSED:
            raise tarfile.ReadError("not compressed")
        with (opener or _plain)(path) as stream:
            if _extract(stream, folder, opener is None or ".tar" in path.suffixes):
                return None
        single = folder / (path.stem or "trace")
        with (opener or _plain)(path) as stream, single.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
        return single
    except ERRORS as error:
        raise TsujiError(
            f"{path}: cannot be unpacked ({error}); expected an archive such as .tar.zst, or a file compressed by gzip "
            "or zstd"
        ) from error


def _extract(stream: BinaryIO, folder: Path, certain: bool) -> bool:
    """Extract an archive; return False if it is none, unless it is certain to be one."""
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            archive.extractall(folder, filter="data")
    except tarfile.ReadError:
        if certain or any(folder.iterdir()):
            raise
        return False
    if stream.read(1 << 16).strip(b"\0"):
        raise tarfile.ReadError("something follows the archive")
    return True


def _plain(path: Path) -> BinaryIO:
    return path.open("rb")


def _opener(path: Path) -> Callable[[Path], Any] | None:
    with path.open("rb") as file:
        begin = file.read(8)
    return next((opener for magic, opener in OPENERS.items() if begin.startswith(magic)), None)
