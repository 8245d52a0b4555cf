"""Replacement policies of the route cache: LRU, tree pseudo-LRU, FIFO (microarchitecture.md, section 6).

Pure functions of a set's state: the victim, and the state after a use of a way. Ways are one-hot; the state after a
flush is 0. Their model is part of `models/route/route_cache.py`.
"""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value

from hdl.lib.logic import one_hot, select_hot, successor


class Lru:
    """True least recently used: one age per way, 0 = most recent, stored XOR the way's number."""

    def __init__(self, ways: int) -> None:
        self._ways = ways
        self._age_bits = ways.bit_length() - 1

    def _ages(self, state: Value) -> list[Value]:
        bits = self._age_bits
        return [state[way * bits : (way + 1) * bits] ^ C(way, bits) for way in range(self._ways)]

    def victim(self, state: Value) -> Value:
        """Return the oldest way, one-hot."""
        return Cat(age.all() for age in self._ages(state))

    def touched(self, m: Module, state: Value, way: Value, evicts: Value) -> Value:
        """Return the state after a use of `way`: its age is 0, younger ages grow by one."""
        used_age = Signal(self._age_bits)
        ages = self._ages(state)
        m.d.comb += used_age.eq(select_hot(list(way), ages))
        new = []
        for number, age in enumerate(ages):
            older = Mux(age < used_age, successor(age, self._ways), age)
            new.append(Mux(way[number], 0, older)[: self._age_bits] ^ C(number, self._age_bits))
        return Cat(new)


class Plru:
    """Tree pseudo-LRU: node n (root 1, children 2n and 2n + 1) is bit n − 1; 1 = the victim is in the upper half."""

    def __init__(self, ways: int) -> None:
        self._ways = ways

    def victim(self, state: Value) -> Value:
        """Return the way, one-hot, to which the nodes on its path point."""
        chosen = {1: C(1)}
        for node in range(1, self._ways):
            chosen[2 * node] = chosen[node] & ~state[node - 1]
            chosen[2 * node + 1] = chosen[node] & state[node - 1]
        return Cat(chosen[self._ways + way] for way in range(self._ways))

    def touched(self, m: Module, state: Value, way: Value, evicts: Value) -> Value:
        """Return the state after a use of `way`: every node on its path points away from it."""
        new = []
        for node in range(1, self._ways):
            size = self._ways >> (node.bit_length() - 1)
            begin = node * size - self._ways
            lower = way[begin : begin + size // 2].any()
            upper = way[begin + size // 2 : begin + size].any()
            new.append(lower | (state[node - 1] & ~upper))
        return Cat(new)


class Fifo:
    """First in, first out: number of the next victim, advanced by fills that evict it."""

    def __init__(self, ways: int) -> None:
        self._ways = ways

    def victim(self, state: Value) -> Value:
        """Return the next victim, one-hot."""
        return one_hot(state, self._ways)

    def touched(self, m: Module, state: Value, way: Value, evicts: Value) -> Value:
        """Return the state after a use: if `evicts`, the next way is the victim."""
        return Mux(evicts, successor(state, self._ways), state)


class Direct:
    """Direct mapped: the only way is the victim, and there is no state."""

    def __init__(self, ways: int) -> None:
        pass

    def victim(self, state: Value) -> Value:
        """Return the only way."""
        return C(1, 1)

    def touched(self, m: Module, state: Value, way: Value, evicts: Value) -> Value:
        """Return no state."""
        return C(0, 0)


POLICIES: dict[str, type[Lru] | type[Plru] | type[Fifo]] = {"lru": Lru, "plru": Plru, "fifo": Fifo}


def policy(kind: str, ways: int) -> Lru | Plru | Fifo | Direct:
    """Return the policy for a set of `ways` ways; `kind` is one of the values of `CacheParams.policy`."""
    if kind not in POLICIES:
        raise ValueError(f"policy = {kind!r}: must be one of {', '.join(map(repr, POLICIES))}")
    return POLICIES[kind](ways) if ways > 1 else Direct(ways)
