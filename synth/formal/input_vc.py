"""State of an input VC with computed routes, read from its registers and memories, and its invariants."""

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
    """State of an input VC with a buffer of 2 flits.

    Parameters
    ----------
    flits : Value
        Number of flits in the buffer.
    tails, data : list of Value
        Tail bit and data of those flits, first to leave first.
    inside : Value
        The newest packet has flits that have not arrived yet.
    routes : Value
        Number of routes in the route queue.
    wants : list of Value
        Those routes: one bit per output port, then, if routes restrict VCs, the first and the last VC.
    active, out_vc : Value
        The first packet has begun to leave; its output VC.
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
        """Return whether the first packet owns VC `vc` of port `output`."""
        return self.active & self.wants[0][output] & (self.out_vc == vc)


def input_vc(proof: Proof, inside: Inside, params: SwitchParams, port: int, vc: int) -> InputVc:
    """Return the state of an input VC, and state the invariants of its parts."""
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

    # An empty queue is empty at every position that its pointers can have.
    proof.invariant(nonempty | (read == write))
    proof.invariant(ready | (behind != tail))
    for count, want in ((1, front), (2, second)):
        one = want[: len(formats.outputs(params, port))]
        proof.invariant((routes < count) | ((one & (one - 1)) == 0))
    # Each packet with flits in the switch, or still to come, has a route. Packets whose tail has come are complete.
    newest = Mux(flits == 2, tails[1], tails[0])
    complete = ((flits > 0) & tails[0]) + ((flits > 1) & tails[1])
    proof.invariant(routes == complete + inside_packet)
    if params.buffering == "static":
        proof.invariant(inside.register(f"stored_{vc}", f"{unit}.vc_buffer") == complete)
        # A blocked head is in the buffer; in an active VC the bit has no meaning.
        blocked = inside.register("blocked", f"{unit}.input_vc_{vc}")
        proof.invariant(~blocked | nonempty)
    proof.invariant(Mux(nonempty, newest != inside_packet, active == inside_packet))
    owns = inside.register("owns", f"{unit}.input_vc_{vc}")
    proof.invariant(owns == Mux(active, 1 << out_vc, 0))
    wants = [by_port(params, port, want) for want in (front, second)]
    return InputVc(flits, tails, data, inside_packet, routes, wants, active, out_vc)


def by_port(params: SwitchParams, port: int, want: Value) -> Value:
    """Return the route `want` with one bit for each output port, including ports that `port` cannot use."""
    outputs = formats.outputs(params, port)
    bits = [want[outputs.index(o)] if o in outputs else C(0, 1) for o in range(params.ports)]
    return Cat(*bits, want[len(outputs) :])


def allows(params: SwitchParams, route: Value, vc: ValueLike) -> Value:
    """Return whether `route` allows output VC `vc`."""
    if routes_allow_all(params):
        return C(1, 1)
    first, last = route[params.ports :][: params.vc_bits], route[params.ports + params.vc_bits :]
    return (first <= vc) & (last >= vc)
