"""A communicator's collectives of Python objects, as in mpi4py: objects moved through an algorithm's rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sim.messages.tags import collective_tag
from sim.mpi.agreement import Same, agree
from sim.mpi.errors import ValueMisusedError
from sim.mpi.op import OPS, Op, as_op
from sim.mpi.payload import NOTHING, Payload, pack
from sim.mpi.point_to_point import PointToPoint
from sim.mpi.rank import Posted, current
from sim.mpi.segments import WHOLE, Blocks, Info, elements, joined_message, split_message
from sim.mpi.world import Message
from sim.schedule.collectives.registry import Algorithm, find
from sim.schedule.collectives.rounds import Merge, Receive, Round
from sim.schedule.operations import RECV, SEND
from sim.schedule.ti.types import TYPE_OF_SIZE

Line = Callable[[Blocks], str | None]
OpLike = Op | Callable[[Any, Any], Any]
SUM = OPS["SUM"]

# The names are MPI's, as in mpi4py.


class Collectives(PointToPoint):
    """Collectives of Python objects. `bytes` sets the size of an object, or of each of several."""

    def barrier(self) -> None:
        """Wait until all ranks have called it."""
        self._run("barrier", {}, line=lambda _: "barrier")

    Barrier = barrier

    def bcast(self, obj: Any = None, root: int = 0, *, bytes: int | None = None) -> Any:
        """Return the root's object at every rank."""
        self._check_root(root)
        algorithm = self.world.algorithm("bcast")
        if self.rank == root:
            packed = pack(obj, bytes)
            blocks, info = split_message(packed, algorithm.segments(self.size, *elements(packed)))
        else:
            blocks, info = {}, Info(algorithm.segments(self.size, 0, 1), None)

        def line(blocks: Blocks) -> str:
            count = sum(elements(block)[0] for block in blocks.values())
            return f"bcast {count} {root} {TYPE_OF_SIZE[elements(blocks[0])[1]]}"

        info = self._run("bcast", blocks, root=root, info=info, same={"root": root}, line=line)
        return obj if self.rank == root else joined_message(blocks, info).unpack()

    def scatter(self, sendobj: Sequence[Any] | None = None, root: int = 0, *, bytes: int | None = None) -> Any:
        """Return at each rank the root's object for it."""
        self._check_root(root)
        blocks: Blocks = {}
        if self.rank == root:
            blocks = self._one_each("scatter", sendobj, bytes)

        def line(blocks: Blocks) -> str:
            count, unit = elements(blocks[self.rank])
            return f"scatter {count} {count} {root} {TYPE_OF_SIZE[unit]} {TYPE_OF_SIZE[unit]}"

        self._run("scatter", blocks, root=root, same={"root": root}, line=line)
        return blocks[self.rank].unpack()

    def gather(self, sendobj: Any, root: int = 0, *, bytes: int | None = None) -> list[Any] | None:
        """Return at the root all ranks' objects."""
        self._check_root(root)
        packed = pack(sendobj, bytes)
        count, unit = elements(packed)
        kind = TYPE_OF_SIZE[unit]
        blocks = {self.rank: packed}
        text = f"gather {count} {count} {root} {kind} {kind}"
        self._run("gather", blocks, root=root, same={"root": root}, line=lambda _: text)
        return [blocks[rank].unpack() for rank in range(self.size)] if self.rank == root else None

    def allgather(self, sendobj: Any, *, bytes: int | None = None) -> list[Any]:
        """Return all ranks' objects at every rank."""
        packed = pack(sendobj, bytes)
        count, unit = elements(packed)
        kind = TYPE_OF_SIZE[unit]
        blocks = {self.rank: packed}
        self._run("allgather", blocks, line=lambda _: f"allgather {count} {count} {kind} {kind}")
        return [blocks[rank].unpack() for rank in range(self.size)]

    def alltoall(self, sendobj: Sequence[Any], *, bytes: int | None = None) -> list[Any]:
        """Return at each rank every rank's object for it."""
        return self._alltoall("alltoall", self._one_each("alltoall", sendobj, bytes))

    def alltoallv(self, sendobj: Sequence[Any], *, bytes: Sequence[int] | None = None) -> list[Any]:
        """Return at each rank every rank's object for it, of different sizes; `bytes` sets them by destination."""
        sizes = [None] * self.size if bytes is None else list(bytes)
        if len(sizes) != self.size:
            raise ValueMisusedError(f"alltoallv: bytes of {len(sizes)} ranks: must be of {self.size}")
        return self._alltoall("alltoallv", self._one_each("alltoallv", sendobj, sizes))

    def reduce(self, sendobj: Any, op: OpLike = SUM, root: int = 0, *, bytes: int | None = None) -> Any:
        """Return at the root the combination of all ranks' objects; at others None."""
        self._check_root(root)
        combined = self._reduce("reduce", pack(sendobj, bytes), as_op(op), root)
        return combined.unpack() if self.rank == root else None

    def allreduce(self, sendobj: Any, op: OpLike = SUM, *, bytes: int | None = None) -> Any:
        """Return the combination of all ranks' objects at every rank."""
        return self._reduce("allreduce", pack(sendobj, bytes), as_op(op)).unpack()

    def scan(self, sendobj: Any, op: OpLike = SUM, *, bytes: int | None = None) -> Any:
        """Return at each rank the combination of the objects of ranks up to it."""
        return self._reduce("scan", pack(sendobj, bytes), as_op(op)).unpack()

    def exscan(self, sendobj: Any, op: OpLike = SUM, *, bytes: int | None = None) -> Any:
        """Return at each rank the combination of the objects of ranks before it; at rank 0 None.

        It is a scan whose results are then passed to the next rank.
        """
        mine = pack(self.scan(sendobj, op, bytes=bytes), bytes)
        return self._shift(mine)

    def reduce_scatter(self, sendobj: Sequence[Any], op: OpLike = SUM, *, bytes: int | None = None) -> Any:
        """Return at each rank the combination of all ranks' objects for it."""
        blocks = self._one_each("reduce_scatter", sendobj, bytes)
        return self._reduce_blocks(blocks, as_op(op)).unpack()

    def _reduce(self, name: str, packed: Payload, op: Op, root: int = 0) -> Payload:
        """Combine objects by a reduction, scan or allreduce."""
        count, unit = elements(packed)
        kind = TYPE_OF_SIZE[unit]
        algorithm = self._ordered(name, op)
        blocks, info = split_message(packed, 1 if name == "scan" else algorithm.segments(self.size, count, unit))
        self._run(
            name,
            blocks,
            root=root,
            info=info,
            op=op,
            same={"root": root, "bytes": None if packed.pickled else packed.size, "op": op.label},
            algorithm=algorithm,
            line=lambda _: f"{name} {count} 0 {root} {kind}" if name == "reduce" else f"{name} {count} 0 {kind}",
        )
        return joined_message(blocks, info)

    def _reduce_blocks(self, blocks: Blocks, op: Op) -> Payload:
        """Combine each rank's block at that rank."""
        if not op.commute and not self.world.algorithm("reduce_scatter").in_order:
            return self._reduce_blocks_in_order(blocks, op)
        counts = " ".join(str(elements(blocks[rank])[0]) for rank in range(self.size))
        units = {elements(block)[1] for block in blocks.values()}
        known = not any(block.pickled for block in blocks.values())
        sizes = tuple(blocks[rank].size for rank in range(self.size))
        self._run(
            "reduce_scatter",
            blocks,
            op=op,
            same={"bytes": sizes if known else None, "op": op.label},
            line=lambda _: f"reducescatter {counts} 0 {TYPE_OF_SIZE[units.pop()]}" if len(units) == 1 else None,
        )
        return blocks[self.rank]

    def _reduce_blocks_in_order(self, blocks: Blocks, op: Op) -> Payload:
        """Combine each rank's block, with operands in the order of ranks: at rank 0, which scatters the results."""
        ordered = find("reduce", "linear")
        info = Info(self.size, None)
        self._run("reduce", blocks, op=op, info=info, same={"op": op.label}, algorithm=ordered, line=lambda _: None)
        mine = blocks if self.rank == 0 else {}
        self._run("scatter", mine, line=lambda _: None)
        return mine[self.rank]

    def _alltoall(self, name: str, blocks: Blocks) -> list[Any]:
        """Exchange blocks, given by destination."""
        ranks, rank = self.size, self.rank
        sent = [elements(blocks[to]) for to in range(ranks)]

        def line(done: Blocks) -> str | None:
            got = [elements(done[source * ranks + rank]) for source in range(ranks)]
            if name == "alltoall" and len({*sent, *got}) == 1:
                count, unit = sent[0]
                return f"alltoall {count} {count} {TYPE_OF_SIZE[unit]} {TYPE_OF_SIZE[unit]}"
            if name == "alltoall" or len({unit for _, unit in (*sent, *got)}) > 1:
                return None
            kind = TYPE_OF_SIZE[sent[0][1]]
            counts = [f"{sum(count for count, _ in part)} {' '.join(str(c) for c, _ in part)}" for part in (sent, got)]
            return f"alltoallv {counts[0]} {counts[1]} {kind} {kind}"

        moved = {rank * ranks + to: block for to, block in blocks.items()}
        self._run(name, moved, line=line)
        return [moved[source * ranks + rank].unpack() for source in range(ranks)]

    def _one_each(self, name: str, objects: Sequence[Any] | None, sizes: Any = None) -> Blocks:
        """Return one block per rank, from one object per rank."""
        if objects is None or not hasattr(objects, "__len__") or len(objects) != self.size:
            given = (
                "no objects" if objects is None else f"{len(objects)} objects" if hasattr(objects, "__len__") else "one"
            )
            raise ValueMisusedError(f"{name}: {given}: must be {self.size}, one per rank")
        listed = sizes if isinstance(sizes, list) else [sizes] * self.size
        return {rank: pack(value, size) for rank, (value, size) in enumerate(zip(objects, listed, strict=True))}

    def _ordered(self, name: str, op: Op) -> Algorithm:
        """Return the algorithm of a reduction; one that keeps the order of operands if `op` does not commute."""
        chosen = self.world.algorithm(name)
        if op.commute or chosen.in_order:
            return chosen
        return find(name, "linear" if name == "reduce" else "recursive_doubling")

    def _shift(self, mine: Payload) -> Any:
        """Send a rank's block to the next rank; return the block received."""
        rank, tag = self.rank, self._round_tag()
        posted: list[Posted] = []
        if rank:
            posted.append(self.world.post(RECV, f"a message of rank {rank - 1}", self.members[rank - 1], tag=tag))
        if rank < self.size - 1:
            to = rank + 1
            posted.append(self.world.post(SEND, f"rank {to}", self.members[to], mine.size, tag, payload=mine))
        self.world.wait(posted)
        return posted[0].payload.unpack() if rank and posted[0].payload else None

    def _run(
        self,
        name: str,
        blocks: Blocks,
        *,
        line: Line,
        root: int = 0,
        info: Info = WHOLE,
        op: Op | None = None,
        same: Same | None = None,
        algorithm: Algorithm | None = None,
    ) -> Info:
        """Move blocks through the rounds of a collective; `blocks` then holds the blocks that the rank ends with.

        Parameters
        ----------
        name : str
            The collective.
        blocks : dict of int to Payload
            Blocks of the rank.
        line : callable
            Returns its line in a trace, from the final blocks; None: a trace cannot express it as one line.
        root : int
            Root, as in `Algorithm.rounds`.
        info : Info
            The message of the blocks, as far as the rank knows it.
        op : Op or None
            Combines blocks.
        same : dict
            What must be equal in all ranks.
        algorithm : Algorithm or None
            None: the world's algorithm for the collective.

        Returns
        -------
        Info
            What the rank knows of the message afterwards.
        """
        me = current()
        me.calls(name)
        number = me.sequence.get(self.number, 0)
        me.sequence[self.number] = number + 1
        agree(self, self.rank, number, me.prefix + name, same or {})
        algorithm = algorithm or self.world.algorithm(name)
        if me.prefix or self.world.recorder is None:
            return self._go_through(algorithm, blocks, root, info, op)
        # A line of a trace has no other messages of its rank beside it.
        alone = self.number == 0 and not me.background
        self.world.recorder.begin(me.number, (self.number, number), self.size)
        info = self._go_through(algorithm, blocks, root, info, op)
        self.world.recorder.end(me.number, line(blocks) if alone else None)
        return info

    def _go_through(self, algorithm: Algorithm, blocks: Blocks, root: int, info: Info, op: Op | None) -> Info:
        """Move blocks through the rounds of an algorithm; arguments as in `_run`."""
        rounds = algorithm.rounds(self.rank, self.size, root, info.segments)
        # With other threads of the rank, the order of messages depends on when Python posts them: as when recorded.
        if self.world.recorder is None and not current().background and op is None and info is WHOLE:
            listed = list(rounds)
            if len(listed) > 1 and _are_known(listed, blocks):
                self._rounds_at_once(listed, blocks)
                return info
            rounds = iter(listed)
        here = next(rounds, None)
        if here is not None:
            known = self._round(here, blocks, op, info)
            if known.segments != info.segments:  # a broadcast: only the root knew the number of segments
                rounds = algorithm.rounds(self.rank, self.size, root, known.segments)
                next(rounds)
            info = known
            for here in rounds:
                self._round(here, blocks, op, info)
        return info

    def _rounds_at_once(self, rounds: list[Round], blocks: Blocks) -> None:
        """Exchange the messages of all rounds without Python between them; all that is sent is known in advance."""
        messages = [self._messages(here, blocks, WHOLE) for here in rounds]
        posted = self.world.post_rounds(messages)
        self.world.wait([each for part in posted for each in part])
        for here, part in zip(rounds, posted, strict=True):
            for receive, each in zip(here.receives, part, strict=False):
                if each.payload is not None:
                    _merge(blocks, each.payload.unpack()[0], receive, None)

    def _round_tag(self) -> int:
        """Return the tag of messages of the running collective."""
        me = current()
        return collective_tag(self.number, me.round_tag(me.sequence.get(self.number, 0)))

    def _messages(self, here: Round, blocks: Blocks, info: Info) -> list[Message]:
        """Return the messages of a round, receives first."""
        tag = self._round_tag()
        found = [
            Message(RECV, f"a message of rank {receive.peer}", self.members[receive.peer], 0, tag, None)
            for receive in here.receives
        ]
        for send in here.sends:
            payload = _message({block: blocks[block] for block in send.blocks}, info)
            what = f"rank {send.peer} to take {payload.size} bytes"
            found.append(Message(SEND, what, self.members[send.peer], payload.size, tag, payload))
        return found

    def _round(self, here: Round, blocks: Blocks, op: Op | None, info: Info) -> Info:
        """Exchange the messages of a round; return what is then known of the collective's message."""
        posted = [
            self.world.post(each.kind, each.what, each.peer, each.size, each.tag, payload=each.payload)
            for each in self._messages(here, blocks, info)
        ]
        self.world.wait(posted)
        for receive, each in zip(here.receives, posted, strict=False):
            if each.payload is not None:
                content, told = each.payload.unpack()
                info = told if info.shape is None else info
                _merge(blocks, content, receive, op)
        return info


def _are_known(rounds: list[Round], blocks: Blocks) -> bool:
    """Return whether all blocks sent in `rounds` exist before the first round and do not change."""
    received = {block for here in rounds for receive in here.receives for block in receive.blocks}
    sent = {block for here in rounds for send in here.sends for block in send.blocks}
    return all(here.sends or here.receives for here in rounds) and sent <= blocks.keys() - received


def _message(content: Blocks, info: Info) -> Payload:
    """Return blocks as one message."""
    size = sum(block.size for block in content.values())
    return Payload(size, lambda: (content, info), size, 1, False)


def _merge(blocks: Blocks, content: Blocks, receive: Receive, op: Op | None) -> None:
    """Store received blocks, or combine them with the rank's blocks."""
    for block, new in content.items():
        if op is None or receive.merge is Merge.STORE:
            blocks[block] = new
        elif new.unpack is not NOTHING.unpack:
            own = blocks[block]
            left, right = (new, own) if receive.merge is Merge.BEFORE else (own, new)
            larger = left if left.size >= right.size else right
            blocks[block] = larger.of(op(left.unpack(), right.unpack()))
