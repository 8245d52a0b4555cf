"""Minimal routing on a dragonfly: local, global, local (Kim et al., ISCA 2008; docs/explanation/computed_routes.md)."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import ClassVar

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value

from hdl.lib.computed_route import ComputedRoute


class Dragonfly(ComputedRoute):
    """Computes the route of a tag: inside the group, or to the switch with the cable to the destination's group.

    Ports as in `ComputedRoute`.
    """

    routing: ClassVar[str] = "dragonfly"

    def elaborate(self, platform: object) -> Module:
        """Build the number of the global port, the switch that has it, and the port to there."""
        m = Module()
        params = self._params
        node, invalid = self._node()
        (switches, groups), (low, bits) = params.radix, params.coordinate_bits
        target, target_group = self.tag[:low], self.tag[low : low + bits]
        here, group = self.position[:low], self.position[low:]
        invalid += [target >= switches] if switches < 1 << low else []
        invalid += [target_group >= groups] if groups < 1 << bits else []

        inside, at_end = Signal(), Signal()
        m.d.comb += inside.eq(target_group == group)
        number = Signal(bits)
        m.d.comb += number.eq(self._global_port(m, group, target_group))
        # Whose cable it is: a division by the constant number of cables of a switch, as comparisons side by side.
        cables = params.global_ports
        from_switch = [C(1, 1), *(number >= x * cables for x in range(1, switches)), C(0, 1)]
        owners = Cat(from_switch[x] & ~from_switch[x + 1] for x in range(switches))
        owner, first_number = (
            reduce(or_, (Mux(owners[x], C(x * step, width), 0) for x in range(switches)))
            for step, width in ((1, low), (cables, bits))
        )
        there = Signal(low)
        m.d.comb += there.eq(Mux(inside, target, owner))
        m.d.comb += at_end.eq(there == here)
        leaves = Mux(inside, node, switches - 1 + (number - first_number)[:bits])
        half = params.vcs // 2
        fields = {
            "out": Mux(at_end, leaves, there - (there > here)),
            "vc_first": Mux(~at_end & inside, C(half, params.vc_bits), 0),
            "vc_last": Mux(~at_end & ~inside, C(half - 1, params.vc_bits), params.vcs - 1),
            "choices": C(0, 1),
            "drop": Cat(invalid).any() if invalid else C(0, 1),
        }
        m.d.comb += self.route.as_value().eq(self._packed(fields))
        return m

    def _global_port(self, m: Module, group: Value, target: Value) -> Value:
        """Return the number of the group's global port that leads to group `target`, another one."""
        arrangement, groups = self._params.arrangement, self._params.radix[1]
        if arrangement == "absolute":
            return target - (target > group)
        distance = Signal(len(target))  # groups onward, 1 to groups - 1
        m.d.comb += distance.eq(target - group + Mux(target > group, 0, groups))
        if arrangement == "relative":
            return distance - 1
        back = Signal(len(target))
        m.d.comb += back.eq(groups - distance)
        if arrangement == "palmtree":
            return back - 1
        return Mux(distance <= back, 2 * distance - 2, 2 * back - 1)
