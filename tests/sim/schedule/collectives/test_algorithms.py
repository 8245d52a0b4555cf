"""All algorithms run symbolically: a block is a tuple of the ranks whose contributions it holds, in combining order."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.schedule.collectives.registry import DEFAULTS, Algorithm, algorithms, find
from sim.schedule.collectives.rounds import Merge, Receive, Round, split

RANKS = [*range(1, 18), 31, 32]
State = dict[int, tuple[int, ...]]


def _cases(*collectives: str) -> list[Algorithm]:
    return [each for collective in collectives for each in algorithms()[collective].values()]


def _ids(case: object) -> str:
    return f"{case.collective}-{case.name}" if isinstance(case, Algorithm) else str(case)


def _roots(ranks: int) -> set[int]:
    return {0, ranks - 1, ranks // 3}


def move(
    algorithm: Algorithm, start: list[State], root: int, segments: int
) -> tuple[list[State], Counter[tuple[int, int]]]:
    """Run the rounds of all ranks to the end; return each rank's blocks, and messages by sender and receiver."""
    ranks = len(start)
    states = [dict(state) for state in start]
    programs: list[Iterator[Round]] = [algorithm.rounds(rank, ranks, root, segments) for rank in range(ranks)]
    current: list[Round | None] = [None] * ranks
    waiting: list[int] = [0] * ranks
    channels: dict[tuple[int, int], deque[State]] = {}
    sent: Counter[tuple[int, int]] = Counter()
    done = [False] * ranks
    progress = True
    while progress:
        progress = False
        for rank in range(ranks):
            if done[rank]:
                continue
            if current[rank] is None:
                here = next(programs[rank], None)
                progress = True
                if here is None:
                    done[rank] = True
                    continue
                current[rank] = here
                for send in here.sends:
                    assert send.peer != rank
                    sent[rank, send.peer] += 1
                    channels.setdefault((rank, send.peer), deque()).append(
                        {block: states[rank][block] for block in send.blocks}
                    )
            here = current[rank]
            assert here is not None
            while waiting[rank] < len(here.receives):
                receive = here.receives[waiting[rank]]
                channel = channels.get((receive.peer, rank))
                if not channel:
                    break
                progress = True
                content = channel.popleft()
                assert tuple(content) == receive.blocks, f"rank {rank} awaits {receive}, gets {content}"
                for block, value in content.items():
                    own = states[rank].get(block, ())
                    stored = {Merge.STORE: value, Merge.BEFORE: value + own, Merge.AFTER: own + value}
                    states[rank][block] = stored[receive.merge]
                waiting[rank] += 1
            if waiting[rank] == len(here.receives):
                current[rank], waiting[rank] = None, 0
    assert all(done), f"ranks that wait for ever: {[rank for rank in range(ranks) if not done[rank]]}"
    assert not any(channels.values())
    return states, sent


def _combined(algorithm: Algorithm, value: tuple[int, ...], ranks: int) -> bool:
    return (value if algorithm.in_order else tuple(sorted(value))) == tuple(range(ranks))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("allreduce"), ids=_ids)
def test_allreduce_combines_everything_everywhere(algorithm: Algorithm, ranks: int) -> None:
    parts = algorithm.segments(ranks, 100, 8)
    states, _ = move(algorithm, [dict.fromkeys(range(parts), (rank,)) for rank in range(ranks)], 0, parts)
    assert all(_combined(algorithm, state[block], ranks) for state in states for block in range(parts))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("reduce"), ids=_ids)
def test_reduce_combines_everything_at_the_root(algorithm: Algorithm, ranks: int) -> None:
    for root in _roots(ranks):
        states, sent = move(algorithm, [{0: (rank,)} for rank in range(ranks)], root, 1)
        assert _combined(algorithm, states[root][0], ranks)
        assert sent.total() == ranks - 1


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("bcast"), ids=_ids)
def test_bcast_reaches_everyone(algorithm: Algorithm, ranks: int) -> None:
    for root in _roots(ranks):
        parts = algorithm.segments(ranks, 5000, 8)
        content = {block: (block,) for block in range(parts)}
        states, _ = move(algorithm, [content if rank == root else {} for rank in range(ranks)], root, parts)
        assert all(state == content for state in states)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("scatter", "gather"), ids=_ids)
