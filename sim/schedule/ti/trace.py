"""Time-independent traces as schedules, read while they run, so that memory does not grow with the files."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from models.errors import TsujiError
from sim.lib.quoted import quoted
from sim.schedule.collectives.plan import message_sizes, plan, planned_sizes
from sim.schedule.collectives.registry import Algorithm, find
from sim.schedule.collectives.scan import PASS_ON
from sim.schedule.goal import MOST_TIME
from sim.schedule.operations import CALC, RECV, SEND, Operations
from sim.schedule.program_order import ProgramOrder
from sim.schedule.ti import collective_lines
from sim.schedule.ti.fields import check_fields, read_amount
from sim.schedule.ti.groups import GroupRule, in_group, rule_of
from sim.schedule.ti.point_to_point import NO_EFFECT, Message, expected, read_exchange, read_message, read_request
from sim.schedule.ti.timed_part import WHOLE, TimedPart
from sim.schedule.ti.trace_files import TraceFiles
from sim.schedule.ti.types import BYTE, DOUBLE

FLOPS = 1e10
"""Units of `compute` per second, as of SimGrid's hosts in known traces."""
BLOCK = 4096  # operations of a block above which it is returned before all lines are read


@dataclass(frozen=True)
class TraceOptions:
    """Options of reading a trace.

    Attributes
    ----------
    compute : float
        Factor on the times of `compute` and `sleep`; 0: they take no time.
    flops : float
        Units of `compute` per second.
    collectives : mapping of str to str
        Algorithms by collective, such as `{"allreduce": "ring"}`; the others have their defaults.
    part : TimedPart
        Part of the trace that is read; all by default.
    groups : sequence of GroupRule
        Collectives that run in groups of ranks, which the trace does not name.

    Raises
    ------
    TsujiError
        If a number is out of range, or there is no such collective or algorithm.
    """

    compute: float = 1.0
    flops: float = FLOPS
    collectives: Mapping[str, str] = field(default_factory=dict)
    part: TimedPart = WHOLE
    groups: Sequence[GroupRule] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.compute < math.inf:
            raise TsujiError(f"compute = {self.compute}: must be a factor of at least 0")
        if not 0 < self.flops < math.inf:
            raise TsujiError(f"flops = {self.flops}: must be units of compute per second, above 0")
        for collective, name in self.collectives.items():
            find(collective, name)

    def algorithm(self, collective: str) -> Algorithm:
        """Return the algorithm of a collective."""
        return find(collective, self.collectives.get(collective))


class TiTrace:
    """A time-independent trace of SimGrid as a schedule.

    Parameters
    ----------
    path : path
        Folder of rank files, a list of them, one file of all ranks, or an archive (`.tar.zst` and so on).
    options : TraceOptions

    Attributes
    ----------
    ranks : int
        Number of ranks.
    read : int
        Bytes of rank files read so far, of `size`.

    Raises
    ------
    TsujiError
        If it cannot be opened. An invalid line is refused when it is read; the message names file and line, and says
        what was expected.
    """

    whole = False
    cpus = 2  # one CPU for joins
    nics = 1
    total = None

    def __init__(self, path: Path, options: TraceOptions = TraceOptions()) -> None:
        self.source = f"{path}{options.part}"
        self._files = TraceFiles(Path(path))
        self._options = options
        self.ranks = len(self._files.files)
        self.size = self._files.size
        self.read = 0
        self._chunk_bytes = [0] * self.ranks  # of each rank's lines that are being read
        self._agreement = collective_lines.Agreement(self.ranks, self._files.place)
        for rule in options.groups:
            rule.check(self.ranks)
        self._unmatched = list(options.groups)
        self._read_ranks = 0
        self._told: set[str] = set()

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield the operations of a rank.

        Raises
        ------
        TsujiError
            If a line is no action of the trace format, or contradicts the lines of other ranks.
        """
        return _Reader(self, rank).blocks()

    def name(self, rank: int) -> str:
        """Return a rank's file, for messages."""
        return self._files.name(rank)

    def _count(self, rank: int, lines: int, left: int) -> None:
        """Count the bytes of a rank's lines as read, but those of the last `left` lines, of `lines`."""
        still = self._chunk_bytes[rank] * left // max(1, lines)
        self.read += self._chunk_bytes[rank] - still
        self._chunk_bytes[rank] = still

    def _end_of_rank(self) -> None:
        """Warn of rules of groups that no line matched, when the last rank has been read."""
        self._read_ranks += 1
        if self._read_ranks == self.ranks:
            for rule in self._unmatched:
                text = f"{self.source}: --group {str(rule)!r} has no effect: no line is {rule.action} {rule.count}"
                warnings.warn(text, stacklevel=2)

    def _tell(self, place: str, text: str) -> None:
        """Warn of something the first time that it is found."""
        if text not in self._told:
            self._told.add(text)
            warnings.warn(f"{place}: {text}", stacklevel=2)

    def _chunks(self, rank: int) -> Iterator[list[bytes]]:
        def counted() -> Iterator[list[bytes]]:
            for lines in self._files.chunks(rank):
                self._chunk_bytes[rank] = sum(map(len, lines)) + len(lines)
                yield lines

        part = self._options.part
        return counted() if part == WHOLE else part.blanked(counted(), self.name(rank))


