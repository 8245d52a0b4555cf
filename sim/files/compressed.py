"""Files that may be compressed, recognised by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

CHUNK = 1 << 17
SUFFIXES = (".gz", ".tgz", ".zst", ".bz2", ".xz")
"""Endings of names of compressed files."""
ERRORS = (zstandard.ZstdError, lzma.LZMAError, zlib.error, EOFError, OSError)
"""What reading a damaged file may raise."""


class _ZstdFile(io.RawIOBase):
    """A file of zstd frames, read one after the other.

    The stream reader of zstandard takes the end of a file within a frame for the end of the frame; this one does not.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._within = False  # whether the frame has begun
        self._rest = b""  # compressed, of the next frame
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            data = self._rest or self._file.read(CHUNK)
            self._rest = b""
            if not data and self._within:
                raise EOFError("the compressed data end too early")
            if not data:
                return 0
            self._within = True
            self._ready = memoryview(self._frame.decompress(data))
            if self._frame.eof:
                self._rest = self._frame.unused_data
                self._frame = zstandard.ZstdDecompressor().decompressobj()
                self._within = False
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


def _zstd(path: Path) -> io.BufferedReader:
    return io.BufferedReader(_ZstdFile(path), CHUNK)


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
