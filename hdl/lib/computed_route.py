"""Interface of the components that compute a route from coordinates (microarchitecture.md, section 5).

Ports, the local port of a node, and packing of a route. The benches of the routing algorithms cover it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from amaranth.hdl import C, Cat, Value, ValueLike
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.formats import route_or_drop
from models.params import SwitchParams


class ComputedRoute(wiring.Component):
    """Computes the route of a tag at a switch that knows its own position.

    Parameters
    ----------
    params : SwitchParams
        With the `routing` that the subclass computes.

    Ports
    -----
    tag : In(address_bits)
        From bit 0: with `ties` = "random" one bit for each even dimension; coordinates, dimension 0 first; local
        number.
    position : In
        Coordinates of the switch, the first in the lowest bits; absent at a crossbar.
    route : Out(route_or_drop)
        In the same cycle. `drop`: a coordinate or the local number is out of range.
    """

    routing: ClassVar[str]

    def __init__(self, params: SwitchParams) -> None:
        if params.routing != self.routing:
            raise ValueError(f'routing = {params.routing!r}: {type(self).__name__} needs "{self.routing}"')
        self._params = params
        members = {"tag": In(params.address_bits), "route": Out(formats.route_or_drop(params))}
        if params.crossbar is None:
            members["position"] = In(sum(params.position_bits))
        super().__init__(members)

    def _node(self) -> tuple[ValueLike, list[Value]]:
        """Return the local port of the tag's node, and the conditions under which its local number is out of range."""
        params = self._params
        local = self.tag[params.tie_bits + sum(params.coordinate_bits) :]
        invalid = [local >= params.local_ports] if params.local_ports < 1 << params.local_bits else []
        return params.first_local + (local * params.node_ports if params.local_bits else 0), invalid

    def _packed(self, fields: Mapping[str, Value]) -> Value:
        """Return a route with these fields, packed.

        Packed for a single assignment: an assignment per field would give processes that never run where bits are
        constant.
        """
        layout = route_or_drop(self._params)
        return Cat(Cat(fields[field.name], C(0, field.width))[: field.width] for field in layout)