class _Reader:
    """Reading state of one rank."""

    def __init__(self, trace: TiTrace, rank: int) -> None:
        self._trace = trace
        self._rank = rank
        self._options = trace._options
        self._order = ProgramOrder()
        self._line = 0
        self._collectives = 0
        self._begun = self._ended = False
        self._type = BYTE  # of counts whose lines name none
        self._known: dict[bytes, Message] = {}  # by their lines, because programs repeat themselves

    def blocks(self) -> Iterator[Operations]:
        for lines in self._trace._chunks(self._rank):
            yield from self._read(lines)
            self._trace._count(self._rank, 1, 0)
            if self._order.kinds:
                yield self._order.take()
            if len(self._known) > BLOCK:
                self._known.clear()
        if not self._begun:
            raise TsujiError(f"{self._trace.name(self._rank)}:{self._line}: no action of rank {self._rank}")
        if not self._ended:
            self._trace._tell(self._place(), "ends without finalize: was the trace cut?")
        self._trace._end_of_rank()

    def _read(self, lines: list[bytes]) -> Iterator[Operations]:
        """Add the operations of some lines. Frequent actions are inline, because a call would double their cost."""
        order = self._order
        kinds, peers, sizes, tags = order.kinds, order.peers, order.sizes, order.tags
        first, requires, last = order.first, order.requires, order.last
        prefix, factor = b"%d compute " % self._rank, self._options.compute * 1e9 / self._options.flops
        known = self._known
        begin = counted = self._line
        text = b""
        try:
            for self._line, text in enumerate(lines, begin + 1):
                if text.startswith(prefix) and self._begun and not self._ended:
                    time = float(text[len(prefix) :]) * factor
                    if not 0 <= time < MOST_TIME:
                        raise ValueError("no amount of work")
                    kind, peer, size, tag = CALC, 0, round(time), 0
                    if not size:
                        continue
                else:
                    message = known.get(text)
                    if message is None:
                        message = self._parse(text.split())
                        if message is None:
                            if len(kinds) >= BLOCK:
                                left = begin + len(lines) - self._line
                                self._trace._count(self._rank, left + self._line - counted, left)
                                counted = self._line
                                yield order.take()
                            continue
                        known[text] = message
                    if self._ended:
                        raise ValueError("nothing may follow finalize")
                    blocking, kind, peer, tag, size = message
                    if not blocking:
                        self._start(kind, peer, tag, size)
                        continue
                requires += last
                last[:] = (order.base + len(kinds),)
                kinds.append(kind)
                peers.append(peer)
                sizes.append(size)
                tags.append(tag)
                first.append(len(requires))
        except ValueError as error:
            raise TsujiError(f"{self._place()}: {self._complaint(text.split(), error)}") from error

    def _parse(self, fields: list[bytes]) -> Message | None:
        """Return the message of a line; None: the line is another action, which is then already added."""
        if not fields or fields[0].startswith(b"#"):
            return None
        if fields[0] != b"%d" % self._rank:
            self._trace._tell(self._place(), "a line of another rank is left out")
            return None
        action = fields[1].decode(errors="replace") if len(fields) > 1 else ""
        if self._begun is self._ended:  # it neither starts nor ends anything
            self._begin(action)
        if action in ("send", "isend", "recv", "irecv"):
            return read_message(action, fields[2:], self._trace.ranks, self._type)
        if action == "wait":
            return read_request(fields[2:])
        if action in collective_lines.FORMS:
            self._collective(action, fields[2:])
        else:
            self._seldom(action, fields[2:])
        return None

    def _start(self, kind: int, peer: int, tag: int, size: int) -> None:
        """Start a nonblocking message, or wait for one."""
        if kind == RECV:
            self._order.start_receive(self._rank, peer, tag)
        elif kind == SEND:
            self._order.start_send(self._rank, peer, tag, size)
        elif not self._order.wait(peer, size, tag):
            if not self._order.is_waiting:
                raise ValueError("no such message was started and not waited for")
            self._trace._tell(self._place(), "a wait for a message that was not started is left out")

    def _seldom(self, action: str, fields: list[bytes]) -> None:
        """Add the operations of a line that is neither a message nor a collective."""
        order = self._order
        if action == "sendRecv":
            to, source, size = read_exchange(fields, self._trace.ranks, self._type)
            order.exchange(to, source, 0, size)
        elif action == "waitall":
            order.wait_all()
        elif action in ("sleep", "compute"):  # a calculation that the loop does not handle: more than one blank
            check_fields(fields, 1, 1)
            order.compute(self._time("seconds" if action == "sleep" else "flops", fields[0]))
        elif action == "finalize":
            self._ended = True
        elif action == "init":
            self._type = DOUBLE if fields else BYTE
            self._known.clear()
        elif action == "test":
            read_request(fields)
        elif action not in NO_EFFECT:
            raise ValueError("unknown action")

    def _time(self, unit: str, text: bytes) -> int:
        """Return the nanoseconds of an amount of work or of seconds."""
        options = self._options
        time = read_amount(unit, text) * options.compute * (1e9 if unit == "seconds" else 1e9 / options.flops)
        if time >= MOST_TIME:
            raise ValueError(f"{time:g} ns: must be below {MOST_TIME}")
        return round(time)

    def _collective(self, action: str, fields: list[bytes]) -> None:
        options = self._options
        rule = rule_of(options.groups, action, fields)
        if rule in self._trace._unmatched:
            self._trace._unmatched.remove(rule)
        members = rule.members(self._rank) if rule else range(self._trace.ranks)
        rank, ranks = members.index(self._rank), len(members)
        line = collective_lines.parse(action, fields, ranks, self._type)
        self._trace._agreement.enter(self._collectives, self._rank, action, line, self._line)
        self._collectives += 1
        form = collective_lines.FORMS[action]
        algorithm = find(form.collective, "linear") if form.linear else options.algorithm(form.collective)
        root = line.get("root", 0)
        blocks = collective_lines.blocks(
            action, line, rank, ranks, lambda elements, size: algorithm.segments(ranks, elements, size)
        )
        if action == "alltoallv":
            # A rank knows only the sizes that it sends; a receive takes the size that was sent.
            steps = plan(algorithm, rank, ranks, root, 1)
            sizes = [blocks[moved[0] % ranks] for moved in steps.blocks]
        elif action == "scatterv":
            steps = plan(algorithm, rank, ranks, root, 1)
            sizes = message_sizes(steps, blocks)
        else:
            steps = plan(algorithm, rank, ranks, root, len(blocks))
            sizes = planned_sizes(algorithm, rank, ranks, root, blocks)
        self._order.collective(in_group(steps, members) if rule else steps, sizes)
        if action == "exscan":
            steps = plan(PASS_ON, rank, ranks, root, 1)
            self._order.collective(in_group(steps, members) if rule else steps, message_sizes(steps, blocks))
        if "flops" in line:
            self._order.compute(self._time("flops", line["flops"]))

    def _begin(self, action: str) -> None:
        """Process the first line; refuse lines after the last."""
        if self._ended:
            raise ValueError("nothing may follow finalize")
        if action != "init":
            raise ValueError("the first action must be init")
        self._begun = True

    def _place(self) -> str:
        return self._trace._files.place(self._rank, self._line)

    def _complaint(self, fields: list[bytes], error: ValueError) -> str:
        """Return a message: what is wrong with a line, and what was expected."""
        action = fields[1].decode(errors="replace") if len(fields) > 1 else ""
        return f"`{quoted(b' '.join(fields))}` ({error}): {expected(self._rank, action)}"
