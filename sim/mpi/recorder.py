"""Records a program as a time-independent trace, whose replay takes the same time.

A collective of all ranks is one line if all ranks call it with the same arguments; otherwise, and for other
communicators, its messages are written. So are those of a nonblocking collective, and of collectives called while it is
under way. A trace has one order per rank: a message that such a collective sends in the background stands where it was
posted, and its replay may take another time. Lines are held back until their content is known, such as the source of a
receive from any source.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import TsujiError
from sim.files.output_file import check_folder
from sim.schedule.operations import CALC, RECV, SEND
from sim.schedule.ti.trace import FLOPS
from sim.schedule.ti.types import TYPE_OF_SIZE

if TYPE_CHECKING:
    from sim.mpi.rank import Posted

BYTES = TYPE_OF_SIZE[1]
WRITE_AT = 1 << 16  # characters per rank that are buffered before they are written


class Entry:
    """A line of a trace, whose content may not be known yet; or, once known, several entries instead."""

    __slots__ = ("instead", "known", "line")

    def __init__(self, line: str = "") -> None:
        self.line = line
        self.known = bool(line)
        self.instead: list[Entry] = []


class _Call:
    """A collective that not all ranks have ended: each rank's messages, and its line."""

    def __init__(self, size: int) -> None:
        self.missing = size
        self.ranks: list[tuple[Entry, list[Entry], str | None]] = []


class Recorder:
    """Writes a trace while a program runs.

    Parameters
    ----------
    folder : Path
        Folder of the trace; created if it does not exist, and must be empty.
    ranks : int
        Number of ranks.

    Raises
    ------
    TsujiError
        If the folder is not empty.
    """

    def __init__(self, folder: Path, ranks: int) -> None:
        check_folder(folder, f"--record {folder}")
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise TsujiError(f"--record {folder}: must be an empty folder, or none")
        self._files = [folder / f"rank{rank:0{max(4, len(str(ranks)))}}.txt" for rank in range(ranks)]
        (folder / f"{folder.name}.ti").write_text(
            "".join(f"{folder.name}/{file.name}\n" for file in self._files), encoding="utf-8"
        )
        self._entries: list[deque[Entry]] = [deque() for _ in range(ranks)]
        self._text: list[list[str]] = [[f"{rank} init\n"] for rank in range(ranks)]
        self._kept = [0] * ranks
        self._within: dict[int, tuple[object, list[Entry]]] = {}
        self._calls: dict[object, _Call] = {}

    def post(self, posted: Posted, peer: int, size: int, tag: int, nic: int) -> None:
        """Record that a rank starts an operation.

        Raises
        ------
        TsujiError
            If it uses another network interface than 0, which a trace cannot express.
        """
        rank = posted.rank.number
        if nic:
            raise TsujiError(f"nic = {nic}: a trace cannot express the interface of a message; record with nic = 0")
        if posted.kind == CALC:
            self._add(rank, Entry(f"compute {size * FLOPS / 1e9:.17g}"))
        elif posted.kind == SEND:
            posted.peer, posted.tag = peer, tag
            self._add(rank, Entry(f"isend {peer} {tag} {size} {BYTES}"))
        elif posted.kind == RECV:
            posted.entry = Entry()
            self._add(rank, posted.entry)

    def complete(self, posted: Posted) -> None:
        """Record the message that a receive got."""
        if posted.entry is not None:
            posted.entry.line = f"irecv {posted.peer} {posted.tag} {posted.size} {BYTES}"
            posted.entry.known = True
            posted.entry = None

    def wait(self, posted: Posted) -> None:
        """Record that a rank has waited for an operation, which is done."""
        rank = posted.rank.number
        if posted.kind == RECV:
            self._add(rank, Entry(f"wait {posted.peer} {rank} {posted.tag}"))
        elif posted.kind == SEND:
            self._add(rank, Entry(f"wait {rank} {posted.peer} {posted.tag}"))

    def begin(self, rank: int, key: object, size: int) -> None:
        """Record that a rank begins a collective of `size` ranks, which all give the same `key`."""
        self._calls.setdefault(key, _Call(size))
        self._within[rank] = (key, [])

    def end(self, rank: int, line: str | None) -> None:
        """Record that a rank has ended its collective; `line` is its line in the trace, None if there is none."""
        key, messages = self._within.pop(rank)
        call = self._calls[key]
        entry = Entry()
        self._add(rank, entry)
        call.ranks.append((entry, messages, line))
        call.missing -= 1
        if call.missing:
            return
        del self._calls[key]
        alike = len({_alike(line) for _, _, line in call.ranks}) == 1 and call.ranks[0][2] is not None
        for entry, messages, line in call.ranks:
            entry.known = True
            if alike and line is not None:
                entry.line = line
            else:
                entry.instead = messages

    def close(self) -> None:
        """Write the remaining lines."""
        for rank in range(len(self._files)):
            self._flush(rank, last=True)

    def _add(self, rank: int, entry: Entry) -> None:
        if rank in self._within:
            self._within[rank][1].append(entry)
            return
        self._entries[rank].append(entry)
        if len(self._entries[rank]) > self._kept[rank]:
            self._flush(rank)

    def _flush(self, rank: int, last: bool = False) -> None:
        """Write the known lines, up to the first unknown one; the last time, skip unknown lines."""
        entries, text = self._entries[rank], self._text[rank]
        while entries and (entries[0].known or last):
            entry = entries.popleft()
            entries.extendleft(reversed(entry.instead))
            if entry.line:
                text.append(f"{rank} {entry.line}\n")
        self._kept[rank] = 2 * len(entries) + 256
        if last:
            text.append(f"{rank} finalize\n")
        if last or sum(map(len, text)) > WRITE_AT:
            with self._files[rank].open("a", encoding="utf-8") as file:
                file.writelines(text)
            text.clear()


def _alike(line: str | None) -> str | None:
    """Return the part of a collective's line that must be equal in all ranks: all but the parts of an alltoallv."""
    return "alltoallv" if line is not None and line.startswith("alltoallv ") else line
