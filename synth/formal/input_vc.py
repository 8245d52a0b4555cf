"""What the registers and memories of an input VC say when routes are computed, and how they hang together."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import C, Cat, Mux, Value, ValueLike

from hdl import formats
from hdl.allocate.vc_allocator import routes_allow_all
from models.params import SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof


@dataclass(frozen=True)
class InputVc:
    """What the registers and memories of an input VC with a buffer of 2 flits say.

    Parameters
    ----------
    flits : Value
        Number in the buffer.
    tails, data : list of Value
        Of those flits, the first to leave first.
    inside : Value
        Another flit of the newest packet will come.
    routes : Value
        Number in the route queue.
    wants : list of Value
        Those routes: one bit an output port, then, if routes restrict them, the first and the last VC.
    active, out_vc : Value
        The first packet has begun to leave, on that VC.
    """

    flits: Value
    tails: list[Value]
    data: list[Value]
    inside: Value
    routes: Value
    wants: list[Value]
    active: Value
    out_vc: Value

    def owns(self, output: int, vc: ValueLike) -> Value:
        """Return whether it owns that VC of an output port."""
        return self.active & self.wants[0][output] & (self.out_vc == vc)


def input_vc(proof: Proof, inside: Inside, params: SwitchParams, port: int, vc: int) -> InputVc:
    """Read an input VC, and state how its parts hang together."""
    m, unit = proof.m, f"input_unit_{port}"
    queue = f"{unit}.route_unit.route_queue"
    read, write = (inside.register(f"{name}_pointer_{vc}", f"{unit}.vc_buffer") for name in ("read", "write"))
    nonempty = inside.register("nonempty", f"{unit}.vc_buffer")[vc]
    ready = inside.register("ready", queue)[vc]
    tail, behind = (inside.register(f"{name}_{vc}", queue) for name in ("tail", "behind"))
    active = inside.register("active", f"{unit}.input_vc_{vc}")
    out_vc = inside.register("out_vc", f"{unit}.input_vc_{vc}")
    flits = Mux(nonempty, Mux(read == write, 2, 1), 0)
    tails = [inside.row(m, f"{unit}.vc_buffer.tails_{vc}", read ^ k, k) for k in range(2)]
    data = [inside.row(m, f"{unit}.vc_buffer.flits", Cat(read ^ k, C(vc, 1)), 2 * vc + k) for k in range(2)]
    front = Value.cast(inside.register(f"front_{vc}", queue))
    second = inside.row(m, f"{queue}.routes_{vc}", behind)
    routes = Mux(ready, Mux(behind == tail, 1, 2), 0)
    inside_packet = inside.register(f"inside_{vc}", f"{unit}.route_unit.header")

    # A queue that is empty is so at any place, of pointers that say so.
    proof.invariant(nonempty | (read == write))
    proof.invariant(ready | (behind != tail))
    for count, want in ((1, front), (2, second)):
        one = want[: len(formats.outputs(params, port))]
        proof.invariant((routes < count) | ((one & (one - 1)) == 0))
    # Packets of which anything is in the switch or will be have a route; those are complete whose tails have come.
    newest = Mux(flits == 2, tails[1], tails[0])
    complete = ((flits > 0) & tails[0]) + ((flits > 1) & tails[1])
    proof.invariant(routes == complete + inside_packet)
    if params.buffering == "static":
        proof.invariant(inside.register(f"stored_{vc}", f"{unit}.vc_buffer") == complete)
        # What is blocked is in the buffer; in a VC that is active it says nothing.
        blocked = inside.register("blocked", f"{unit}.input_vc_{vc}")
        proof.invariant(~blocked | nonempty)
    proof.invariant(Mux(nonempty, newest != inside_packet, active == inside_packet))
    owns = inside.register("owns", f"{unit}.input_vc_{vc}")
    proof.invariant(owns == Mux(active, 1 << out_vc, 0))
    wants = [by_port(params, port, want) for want in (front, second)]
    return InputVc(flits, tails, data, inside_packet, routes, wants, active, out_vc)


def by_port(params: SwitchParams, port: int, want: Value) -> Value:
    """Return a route with a bit for every output port, also for those that are not to be had."""
    outputs = formats.outputs(params, port)
    bits = [want[outputs.index(o)] if o in outputs else C(0, 1) for o in range(params.ports)]
    return Cat(*bits, want[len(outputs) :])


def allows(params: SwitchParams, route: Value, vc: ValueLike) -> Value:
    """Return whether a route allows an output VC."""
    if routes_allow_all(params):
        return C(1, 1)
    first, last = route[params.ports :][: params.vc_bits], route[params.ports + params.vc_bits :]
    return (first <= vc) & (last >= vc)
