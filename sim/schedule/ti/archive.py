"""Files of a trace: a folder of rank files, its list `NAME.ti`, or an archive of it.

An archive is unpacked into a temporary folder, because all ranks are read in parallel and an archive is sequential.
"""

from __future__ import annotations

import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import zstandard

from models.errors import TsujiError

CHUNK = 1 << 14
"""Bytes of a rank's file read at a time."""


class TraceFiles:
    """The files of the ranks of a trace.

    Parameters
    ----------
    path : Path
        Folder, list of files (`.ti`) or archive (`.tar`, `.tar.gz`, `.tar.zst` and so on).

    Attributes
    ----------
    files : list of Path
        File of each rank.
    size : int
        Total bytes of the files.

    Raises
    ------
    TsujiError
        If the file does not exist, contains no rank, or cannot be unpacked.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unpacked: tempfile.TemporaryDirectory[str] | None = None
        if not path.exists():
            raise TsujiError(f"{path}: no such file or folder")
        self.files = self._found(path)
        if not self.files:
            raise TsujiError(
                f"{path}: no rank's file in it; expected rank0000.txt and so on, or a list NAME.ti of them"
            )
        self.size = sum(file.stat().st_size for file in self.files)

    def name(self, rank: int) -> str:
        """Return the name of a rank's file for messages; in an archive, with that of the archive."""
        if self._unpacked is None:
            return str(self.files[rank])
        return f"{self._path}: {self.files[rank].relative_to(self._unpacked.name)}"

    def chunks(self, rank: int) -> Iterator[list[bytes]]:
        """Yield a rank's lines, without line ends, in chunks; the file is closed in between."""
        offset, rest = 0, b""
        while True:
            with self.files[rank].open("rb") as file:
                file.seek(offset)
                data = file.read(CHUNK)
            if not data:
                break
            offset += len(data)
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            if lines:
                yield lines
        if rest:
            yield [rest]

    def _found(self, path: Path) -> list[Path]:
        if path.is_dir():
            lists = sorted(path.glob("*.ti"))
            return self._listed(lists[0]) if lists else sorted(path.glob("*.txt"), key=_by_numbers)
        if path.suffix == ".ti":
            return self._listed(path)
        self._unpacked = tempfile.TemporaryDirectory(prefix="tsuji-trace-")
        folder = Path(self._unpacked.name)
        _unpack(path, folder)
        folders = sorted({file.parent for file in folder.rglob("*") if file.suffix in (".txt", ".ti")})
        if len(folders) > 1:
            raise TsujiError(f"{path}: rank files in {len(folders)} folders of it; expected one folder")
        return self._found(folders[0]) if folders else []

    def _listed(self, path: Path) -> list[Path]:
        """Return the files that a list names, relative to the list or to its parent folder, as SimGrid writes them."""
        files = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not (name := line.strip()):
                continue
            places = [folder / name for folder in (path.parent, path.parent.parent, Path())]
            file = next((place for place in places if place.is_file()), None)
            if file is None:
                raise TsujiError(f"{path}:{number}: {name}: no such file")
            files.append(file)
        return files


def _by_numbers(path: Path) -> list[int | str]:
    """Order names by the numbers in them."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]


def _unpack(path: Path, folder: Path) -> None:
    try:
        if path.suffix == ".zst":
            with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
                with tarfile.open(fileobj=stream, mode="r|") as archive:
                    archive.extractall(folder, filter="data")
                if stream.read(1 << 16).strip(b"\0"):
                    raise TsujiError(f"{path}: something follows the archive")
        else:
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter="data")
    except (tarfile.TarError, zstandard.ZstdError, EOFError, OSError) as error:
        raise TsujiError(
            f"{path}: cannot be unpacked ({error}); expected a folder, a list NAME.ti, or an archive such as .tar.zst"
        ) from error
