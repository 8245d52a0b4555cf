"""Unpacks archives and compressed files of traces, recognised by their content.

All ranks of a trace are read in parallel, and an archive is sequential; so it is unpacked before.
"""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import BinaryIO

from models.errors import TsujiError
from sim.files.compressed import ERRORS, SUFFIXES, is_compressed, open_plain


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed or an archive, by its content, or should be one by its name."""
    named = path.suffix in SUFFIXES or ".tar" in path.suffixes
    return named or is_compressed(path) or tarfile.is_tarfile(path)


def unpack(path: Path, folder: Path) -> Path | None:
    """Unpack an archive into a folder, or decompress a file into it; return the single file, None for an archive.

    Raises
    ------
    TsujiError
        If it is neither, or damaged.
    """
    compressed = is_compressed(path)
    try:
        if not compressed and path.suffix in SUFFIXES:
            raise tarfile.ReadError("not compressed")
        with open_plain(path) as stream:
            if _extract(stream, folder, not compressed or ".tar" in path.suffixes):
                return None
        single = folder / (path.stem or "trace")
        with open_plain(path) as stream, single.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
        return single
    except (tarfile.TarError, *ERRORS) as error:
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
