"""What the computations of routes have in common: their ports, the way to a node of the switch, a route in one piece.

Plumbing: which way a packet takes is each computation's own, and so is its bench.
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
    """Route of a tag at a switch that knows its position.

    Parameters
    ----------
    params : SwitchParams
        With the `routing` that the class computes.

    Ports
    -----
    tag : In(address_bits)
        With `ties` = "random" a bit for each even dimension; coordinates, dimension 0 lowest; the local port's number.
    position : In
        The switch's coordinates, laid out as in the tag, without ties; not at a crossbar.
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
            members["position"] = In(sum(params.coordinate_bits))
        super().__init__(members)

    def _node(self) -> tuple[ValueLike, list[Value]]:
        """Return the port of the tag's node, and what of its number is out of range."""
        params = self._params
        local = self.tag[params.tie_bits + sum(params.coordinate_bits) :]
        invalid = [local >= params.local_ports] if params.local_ports < 1 << params.local_bits else []
        return params.first_local + (local * params.node_ports if params.local_bits else 0), invalid

    def _packed(self, fields: Mapping[str, Value]) -> Value:
        """Return a route of these fields.

        For one assignment, constants and all: bits that never change would be processes that never run.
        """
        layout = route_or_drop(self._params)
        return Cat(Cat(fields[field.name], C(0, field.width))[: field.width] for field in layout)
