"""Directed sequences for the route cache: the cycle of each lookup, fill, flush and reset."""

from __future__ import annotations

from collections.abc import Iterator

from cocotb_tests.bfm.lockstep import Values


class Script:
    """Inputs by cycle, from 0."""

    def __init__(self) -> None:
        self._inputs: dict[int, Values] = {}

    def look(self, cycle: int, tag: int) -> Script:
        """Look a tag up."""
        return self._at(cycle, {"lookup_valid": 1, "lookup_tag": tag})

    def fill(self, cycle: int, tag: int, route: int) -> Script:
        """Enter a route."""
        return self._at(cycle, {"fill_valid": 1, "fill_tag": tag, "fill_route": route})

    def flush(self, cycle: int) -> Script:
        """Flush."""
        return self._at(cycle, {"flush": 1})

    def reset(self, cycle: int) -> Script:
        """Reset."""
        return self._at(cycle, {"rst": 1})

    def _at(self, cycle: int, inputs: Values) -> Script:
        self._inputs.setdefault(cycle, {}).update(inputs)
        return self

    def __iter__(self) -> Iterator[Values]:
        return (self._inputs.get(cycle, {}) for cycle in range(max(self._inputs) + 1))


def sequences(near: list[int], far: list[int], ways: int, sets: int, routes: list[int]) -> Iterator[Script]:
    """Yield the sequences; each leaves the cache in the state in which the next one finds it.

    Parameters
    ----------
    near : list of int
        Tags of one set, more than it has ways.
    far : list of int
        Tags of other sets, if there are any.
    ways, sets : int
        Geometry of the cache.
    routes : list of int
        Routes to insert.
    """
    yield Script().flush(0).look(sets + 1, near[0])
    # Single entries: a lookup in the cycle of the fill misses, one in the next cycle hits.
    for number, tag in enumerate(near):
        route = routes[number % len(routes)]
        yield Script().fill(0, tag, route).look(0, tag).look(1, tag).look(2, near[0])
    # A hit in the cycle in which a fill is written: in the same set, in another set.
    for other in near[ways:] + far[:2]:
        yield Script().look(0, near[1 % len(near)]).fill(1, other, routes[0]).look(1, near[ways - 1]).look(2, other)
    yield _look_at(near + far)
    # A fill in every cycle, and a hit of the entry being replaced.
    script = Script()
    for cycle, tag in enumerate(near + far + near):
        script.fill(cycle, tag, routes[cycle % len(routes)]).look(cycle + 1, tag)
    yield script
    yield from _flushes(near, far, sets, routes)


def _flushes(near: list[int], far: list[int], sets: int, routes: list[int]) -> Iterator[Script]:
    tag, other, route = near[0], (far or near)[-1], routes[0]
    enter = Script().fill(0, tag, route).fill(1, other, routes[-1])
    everything = near + far
    # A flush at each distance from a fill and a lookup.
    for after in range(4):
        yield enter
        yield Script().fill(2, near[-1], route).look(2, tag).look(3, other).flush(2 + after).look(7, tag)
        yield _look_at(everything, sets + 1)
    # Fills and lookups at each distance from the end of a flush.
    for cycle in sorted({1, 2, sets - 1, sets, sets + 1, sets + 2} - {0}):
        yield enter
        yield Script().flush(0).fill(cycle, tag, route).look(cycle, tag).look(cycle + 1, tag)
        yield _look_at(everything, sets + 1)
        yield enter
        yield Script().flush(0).look(cycle, tag).look(cycle + 1, other)
    # Flush again: in its first cycle, in its middle, in its last, just after; twice.
    for again in sorted({1, 2, sets // 2, sets - 1, sets, sets + 1} - {0}):
        yield enter
        yield Script().flush(0).flush(again).fill(again, tag, route).look(again + sets, tag).look(again + sets + 1, tag)
        yield enter
        script = Script().flush(0).flush(again).flush(2 * again).fill(2 * again + sets, tag, route)
        yield script.look(2 * again + sets + 1, tag)
        yield _look_at(everything)
    # Reset in the first and the last cycle of a flush, and with a lookup and a fill in flight.
    for cycle in (1, sets):
        yield enter
        yield Script().flush(0).reset(cycle).look(cycle, tag).fill(cycle, tag, route).look(cycle + 1, tag)
        yield _look_at(everything, sets - 1)


def told_apart(tag: int, other: int, route: int) -> Script:
    """Return the sequence in which one of two tags is inserted, and the other one is looked up before it."""
    return Script().fill(0, tag, route).look(1, other).look(2, tag).look(3, other)


def _look_at(tags: list[int], begin: int = 0) -> Script:
    script = Script()
    for cycle, tag in enumerate(tags):
        script.look(begin + cycle, tag)
    return script
