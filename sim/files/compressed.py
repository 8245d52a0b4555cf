"""Files that may be compressed, recognised by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

SUFFIXES = (".gz", ".tgz", ".zst", ".bz2", ".xz")
"""Endings of names of compressed files."""
ERRORS = (zstandard.ZstdError, lzma.LZMAError, zlib.error, EOFError, OSError)
"""What reading a damaged file may raise."""


def _zstd(path: Path) -> BinaryIO:
    opened = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True)
    return cast("BinaryIO", opened)


_OPENERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x28\xb5\x2f\xfd": _zstd,
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}


def is_compressed(path: Path) -> bool:
    """Return whether a file's content is compressed."""
    return _opener(path) is not None


def open_plain(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed if it is compressed."""
    opened: BinaryIO = (_opener(path) or _open)(path)
    return opened


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a file, decompressed; none if it is damaged, or no file."""
    if not path.is_file():
        return b""
    try:
        with open_plain(path) as stream:
            return stream.read(count)
    except ERRORS:
        return b""


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def _opener(path: Path) -> Callable[[Path], Any] | None:
    with path.open("rb") as file:
        begin = file.read(8)
    return next((opener for magic, opener in _OPENERS.items() if begin.startswith(magic)), None)