def test_scatter_and_gather_move_each_ranks_block(algorithm: Algorithm, ranks: int) -> None:
    for root in _roots(ranks):
        everything = {block: (block,) for block in range(ranks)}
        if algorithm.collective == "scatter":
            start: list[State] = [everything if rank == root else {} for rank in range(ranks)]
            states, _ = move(algorithm, start, root, 1)
            assert all(states[rank][rank] == (rank,) for rank in range(ranks))
        else:
            states, _ = move(algorithm, [{rank: (rank,)} for rank in range(ranks)], root, 1)
            assert states[root] == everything


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("allgather"), ids=_ids)
def test_allgather_brings_every_block_everywhere(algorithm: Algorithm, ranks: int) -> None:
    states, _ = move(algorithm, [{rank: (rank,)} for rank in range(ranks)], 0, 1)
    assert all(state == {block: (block,) for block in range(ranks)} for state in states)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("alltoall", "alltoallv"), ids=_ids)
def test_alltoall_brings_each_block_to_its_destination(algorithm: Algorithm, ranks: int) -> None:
    start: list[State] = [{rank * ranks + to: (rank, to) for to in range(ranks)} for rank in range(ranks)]
    states, _ = move(algorithm, start, 0, 1)
    for rank, state in enumerate(states):
        assert all(state[source * ranks + rank] == (source, rank) for source in range(ranks))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("reduce_scatter"), ids=_ids)
def test_reduce_scatter_combines_each_block_at_its_rank(algorithm: Algorithm, ranks: int) -> None:
    states, _ = move(algorithm, [dict.fromkeys(range(ranks), (rank,)) for rank in range(ranks)], 0, 1)
    assert all(_combined(algorithm, states[rank][rank], ranks) for rank in range(ranks))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("scan"), ids=_ids)
def test_scan_combines_what_lower_ranks_gave(algorithm: Algorithm, ranks: int) -> None:
    states, _ = move(algorithm, [{0: (rank,)} for rank in range(ranks)], 0, 1)
    assert [state[0] for state in states] == [tuple(range(rank + 1)) for rank in range(ranks)]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases("barrier"), ids=_ids)
def test_no_rank_leaves_a_barrier_before_all_have_come(algorithm: Algorithm, ranks: int) -> None:
    # One rank never enters: then no rank may leave.
    for absent in range(ranks if ranks > 1 else 0):

        def rounds(rank: int, ranks: int, root: int, segments: int, absent: int = absent) -> Iterator[Round]:
            if rank == absent:
                yield Round(receives=(Receive(rank, ()),))  # from itself, which sends nothing
            yield from algorithm.rounds(rank, ranks, root, segments)

        stuck = Algorithm(algorithm.collective, algorithm.name, rounds, algorithm.segments, True)
        with pytest.raises(AssertionError) as caught:
            move(stuck, [{} for _ in range(ranks)], 0, 0)
        assert caught.value.args[0].startswith(f"ranks that wait for ever: {list(range(ranks))}")


def _log(ranks: int) -> int:
    return (ranks - 1).bit_length()


def _folded(ranks: int, each: int) -> int:
    """Messages of an algorithm whose core has `each` per rank and round, with two messages for each rank outside."""
    core = 1 << (ranks.bit_length() - 1)
    return each * core * (core.bit_length() - 1) + 2 * (ranks - core)


