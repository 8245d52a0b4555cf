"""Properties of the whole switch with prediction of cached routes: a squashed flit was never sent and costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from amaranth.hdl import C, Cat, Mux, Signal, Value, ValueLike

from hdl import formats
from hdl.lib.logic import select_index
from hdl.switch import Switch
from models.params import CacheParams, PredictionParams, SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


@dataclass(frozen=True)
class _InputVc:
    """State of an input VC with a buffer of 2 flits.

    Parameters
    ----------
    flits : Value
        Number of flits in the buffer.
    tails, data : list of Value
        Tail bit and data of those flits, first to leave first.
    inside : Value
        The newest packet has flits that have not arrived yet.
    claimed, written : Value
        Number of entries of the route queue that are claimed, that are written.
    front : Value
        Entry of the first packet; its route is `want`, one bit per output port.
    active, out_vc : Value
        The first packet has begun to leave; its output VC.
    """

    flits: Value
    tails: list[Value]
    data: list[Value]
    inside: Value
    claimed: Value
    written: Value
    front: Value
    want: Value
    active: Value
    out_vc: Value

    def owns(self, output: int, vc: ValueLike) -> Value:
        """Return whether the first packet owns VC `vc` of port `output`."""
        return self.active & self.want[output] & (self.out_vc == vc)


@dataclass(frozen=True)
class _Port:
    """State of an input port: its VCs, and the head sent speculatively in the cycle before, one bit per VC."""

    vcs: list[_InputVc]
    confirming: Value
    right: Value
    named: Value


def _input_vc(proof: Proof, inside: Inside, params: SwitchParams, port: int, vc: int) -> _InputVc:
    """Return the state of an input VC, and state the invariants of its parts."""
    m, unit = proof.m, f"input_unit_{port}"
    queue = f"{unit}.route_unit.route_queue"
    read, write = (inside.register(f"{name}_pointer_{vc}", f"{unit}.vc_buffer") for name in ("read", "write"))
    nonempty = inside.register("nonempty", f"{unit}.vc_buffer")[vc]
    ready = inside.register("ready", queue)[vc]
    tail, behind, head, written = (
        inside.register(f"{name}_{vc}", queue) for name in ("tail", "behind", "head", "written")
    )
    active = inside.register("active", f"{unit}.input_vc_{vc}")
    out_vc = inside.register("out_vc", f"{unit}.input_vc_{vc}")
    flits = Mux(nonempty, Mux(read == write, 2, 1), 0)
    tails = [inside.row(m, f"{unit}.vc_buffer.tails_{vc}", read ^ k, k) for k in range(2)]
    data = [inside.row(m, f"{unit}.vc_buffer.flits", Cat(read ^ k, C(vc, 1)), 2 * vc + k) for k in range(2)]
    inside_packet = inside.register(f"inside_{vc}", f"{unit}.route_unit.header")
    outputs = formats.outputs(params, port)
    front = Value.cast(inside.register(f"front_{vc}", queue))
    rows = [inside.row(m, f"{queue}.routes_{vc}", C(k, 1), k) for k in range(2)]
    for route in (front, *rows):
        want = route[: len(outputs)]
        proof.invariant((want & (want - 1)) == 0)
    want = Cat(front[outputs.index(o)] if o in outputs else C(0, 1) for o in range(params.ports))

    # Each packet with flits in the switch, or still to come, has an entry. Packets whose tail has come are complete.
    routes = Signal(2, name=f"routes_{port}_{vc}")
    m.d.comb += routes.eq(((flits > 0) & tails[0]) + ((flits > 1) & tails[1]) + inside_packet)
    claimed = Cat((routes > 1) | ((routes == 1) & (head == k)) for k in range(2))
    newest = Mux(flits == 2, tails[1], tails[0])
    proof.invariant(nonempty | (read == write))
    proof.invariant((routes < 3) & (tail == head ^ routes[0]) & (behind == ~head))
    proof.invariant((written & ~claimed) == 0)
    proof.invariant(ready == written.bit_select(head, 1))
    proof.invariant(Mux(nonempty, newest != inside_packet, active == inside_packet))
    proof.invariant(~active | ready)
    proof.invariant(inside.register("owns", f"{unit}.input_vc_{vc}") == Mux(active, 1 << out_vc, 0))
    return _InputVc(flits, tails, data, inside_packet, claimed, written, head, want, active, out_vc)


def _input_port(proof: Proof, inside: Inside, params: SwitchParams, i: int) -> _Port:
    """Return the state of an input port; assume the protocol of cache and miss unit, and state which slots wait."""
    m, unit = proof.m, f"input_unit_{i}"
    vcs = [_input_vc(proof, inside, params, i, v) for v in range(params.vcs)]
    holder = inside.register(f"holder_{i}", "switch_allocator")
    named = inside.register("named", f"{unit}.predictor")
    confirming = inside.register("confirming", unit)
    for bits in (holder, named, confirming):
        proof.invariant((bits & (bits - 1)) == 0)

    # Slots that wait for their route: looked up in this cycle, missed in the cycle before, or at the miss unit.
    cache, misses = (inside.replaced[f"{unit}.route_unit.{name}"] for name in ("route_cache", "miss_unit"))
    looked_up, looked_up_slot = Signal(name=f"looked_up_{i}"), inside.register("looked_up_slot", f"{unit}.route_unit")
    m.d.sync += looked_up.eq(cache.lookup_valid)
    proof.assume(Mux(looked_up, cache.hit ^ cache.miss, ~(cache.hit | cache.miss)))
    waiting = Signal(params.slots, name=f"waiting_{i}")
    proof.assume(~misses.walk_valid | (waiting.bit_select(misses.walk_slot, 1) & ~misses.direct_write))
    handed = Mux(misses.miss_valid, 1 << misses.miss_slot, 0)[: params.slots]
    walked = Mux(misses.walk_valid, 1 << misses.walk_slot, 0)[: params.slots]
    m.d.sync += waiting.eq((waiting & ~walked) | handed)
    claimed, written = Cat(each.claimed for each in vcs), Cat(each.written for each in vcs)
    in_lookup = Mux(looked_up, 1 << looked_up_slot, 0)[: params.slots]
    for awaited in (in_lookup, handed, waiting):
        proof.claim((awaited & ~(claimed & ~written)) == 0)
    proof.claim(((in_lookup & handed) | (in_lookup & waiting) | (handed & waiting)) == 0)

    # A head that was sent speculatively is the only flit of its port, and its route is being looked up.
    for v, each in enumerate(vcs):
        with m.If(confirming[v]):
            proof.invariant(looked_up & (looked_up_slot == Cat(each.front, C(v, 1))) & ~each.active)
            proof.invariant(each.claimed == 1 << each.front)
            proof.invariant(named.any())
            for other in range(params.vcs):
                proof.invariant(vcs[other].flits == (other == v))
    return _Port(vcs, confirming, inside.part(unit).right, named)


def _speculative_forwarding(proof: Proof, params: SwitchParams) -> None:
    ports, vcs = params.ports, params.vcs
    units = [f"input_unit_{port}" for port in range(ports)]
    memories = [f"{unit}.vc_buffer.flits" for unit in units]
    memories += [f"{unit}.vc_buffer.tails_{vc}" for unit in units for vc in range(vcs)]
    memories += [f"{unit}.route_unit.route_queue.routes_{vc}" for unit in units for vc in range(vcs)]
    inside = proof.inside(
        Switch(params),
        memories=memories,
        reads=2 * vcs,
        replaced=[f"{unit}.route_unit.{name}" for unit in units for name in ("route_cache", "miss_unit")],
    )
    state = [_input_port(proof, inside, params, port) for port in range(ports)]
    for o in range(ports):
        _output(proof, inside, params, state, o)
    _credits(proof, inside, params)
    _as_many(proof, inside, params, state)
    _in_order(proof, inside, params, state)


def _output(proof: Proof, inside: Inside, params: SwitchParams, state: list[_Port], o: int) -> None:
    """Claim that every VC of output `o` has one owner or is free, heads sent speculatively included."""
    m, unit, bypass = proof.m, f"output_unit_{o}", f"bypass_{o}"
    free, forwarded_speculatively, sent = (
        inside.register(name, unit) for name in ("free", "forwarded_speculatively", "sent")
    )
    output = inside.ports.link_out[o].flit.payload
    for w in range(params.vcs):
        owners = Cat(each.owns(o, w) for port in state for each in port.vcs) << 1 | (
            forwarded_speculatively & (output.vc == w)
        )
        proof.claim((owners & (owners - 1)) == 0)
        proof.claim(owners.any() == ~free[w])
    proof.claim(~(sent & forwarded_speculatively))

    speculative = Cat(state[i].confirming.any() & state[i].named[o] for i in formats.inputs(params, o))
    proof.invariant((speculative & (speculative - 1)) == 0)
    proof.invariant(forwarded_speculatively == speculative.any())
    connected, source, input_vc, output_vc = (
        inside.register(name, bypass) for name in ("connected", "source", "input_vc", "output_vc")
    )
    for number, i in enumerate(formats.inputs(params, o)):
        for v, each in enumerate(state[i].vcs):
            with m.If(speculative[number] & state[i].confirming[v]):
                proof.invariant(inside.register("speculative_source", bypass) == number)
                proof.invariant((output.vc == v) & (output.tail == each.tails[0]) & (output.data == each.data[0]))
            with m.If(connected & (source == number) & (input_vc == v)):
                proof.claim(each.owns(o, output_vc))


def _credits(proof: Proof, inside: Inside, params: SwitchParams) -> None:
    """Claim that a VC has as many credits as its receiver has room, if that returns one credit per flit."""
    m, switch, depth = proof.m, inside.ports, params.depth
    output, vc = proof.any_constant("output", params.ports), proof.any_constant("output_vc", params.vcs)
    away = Signal(range(depth + 2))
    there, back = Signal(), Signal()
    m.d.sync += away.eq(away + there - back)
    # A credit can return from the cycle after the flit was on the link.
    proof.assume(~back | (away > 0))
    proof.claim(away + there <= depth)
    for o in range(params.ports):
        flit, credit = switch.link_out[o].flit, switch.link_out[o].credit
        of_vc = flit.payload.vc == vc
        with m.If(output == o):
            m.d.comb += there.eq(flit.valid & of_vc)
            m.d.comb += back.eq(credit.valid & (credit.payload.vc == vc))
            proof.invariant(~(inside.register("forwarded_speculatively", f"output_unit_{o}") & of_vc) | (away < depth))
            paid = inside.register("sent", f"output_unit_{o}") & of_vc
            for each in range(params.vcs):
                with m.If(vc == each):
                    level = inside.register(f"level_{each}", f"output_unit_{o}")
                    for k in range(depth):
                        proof.claim(level[k] == (away + paid + k < depth))


def _as_many(proof: Proof, inside: Inside, params: SwitchParams, state: list[_Port]) -> None:
    """Claim that as many flits leave as credits are returned; a speculative flit leaves a cycle before its credit."""
    m, switch = proof.m, inside.ports
    dropped = Signal(params.ports)
    early = Signal(params.ports)
    m.d.sync += dropped.eq(inside.part("switch_allocator").drained)
    m.d.sync += early.eq(Cat(port.right for port in state))
    left = [*(link.flit.valid for link in switch.link_out), *dropped, *early]
    given_back = [*(link.credit.valid for link in switch.link_in), *(port.right for port in state)]
    proof.claim(sum(left, start=C(0, 1)) == sum(given_back, start=C(0, 1)))


def _in_order(proof: Proof, inside: Inside, params: SwitchParams, state: list[_Port]) -> None:
    """Claim for any one input VC that its flits leave in order, each where the front of its route queue says.

    The proof keeps the flits that have not left, first to leave first.
    """
    m, switch, ports, vcs = proof.m, inside.ports, params.ports, params.vcs
    port, vc = proof.any_constant("port", ports), proof.any_constant("vc", vcs)
    outstanding = [Signal(2, name=f"outstanding_{i}_{v}") for i in range(ports) for v in range(vcs)]
    kept, early = Signal(2), Signal()
    push, pop, right = Signal(), Signal(), Signal()
    flit, front, routed = Signal(formats.flit(params)), Signal(ports), Signal(ports)
    granted_to = Signal(ports)
    for i in range(ports):
        source, credit = switch.link_in[i].flit, switch.link_in[i].credit
        proof.assume(source.payload.vc < vcs)
        for v in range(vcs):
            comes, goes = source.valid & (source.payload.vc == v), credit.valid & (credit.payload.vc == v)
            count = outstanding[i * vcs + v]
            m.d.sync += count.eq(count + comes - goes)
            proof.assume(~comes | (count < 2))
            proof.claim(~goes | (count > 0))
            proof.invariant(count == state[i].vcs[v].flits + goes)
            with m.If((port == i) & (vc == v)):
                m.d.comb += [push.eq(comes), pop.eq(goes), flit.eq(source.payload)]
                m.d.comb += right.eq(state[i].right & state[i].confirming[v])
                m.d.comb += front.eq(state[i].vcs[v].want)
                m.d.comb += routed.eq(inside.part(f"input_unit_{i}.route_unit").want)
    m.d.sync += granted_to.eq(front)

    # A flit leaves in the cycle before its credit or, if it was sent speculatively and is right, two cycles before.
    leaves, by_grant, to = Signal(), Signal(), Signal(ports)
    m.d.sync += early.eq(right)
    m.d.comb += by_grant.eq(pop & ~early)
    m.d.comb += leaves.eq(by_grant | right)
    m.d.comb += to.eq(Mux(right, routed, granted_to))
    m.d.sync += kept.eq(kept + push - leaves)
    places = [Signal(1 + params.data_width, name=f"place_{k}") for k in range(2)]
    coming, begun = Signal(), Signal()
    leaves_to = Signal(ports)
    through = Signal(params.vc_bits)
    now_through = Signal(params.vc_bits)
    with m.If(push):
        m.d.sync += coming.eq(~flit.tail)
    for k, place in enumerate(places):
        with m.If(push & (kept - leaves == k)):
            m.d.sync += place.eq(Cat(flit.tail, flit.data))
        with m.Elif(leaves & (k == 0)):
            m.d.sync += place.eq(places[1])
    tail, data = places[0][0], places[0][1:]
    m.d.comb += now_through.eq(through)
    for o in range(ports):
        link = switch.link_out[o].flit
        with m.If(leaves & to[o]):
            m.d.comb += now_through.eq(link.payload.vc)
            proof.claim(link.valid & (link.payload.tail == tail) & (link.payload.data == data))
            proof.claim(~begun | (link.payload.vc == through))
        # Between head and tail no other packet uses its VC.
        with m.If(begun & leaves_to[o] & link.valid & (link.payload.vc == through)):
            proof.claim(leaves)
    with m.If(leaves):
        m.d.sync += [begun.eq(~tail), leaves_to.eq(to), through.eq(now_through)]
        proof.claim(~begun | (to == leaves_to))

    def of(values: list[Value]) -> Value:
        number = port * vcs + vc
        return select_index(number[: (len(values) - 1).bit_length()], values)

    chosen = [each for i in range(ports) for each in state[i].vcs]
    flits, active = of([each.flits for each in chosen]), of([each.active for each in chosen])
    proof.invariant(coming == of([each.inside for each in chosen]))
    proof.invariant(kept == flits + by_grant)
    proof.invariant(active == Mux(by_grant, ~tail, begun))
    with m.If(active):
        proof.invariant(Mux(by_grant, to, leaves_to) == front)
        with m.If(front.any()):
            proof.invariant(now_through == of([each.out_vc for each in chosen]))
    for k in range(2):
        with m.If(flits > k):
            stored = Cat(of([each.tails[k] for each in chosen]), of([each.data[k] for each in chosen]))
            proof.invariant(Mux(by_grant, [*places, places[1]][k + 1], places[k]) == stored)


_SMALL = SwitchParams(
    ports=3,
    data_width=16,
    depth=2,
    counter_width=0,
    cache=CacheParams(entries=1, ways=1),
    prediction=PredictionParams(),
)

PROPERTIES = [
    Property(
        "switch_speculative: through",
        "as for the whole switch, except claims about routes and progress: a head sent speculatively that is squashed "
        "was on no link, spent no credit, owns no VC, and leaves later as if never sent; one that is right leaves"
        " once, with its packet behind it (3 ports, 2 VCs of 2, prediction of the latest output, any answers of cache "
        "and miss unit)",
        partial(_speculative_forwarding, params=_SMALL),
        Fault(
            "hdl/transfer/output_unit.py",
            "self.link.flit.valid.eq(sent | self.confirmed)",
            "self.link.flit.valid.eq(sent | forwarded_speculatively)",
        ),
        fast=False,
    ),
]
