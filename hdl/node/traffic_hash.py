"""Traffic drawn by a counter-based hash: whether a node creates a packet in a cycle, and to which node.

Rounds of the block cipher SIMON48 on (node, cycle), with the seed as key (board_nodes.md). A bit of a round takes one
LUT4, as the round constants are known.
"""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.barrier import barrier
from models.params import index_width

SEED_BITS, CYCLE_BITS, NODE_BITS = 32, 32, 16
THRESHOLD_BITS = 25
LATENCY = 4
"""Cycles from `cycle` to the draw of that cycle."""

_WORD, _CONSTANT = 24, 0x9E3779
_STAGES = (range(5), range(5, 10), range(10, 14))  # rounds between two registers
_SEEDED = 7  # this round and the next add the seed


class TrafficHash(wiring.Component):
    """Draws, for one node and one cycle in each clock cycle.

    Reset changes nothing: what is to be drawn for the first cycles without reset is drawn ahead, in reset.

    Parameters
    ----------
    nodes : int
        Nodes of the network.

    Ports
    -----
    seed, node, threshold : In
        Constant while draws are under way. A packet is created with the probability `threshold` / 2^24.
    draw, cycle : In(1), In(32)
        Draw for this cycle.
    packet : Out(1)
        Register: the node creates a packet in the cycle that was given `LATENCY` cycles before.
    destination : Out
        Register: node to which it goes; undefined while `packet` is 0.
    """

    def __init__(self, nodes: int) -> None:
        if not 2 <= nodes <= 1 << NODE_BITS:
            raise ValueError(f"nodes = {nodes}: must be 2 to {1 << NODE_BITS}")
        self._nodes = nodes
        bits = index_width(nodes)
        super().__init__(
            {
                "seed": In(SEED_BITS),
                "node": In(bits),
                "threshold": In(THRESHOLD_BITS),
                "draw": In(1),
                "cycle": In(CYCLE_BITS),
                "packet": Out(1),
                "destination": Out(bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the rounds, in three stages, and the decisions."""
        m = Module()
        low, high = self.seed[:_WORD], self.seed[SEED_BITS - _WORD :]
        node = Cat(self.node, C(0, NODE_BITS - len(self.node)))
        x: Value = Cat(self.cycle[_WORD:], node) ^ low
        y: Value = self.cycle[:_WORD] ^ high
        drawing: Value = self.draw
        for stage, rounds in enumerate(_STAGES):
            for r in rounds:
                key = C((r + 1) * _CONSTANT & (1 << _WORD) - 1, _WORD)
                seeded = {_SEEDED: low, _SEEDED + 1: high}.get(r, C(0, _WORD))
                mixed = y ^ (x.rotate_left(1) & x.rotate_left(8)) ^ x.rotate_left(2) ^ key ^ seeded
                x, y = barrier(m, f"round_{r}", mixed), x
            kept_x = Signal(_WORD, name=f"x_{stage}", reset_less=True)
            kept_y = Signal(_WORD, name=f"y_{stage}", reset_less=True)
            was_drawing = Signal(name=f"drawing_{stage}", reset_less=True)
            m.d.sync += [kept_x.eq(x), kept_y.eq(y), was_drawing.eq(drawing)]
            x, y, drawing = kept_x, kept_y, was_drawing
        drawn = _times(y[_WORD - NODE_BITS :], self._nodes - 1)[NODE_BITS : NODE_BITS + len(self.node)]
        packet = Signal(reset_less=True)
        destination = Signal.like(self.destination, reset_less=True)
        m.d.sync += [packet.eq(drawing & (x < self.threshold)), destination.eq(drawn + (drawn >= self.node))]
        m.d.comb += [self.packet.eq(packet), self.destination.eq(destination)]
        return m


def _times(value: Value, factor: int) -> Value:
    """Return `value` times a constant of at least 1, by additions: few, and none of the board's multipliers.

    The digits of the factor are 1, 0 and −1, no two neighbours other than 0.
    """
    product: Value = C(0, 1)
    shift = 0
    while factor:
        if factor & 1:
            plus = factor & 3 == 1
            product = product + (value << shift) if plus else product - (value << shift)
            factor += -1 if plus else 1
        factor >>= 1
        shift += 1
    return product.as_unsigned()