CLOSED_FORMS = {
    ("allgather", "bruck"): lambda n: n * _log(n),
    ("allgather", "recursive_doubling"): lambda n: _folded(n, 1),
    ("allgather", "ring"): lambda n: n * (n - 1),
    ("allreduce", "rabenseifner"): lambda n: _folded(n, 2),
    ("allreduce", "recursive_doubling"): lambda n: _folded(n, 1),
    ("allreduce", "ring"): lambda n: 2 * n * (n - 1),
    ("alltoall", "bruck"): lambda n: n * _log(n),
    ("alltoall", "pairwise"): lambda n: n * (n - 1),
    ("alltoall", "ring"): lambda n: n * (n - 1),
    ("alltoall", "simple_spread"): lambda n: n * (n - 1),
    ("alltoallv", "pairwise"): lambda n: n * (n - 1),
    ("alltoallv", "ring"): lambda n: n * (n - 1),
    ("alltoallv", "simple_spread"): lambda n: n * (n - 1),
    ("barrier", "dissemination"): lambda n: n * _log(n),
    ("barrier", "linear"): lambda n: 2 * (n - 1),
    ("barrier", "recursive_doubling"): lambda n: _folded(n, 1),
    ("bcast", "binomial"): lambda n: n - 1,
    ("bcast", "chain"): lambda n: 5 * (n - 1),
    ("bcast", "scatter_allgather"): lambda n: (n - 1) + n * (n - 1),
    ("gather", "binomial"): lambda n: n - 1,
    ("gather", "linear"): lambda n: n - 1,
    ("reduce", "binomial"): lambda n: n - 1,
    ("reduce", "linear"): lambda n: n - 1,
    ("reduce_scatter", "pairwise"): lambda n: n * (n - 1),
    ("reduce_scatter", "recursive_halving"): lambda n: _folded(n, 1),
    ("scan", "linear"): lambda n: n - 1,
    ("scan", "recursive_doubling"): lambda n: sum(n - (1 << k) for k in range(_log(n))),
    ("scatter", "binomial"): lambda n: n - 1,
    ("scatter", "linear"): lambda n: n - 1,
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("algorithm", _cases(*sorted(algorithms())), ids=_ids)
def test_messages_equal_the_closed_form(algorithm: Algorithm, ranks: int) -> None:
    parts = 5 if algorithm.name == "chain" else algorithm.segments(ranks, 100, 8)
    messages = sum(
        len(each.sends) for rank in range(ranks) for each in algorithm.rounds(rank, ranks, ranks // 2, parts)
    )
    assert messages == CLOSED_FORMS[algorithm.collective, algorithm.name](ranks)


def _blocks_sent(algorithm: Algorithm, ranks: int, root: int, segments: int) -> int:
    return sum(
        len(send.blocks)
        for rank in range(ranks)
        for each in algorithm.rounds(rank, ranks, root, segments)
        for send in each.sends
    )


@pytest.mark.parametrize("ranks", RANKS)
def test_blocks_moved_equal_the_closed_form(ranks: int) -> None:
    direct = ranks * (ranks - 1)
    for name in ("pairwise", "ring", "simple_spread"):
        assert _blocks_sent(find("alltoall", name), ranks, 0, 1) == direct
    assert _blocks_sent(find("alltoall", "bruck"), ranks, 0, 1) == ranks * sum(i.bit_count() for i in range(ranks))
    for name in ("ring", "bruck"):
        assert _blocks_sent(find("allgather", name), ranks, 0, 1) == direct
    assert _blocks_sent(find("allreduce", "ring"), ranks, 0, ranks) == 2 * direct
    core = 1 << (ranks.bit_length() - 1)
    assert _blocks_sent(find("allreduce", "rabenseifner"), ranks, 0, core) == 2 * core * (ranks - 1)
    assert _blocks_sent(find("reduce_scatter", "pairwise"), ranks, 0, 1) == direct
    assert _blocks_sent(find("bcast", "chain"), ranks, 0, 7) == 7 * (ranks - 1)
    for collective in ("gather", "scatter"):
        assert _blocks_sent(find(collective, "linear"), ranks, ranks - 1, 1) == ranks - 1
        # A block at relative rank r moves once for each bit of r that is 1.
        assert _blocks_sent(find(collective, "binomial"), ranks, ranks - 1, 1) == sum(
            i.bit_count() for i in range(ranks)
        )


@pytest.mark.parametrize(("count", "parts"), [(0, 3), (1, 4), (10, 3), (64, 64), (7, 1)])
def test_split_loses_nothing(count: int, parts: int) -> None:
    sizes = split(count, parts)
    assert len(sizes) == parts
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1


def test_unknown_names_are_refused() -> None:
    with pytest.raises(
        TsujiError, match=r"collectives\.allreduce = 'tree': must be one of rabenseifner, recursive_dou"
    ):
        find("allreduce", "tree")
    with pytest.raises(TsujiError, match=r"collectives\.shout: no collective; there are allgather, allreduce"):
        find("shout")


def test_every_collective_has_its_default() -> None:
    for collective, known in algorithms().items():
        assert find(collective) in known.values()


def test_every_algorithm_is_documented_the_default_first() -> None:
    text = (Path(__file__).resolve().parents[4] / "docs" / "how_to" / "workloads.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([a-z_, ]+) \| ([a-z_, ()0-9KiB]+) \|$", text, re.MULTILINE))
    listed = {name.strip(): named for names, named in rows.items() for name in names.split(",")}
    for collective, known in algorithms().items():
        names = list(re.findall(r"[a-z_]+", re.sub(r"\([^)]*\)", "", listed[collective])))
        assert sorted(names) == sorted(known), collective
        assert names[0] == DEFAULTS[collective]
