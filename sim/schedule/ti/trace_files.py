"""Files of a trace: one per rank, as a folder or a list of them, or one of all ranks; also packed.

What is packed, and a file of all ranks, is written into a temporary folder as one file per rank.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from models.errors import TsujiError
from sim.files.compressed import SUFFIXES
from sim.lib.quoted import quoted
from sim.schedule.ti.archive import is_packed, unpack
from sim.schedule.ti.one_file import is_trace, line_of_rank, split_ranks

CHUNK = 1 << 14
"""Bytes of a rank's file read at a time."""
EXPECTED = "expected a folder of rank files, a list of them, one file of all ranks, or an archive such as .tar.zst"


class TraceFiles:
    """The files of the ranks of a trace.

    Parameters
    ----------
    path : Path
        Folder of rank files, list of rank files, file of all ranks, or archive (`.tar`, `.tar.zst` and so on). Files
        may be compressed by gzip or zstd.

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
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._folders = 0  # made in the temporary one
        self._shared: Path | None = None  # the file of all ranks
        self._names: dict[Path, str] = {}  # for messages, of files in the temporary folder
        if not path.exists():
            raise TsujiError(f"{path}: no such file or folder")
        found = self._in_folder(path) if path.is_dir() else self._in_file(path, path.parent)
        if len(found) == 1 and is_trace(found[0]):
            self._shared = found[0]
            found = split_ranks(found[0], self._shown(found[0]), self._folder())
        self.files = found
        if not self.files:
            raise TsujiError(f"{path}: no rank's file in it; {EXPECTED}")
        self.size = sum(file.stat().st_size for file in self.files)

    def name(self, rank: int) -> str:
        """Return the name of a rank's file for messages; in an archive, with that of the archive."""
        return self._shown(self._shared or self.files[rank])

    def place(self, rank: int, line: int) -> str:
        """Return the name and line of a rank's `line`-th line, for messages."""
        if self._shared is not None:
            line = line_of_rank(self._shared, rank, line)
        return f"{self.name(rank)}:{line}"

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

    def _in_folder(self, folder: Path) -> list[Path]:
        """Return the rank files of a folder: those of its list, else its text files, else its only file."""
        lists = sorted(folder.glob("*.ti"))
        if lists:
            return self._listed(lists[0], folder)
        files = sorted((each for each in folder.iterdir() if each.is_file()), key=_by_numbers)
        texts = [each for each in files if ".txt" in each.suffixes]
        if not texts and len(files) == 1:
            return self._in_file(files[0], folder)
        return [self._plain(each) for each in texts]

    def _in_file(self, path: Path, folder: Path) -> list[Path]:
        """Return the rank files of a list whose names start at `folder`, or of an archive; or the file of all ranks."""
        if is_packed(path):
            into = self._folder()
            single = unpack(path, into)
            if single is None:
                return self._in_archive(into)
            self._names[single] = str(path)
            return self._in_file(single, folder)
        return [path] if is_trace(path) else self._listed(path, folder)

    def _in_archive(self, folder: Path) -> list[Path]:
        files = sorted(each for each in folder.rglob("*") if each.is_file())
        self._names |= {file: f"{self._path}: {file.relative_to(folder)}" for file in files}
        if len(files) == 1:
            return self._in_file(files[0], files[0].parent)
        folders = sorted({file.parent for file in files if {".txt", ".ti"} & set(file.suffixes)})
        if len(folders) > 1:
            raise TsujiError(f"{self._path}: rank files in {len(folders)} folders of it; expected one folder")
        return self._in_folder(folders[0]) if folders else []

    def _listed(self, path: Path, folder: Path) -> list[Path]:
        """Return the files that a list names, relative to its folder, to the parent of that, or to where we are."""
        return [self._plain(file) for file in _named_files(path, folder, self._shown(path))]

    def _plain(self, path: Path) -> Path:
        """Return a rank's file, decompressed if it is compressed."""
        if path.suffix not in SUFFIXES:
            return path
        single = unpack(path, self._folder())
        if single is None:
            raise TsujiError(f"{self._shown(path)}: an archive; expected the file of one rank")
        self._names[single] = self._shown(path)
        return single

    def _folder(self) -> Path:
        """Return a new, empty temporary folder."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="tsuji-trace-")
        self._folders += 1
        folder = Path(self._temporary.name) / str(self._folders)
        folder.mkdir()
        return folder

    def _shown(self, file: Path) -> str:
        return self._names.get(file, str(file))


def files_of_list(path: Path) -> list[Path]:
    """Return the rank files that a list names; none if the file is something else.

    Raises
    ------
    TsujiError
        If the file is neither an archive nor a trace, and no list of files either.
    """
    return [] if is_packed(path) or is_trace(path) else _named_files(path, path.parent, str(path))


def _named_files(path: Path, folder: Path, shown: str) -> list[Path]:
    """Return the files that a list names; `shown` is its name for messages."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TsujiError(f"{shown}: is no text; {EXPECTED}") from error
    files = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (name := line.strip()) or name.startswith("#"):
            continue
        places = [base / name for base in (folder, folder.parent, Path())]
        file = next((place for place in places if _is_file(place)), None)
        if file is None:
            raise TsujiError(f"{shown}:{number}: {quoted(name)}: no such file; {EXPECTED}")
        files.append(file)
    return files


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _by_numbers(path: Path) -> list[tuple[int, int | str]]:
    """Order names by the numbers in them."""
    parts = re.split(r"(\d+)", path.name)
    return [(0, int(part)) if part.isdecimal() and part.isascii() else (1, part) for part in parts]
