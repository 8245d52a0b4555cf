"""Properties of the plane selector: the path leads to the destination, and no plane has a shorter one."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import C, Mux, Signal, Value

from hdl.node.plane_selector import PlaneSelector
from models.params.planes import PlaneParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _shortest(proof: Proof, params: PlaneParams) -> None:
    m, count = proof.m, len(params.planes)
    inside = proof.inside(PlaneSelector(params))
    selector = inside.ports
    difference = selector.source ^ selector.destination
    proof.claim(selector.plane < count)
    proof.claim(selector.distance == _weight(selector.route))
    for plane in range(count):
        with m.If(selector.plane == plane):
            proof.claim(_leads_to(params, plane, selector.route) == difference)
            proof.claim(selector.route >> len(params.generators(plane)) == 0)

    # Any set of generators of any plane whose XOR is the difference is a path.
    rival = Signal(params.route_bits)
    m.d.comb += rival.eq(AnySeq(params.route_bits))
    plane = proof.any_constant("plane", count)
    if params.tie == "alternate":
        proof.invariant(inside.register("start") < count)
    for each in range(count):
        is_way = (_leads_to(params, each, rival) == difference) & (rival >> len(params.generators(each)) == 0)
        with m.If(is_way & (plane == each)):
            proof.claim(selector.distance <= _weight(rival))
            if params.tie == "lowest":
                proof.claim((_weight(rival) > selector.distance) | (selector.plane <= each))


def _leads_to(params: PlaneParams, plane: int, route: Value) -> Value:
    """Return the XOR of those generators of a plane that are in `route`."""
    total: Value = C(0, params.bits)
    for k, generator in enumerate(params.generators(plane)):
        total ^= Mux(route[k], C(generator, params.bits), 0)
    return total


def _weight(route: Value) -> Value:
    total: Value = C(0, 1)
    for bit in route:
        total = total + bit
    return total


_FILE = "hdl/node/plane_selector.py"
_CLAIM = (
    "the path leads to the destination in the plane selected, its weight is the distance, and no set of generators of "
    "any plane that leads there is lighter{} ({})"
)

PROPERTIES = [
    Property(
        "plane_selector: shortest way, 2 planes of 6 bits",
        _CLAIM.format("; among equal planes, the first", "2 planes of 6 bits, lowest"),
        partial(_shortest, params=PlaneParams(bits=6, planes=((), (22, 44, 41, 15, 30, 45)))),
        Fault(_FILE, "if parts >> k & 1", "if inverse[k] >> bit & 1"),
        mutant_depth=1,
        fast=False,
    ),
    Property(
        "plane_selector: shortest way, 3 planes, 2 of them folded",
        _CLAIM.format("", "3 planes of 4 bits, 2 of them folded, alternate"),
        partial(
            _shortest,
            params=PlaneParams(bits=4, planes=((1, 2, 4, 8, 15), (3, 5, 9, 14, 1), (8, 12, 14, 15)), tie="alternate"),
        ),
        Fault(_FILE, "folded_weight < direct_weight", "folded_weight > direct_weight"),
        mutant_depth=1,
    ),
]
