"""Round-robin and matrix arbiters (Dally and Towles, chapter 18; microarchitecture.md, section 8)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.barrier import barrier
from hdl.lib.logic import balanced_or, encode
from models.params import index_width

# Implementations of round robin by number of requesters. Up to `_TABLE`: a truth table of requests and last winner (at
# most 6 inputs). Up to `_PAIRWISE`: one order bit per pair, the shortest path from requests to grant. Above: a mask,
# the smallest.
_TABLE = 4
_PAIRWISE = 8


def _prefix_or(bits: list[Value]) -> list[Value]:
    """Return, for each k, bits[0] | ... | bits[k], as a prefix network of logarithmic depth."""
    step = 1
    while step < len(bits):
        bits = [bit | bits[k - step] if k >= step else bit for k, bit in enumerate(bits)]
        step *= 2
    return bits


class _Arbiter(wiring.Component):
    """Interface of all arbiters.

    Parameters
    ----------
    count : int
        Number of requesters.
    prefer : bool
        Whether the arbiter has the port `preferred`.

    Ports
    -----
    requests : In(count)
    advance : In(1)
        The grant of this cycle is used: the priority order changes at the end of the cycle. Ignored without a grant.
    preferred : In(count)
        At most one bit is 1: this requester goes before all others in this cycle, whatever the order.
    grant : Out(count)
        One-hot, in the same cycle; 0 without a request.
    winner : Out
        Number of the granted requester, in the same cycle; undefined without a request.
    """

    def __init__(self, count: int, prefer: bool = False) -> None:
        if count < 1:
            raise ValueError(f"count = {count}: an arbiter needs at least 1 requester")
        self._count = count
        self._prefer = prefer
        members = {"requests": In(count), "advance": In(1), "grant": Out(count), "winner": Out(index_width(count))}
        super().__init__(members | ({"preferred": In(count)} if prefer else {}))

    def _grant_by_pairs(self, m: Module, beats: list[list[Value]]) -> None:
        """Grant each request i that has no requesting rival j with beats[j][i] = 1 (j goes before i)."""
        if self._prefer:
            first = self.preferred
            beats = [[first[j] | (beat & ~first[i]) for i, beat in enumerate(row)] for j, row in enumerate(beats)]
        for i in range(self._count):
            rivals = [self.requests[j] & beats[j][i] for j in range(self._count) if j != i]
            beaten = balanced_or(rivals) if rivals else C(0)
            m.d.comb += self.grant[i].eq(self.requests[i] & ~beaten)
        m.d.comb += self.winner.eq(encode(list(self.grant), len(self.winner)))


class RoundRobinArbiter(_Arbiter):
    """Round robin: the search starts behind the requester granted last; after reset, at requester 0."""

    __doc__ = f"{__doc__}{str(_Arbiter.__doc__).partition(chr(10))[2]}"

    def elaborate(self, platform: object) -> Module:
        """Build the implementation for this number of requesters."""
        m = Module()
        if 1 < self._count <= _TABLE and not self._prefer:
            self._elaborate_table(m)
        elif self._count <= _PAIRWISE:
            self._elaborate_pairs(m)
        else:
            self._elaborate_mask(m)
        return m

    def _elaborate_table(self, m: Module) -> None:
        count = self._count
        last = Signal(len(self.winner), init=count - 1)
        with m.If(self.advance & self.requests.any()):
            m.d.sync += last.eq(self.winner)
        # Per requester: it wins if it requests, as none of those from the last winner to it does. Together with the
        # requests and what follows the grants this table would become several wide and slow ones; the barrier keeps it.
        wins = Signal(count)
        with m.Switch(last):
            for k in range(count):
                with m.Case(k):
                    for step in range(1, count + 1):
                        earlier = Cat(self.requests[(k + other) % count] for other in range(1, step))
                        m.d.comb += wins[(k + step) % count].eq(~earlier.any())
        m.d.comb += self.grant.eq(self.requests & barrier(m, "wins", wins))
        m.d.comb += self.winner.eq(encode(list(self.grant), len(self.winner)))

    def _elaborate_pairs(self, m: Module) -> None:
        count = self._count
        taken = Signal()
        m.d.comb += taken.eq(self.advance & self.requests.any())
        beats = [[C(0)] * count for _ in range(count)]
        for j in range(count):
            for i in range(j + 1, count):
                # j goes before i unless the last grant was to one of requesters j ... i-1.
                before = Signal(init=1, name=f"before_{j}_{i}")
                with m.If(taken):
                    m.d.sync += before.eq(~self.grant[j:i].any())
                beats[j][i], beats[i][j] = before, ~before
        self._grant_by_pairs(m, beats)

    def _elaborate_mask(self, m: Module) -> None:
        count = self._count
        # Bit k: requester k is above the one granted last, so it goes before that one and those below.
        above = Signal(count, init=0)
        masked = Signal(count)
        seen_masked = Signal(count)
        seen_all = Signal(count)
        m.d.comb += masked.eq(self.requests & above)
        m.d.comb += seen_masked.eq(Cat(_prefix_or(list(masked))))
        m.d.comb += seen_all.eq(Cat(_prefix_or(list(self.requests))))
        first_masked = masked & ~(seen_masked << 1)[:count]
        first_of_all = self.requests & ~(seen_all << 1)[:count]
        grant = first_masked | (first_of_all & ~seen_masked[-1].replicate(count))
        if self._prefer:
            chosen = self.requests & self.preferred
            grant = Mux(chosen.any(), chosen, grant)
        m.d.comb += self.grant.eq(grant)
        m.d.comb += self.winner.eq(encode(list(self.grant), len(self.winner)))
        with m.If(self.advance & seen_all[-1]):
            m.d.sync += above.eq(Cat(C(0), _prefix_or(list(self.grant)))[:count])


class MatrixArbiter(_Arbiter):
    """Matrix arbiter: the requester granted least recently goes first; after reset, the lower number."""

    __doc__ = f"{__doc__}{str(_Arbiter.__doc__).partition(chr(10))[2]}"

    def elaborate(self, platform: object) -> Module:
        """Build one order bit per pair of requesters."""
        m = Module()
        count = self._count
        beats = [[C(0)] * count for _ in range(count)]
        for j in range(count):
            for i in range(j + 1, count):
                before = Signal(init=1, name=f"before_{j}_{i}")
                with m.If(self.advance & self.grant[j]):
                    m.d.sync += before.eq(0)
                with m.Elif(self.advance & self.grant[i]):
                    m.d.sync += before.eq(1)
                beats[j][i], beats[i][j] = before, ~before
        self._grant_by_pairs(m, beats)
        return m


ARBITERS = {"round_robin": RoundRobinArbiter, "matrix": MatrixArbiter}


def arbiter(kind: str, count: int, prefer: bool = False) -> RoundRobinArbiter | MatrixArbiter:
    """Return a new arbiter of the given kind, one of the values of `SwitchParams.arbiter`."""
    if kind not in ARBITERS:
        raise ValueError(f"arbiter = {kind!r}: must be one of {', '.join(map(repr, ARBITERS))}")
    return ARBITERS[kind](count, prefer)
