"""Properties of the whole switch: each flit leaves once, in order, where its route says, on a VC of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl import formats
from hdl.allocate.vc_allocator import routes_allow_all
from hdl.lib.logic import select_index
from hdl.switch import Switch
from models.params import PredictionParams, SwitchParams
from synth.formal.input_vc import InputVc, allows, by_port, input_vc
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _through(proof: Proof, params: SwitchParams) -> None:
    ports, vcs = params.ports, params.vcs
    parts = [f"input_unit_{port}" for port in range(ports)]
    memories = [f"{part}.vc_buffer.flits" for part in parts]
    memories += [f"{part}.vc_buffer.tails_{vc}" for part in parts for vc in range(vcs)]
    memories += [f"{part}.route_unit.route_queue.routes_{vc}" for part in parts for vc in range(vcs)]
    inside = proof.inside(
        Switch(params),
        memories=memories,
        reads=2 * vcs,
        replaced=[f"{part}.route_unit.dimension_order" for part in parts],
    )
    state = [[input_vc(proof, inside, params, port, vc) for vc in range(vcs)] for port in range(ports)]
    for port in range(ports):
        holder = inside.register(f"holder_{port}", "switch_allocator")
        proof.invariant((holder & (holder - 1)) == 0)
    if params.prediction:
        _connections(proof, inside, params, state)
    _one_owner(proof, inside, params, state)
    _as_many(proof, inside, params)
    _keeps_moving(proof, inside, params, _credits(proof, inside, params), _in_order(proof, inside, params, state))


def _connections(proof: Proof, inside: Inside, params: SwitchParams, state: list[list[InputVc]]) -> None:
    """Claim that a packet that bypasses owns the VC on which it leaves."""
    for o in range(params.ports):
        bypass = f"bypass_{o}"
        connected, source, input_vc, output_vc = (
            inside.register(name, bypass) for name in ("connected", "source", "input_vc", "output_vc")
        )
        for number, i in enumerate(formats.inputs(params, o)):
            named = inside.register("named", f"input_unit_{i}.predictor")
            proof.invariant((named & (named - 1)) == 0)
            for v in range(params.vcs):
                with proof.m.If(connected & (source == number) & (input_vc == v)):
                    proof.claim(state[i][v].owns(o, output_vc))


def _one_owner(proof: Proof, inside: Inside, params: SwitchParams, state: list[list[InputVc]]) -> None:
    """Claim that no output VC is owned by two packets, and that a free one is owned by none."""
    for o in range(params.ports):
        free = inside.register("free", f"output_unit_{o}")
        for w in range(params.vcs):
            owners = Cat(each.owns(o, w) for vcs in state for each in vcs)
            proof.claim((owners & (owners - 1)) == 0)
            proof.claim(owners.any() == ~free[w])


@dataclass(frozen=True)
class _OutputVc:
    """Any one VC of any output: its numbers, the room at its receiver, and whether no packet owns it."""

    output: Value
    vc: Value
    room: Value
    free: Value


def _credits(proof: Proof, inside: Inside, params: SwitchParams) -> _OutputVc:
    """Claim that a VC has as many credits as its receiver has room, if that returns one credit per flit."""
    m, switch = proof.m, inside.ports
    output, vc = proof.any_constant("output", params.ports), proof.any_constant("output_vc", params.vcs)
    away = Signal(range(params.depth + 2))
    sent, back, tail, busy = Signal(), Signal(), Signal(), Signal()
    for o in range(params.ports):
        flit, credit = switch.link_out[o].flit, switch.link_out[o].credit
        with m.If(output == o):
            m.d.comb += sent.eq(flit.valid & (flit.payload.vc == vc))
            m.d.comb += back.eq(credit.valid & (credit.payload.vc == vc))
            m.d.comb += tail.eq(flit.payload.tail)
            for each in range(params.vcs):
                with m.If(vc == each):
                    level = inside.register(f"level_{each}", f"output_unit_{o}")
                    # The flit on the link has its credit spent already.
                    for k in range(params.depth):
                        proof.claim(level[k] == (away + sent + k < params.depth))
    # A credit can return from the cycle after the flit was on the link.
    proof.assume(~back | (away > 0))
    m.d.sync += away.eq(away + sent - back)
    proof.claim(away + sent <= params.depth)
    free = Mux(sent, tail, ~busy)
    m.d.sync += busy.eq(~free)
    for o in range(params.ports):
        register = inside.register("free", f"output_unit_{o}")
        with m.If(output == o):
            proof.invariant(register.bit_select(vc, 1) == free)
    return _OutputVc(output, vc, (params.depth - away - sent)[: len(away)], free)


def _as_many(proof: Proof, inside: Inside, params: SwitchParams) -> None:
    """Claim that as many flits leave as credits are returned, dropped flits excepted."""
    switch = inside.ports
    dropped = Signal(params.ports)
    proof.m.d.sync += dropped.eq(inside.part("switch_allocator").drained)
    left = [link.flit.valid for link in switch.link_out] + list(dropped)
    credits = [link.credit.valid for link in switch.link_in]
    proof.claim(sum(left, start=C(0, 1)) == sum(credits, start=C(0, 1)))


@dataclass(frozen=True)
class _Next:
    """The next flit of any one input VC.

    Parameters
    ----------
    there, whole : Value
        It exists; a tail is buffered as well, or the buffer is full.
    to, begun, through : Value
        Its output, whether its packet has begun to leave, and on which VC.
    """

    there: Value
    whole: Value
    to: Value
    begun: Value
    through: Value


def _in_order(proof: Proof, inside: Inside, params: SwitchParams, state: list[list[InputVc]]) -> _Next:
    """Claim for any one input VC that its flits leave in order, each in the cycle before its credit.

    The proof keeps the flits whose credits are not returned yet, first to leave first, with the routes of their
    headers.
    """
    m, switch, ports = proof.m, inside.ports, params.ports
    outstanding = []
    for i in range(ports):
        flit, credit = switch.link_in[i].flit, switch.link_in[i].credit
        proof.assume(flit.payload.vc < params.vcs)
        outstanding.append([Signal(2, name=f"outstanding_{i}_{v}") for v in range(params.vcs)])
        for v, count in enumerate(outstanding[i]):
            push, pop = flit.valid & (flit.payload.vc == v), credit.valid & (credit.payload.vc == v)
            m.d.sync += count.eq(count + push - pop)
            proof.assume(~push | (count < 2))
            proof.claim(~pop | (count > 0))
            proof.invariant(count == state[i][v].flits + pop)

    port, vc = proof.any_constant("port", ports), proof.any_constant("vc", params.vcs)
    chosen = [each for vcs in state for each in vcs]
    number = port * params.vcs + vc

    def of(values: list[Value]) -> Value:
        return select_index(number[: (len(values) - 1).bit_length()], values)

    route_bits = ports + (0 if routes_allow_all(params) else 2 * params.vc_bits)
    flit, routed = Signal(formats.flit(params)), Signal(route_bits)
    push, pop = Signal(), Signal()
    for i in range(ports):
        source, credit = switch.link_in[i].flit, switch.link_in[i].credit
        with m.If(port == i):
            m.d.comb += push.eq(source.valid & (source.payload.vc == vc))
            m.d.comb += pop.eq(credit.valid & (credit.payload.vc == vc))
            m.d.comb += flit.eq(source.payload)
            written = inside.part(f"input_unit_{i}.route_unit.route_queue").write_route
            m.d.comb += routed.eq(by_port(params, i, Value.cast(written)))

    # The arriving packet and its route, the stored flits, and the leaving packet with its output VC.
    coming = Signal()
    route = Signal(route_bits)
    places = [Signal(1 + params.data_width + route_bits, name=f"place_{k}") for k in range(2)]
    begun = Signal()
    leaves_to = Signal(route_bits)
    through = Signal(params.vc_bits)
    entering = Signal.like(places[0])
    here = of([each[v] for each in outstanding for v in range(params.vcs)])
    with m.If(push):
        m.d.sync += coming.eq(~flit.tail)
    with m.If(push & ~coming):
        m.d.sync += route.eq(routed)
    m.d.comb += entering.eq(Cat(flit.tail, flit.data, Mux(coming, route, routed)))
    for k, place in enumerate(places):
        with m.If(push & (here - pop == k)):
            m.d.sync += place.eq(entering)
        with m.Elif(pop & (k == 0)):
            m.d.sync += place.eq(places[1])

    tail, data, to = places[0][0], places[0][1 : 1 + params.data_width], places[0][1 + params.data_width :]
    now_through = Signal(params.vc_bits)
    m.d.comb += now_through.eq(through)
    for o in range(ports):
        link = switch.link_out[o].flit
        with m.If(pop & to[o]):
            m.d.comb += now_through.eq(link.payload.vc)
            proof.claim(link.valid & (link.payload.tail == tail) & (link.payload.data == data))
            proof.claim(Mux(begun, link.payload.vc == through, allows(params, to, link.payload.vc)))
        # Between head and tail no other packet uses its VC.
        with m.If(begun & leaves_to[o] & link.valid & (link.payload.vc == through)):
            proof.claim(pop)
    with m.If(pop):
        m.d.sync += [begun.eq(~tail), leaves_to.eq(to), through.eq(now_through)]
        proof.claim(~begun | (to == leaves_to))

    active = of([each.active for each in chosen])
    flits = of([each.flits for each in chosen])
    front, second = (of([each.wants[k] for each in chosen]) for k in range(2))
    first = Mux(pop, places[1], places[0])
    first_tail = of([each.tails[0] for each in chosen])
    proof.invariant(coming == of([each.inside for each in chosen]))
    proof.invariant(active == Mux(pop, ~tail, begun))
    now_to = Mux(pop, to, leaves_to)
    with m.If(active):
        proof.invariant(now_to == front)
        with m.If(front[:ports].any()):
            proof.invariant(now_through == of([each.out_vc for each in chosen]))
    with m.If(coming):
        proof.invariant(route == Mux(of([each.routes for each in chosen]) == 2, second, front))
    with m.If(flits > 0):
        proof.invariant(first == Cat(first_tail, of([each.data[0] for each in chosen]), front))
    with m.If(flits > 1):
        later = [of([each.tails[1] for each in chosen]), of([each.data[1] for each in chosen])]
        proof.invariant(places[1] == Cat(*later, Mux(first_tail, second, front)))
    whole = first[0] | (here - pop == 2)
    return _Next(here > pop, whole, first[1 + params.data_width :], Mux(pop, ~tail, begun), now_through)


def _keeps_moving(proof: Proof, inside: Inside, params: SwitchParams, given: _OutputVc, flit: _Next) -> None:
    """Claim that a flit leaves in one of two cycles if there is a flit with a VC and a credit."""
    m = proof.m
    need = params.credit_need
    may_begin = given.free & (given.room >= need) & allows(params, flit.to, given.vc)
    if params.buffering == "static":
        may_begin &= flit.whole
    on_its_vc = Mux(flit.begun, (flit.through == given.vc) & (given.room > 0), may_begin)
    can_go = Signal()
    could_go = Signal()
    moved = Signal()
    moves = Cat(link.credit.valid for link in inside.ports.link_in).any()
    goes = flit.to.bit_select(given.output, 1) & on_its_vc
    m.d.comb += can_go.eq(flit.there & (goes | ~flit.to[: params.ports].any()))
    m.d.sync += [could_go.eq(can_go), moved.eq(moves)]
    proof.claim(~could_go | moved | moves)
    proof.invariant(moves | ~inside.register("held", "switch_allocator").any())


_SMALL = SwitchParams(ports=3, data_width=16, depth=2, routing="dimension_order", radix=(2,), counter_width=0)
_PREDICTS = _SMALL.model_copy(update={"prediction": PredictionParams()})
_RESTRICTS = _PREDICTS.model_copy(update={"radix": (4,), "wrap": True})
_STORES = _SMALL.model_copy(update={"buffering": "static", "max_packet": 2, "arbiter": "matrix"})

_CLAIM = (
    "no output VC has two owners, and it has as many credits as its receiver has room; any flit of any input VC leaves "
    "once and in order, unchanged, by the output of its packet's route, or not at all if that is a drop; a packet "
    "leaves on one VC, which its route allows and which no other packet uses between head and tail; no other flit "
    "leaves; and a flit leaves in one of two cycles if any flit may: it has a VC with the room that it needs, or is to "
    "be dropped (3 ports, 2 VCs of 2, {})"
)

PROPERTIES = [
    Property(
        "switch: through",
        _CLAIM.format("any routes that allow all VCs"),
        partial(_through, params=_SMALL),
        Fault("hdl/transfer/output_unit.py", "m.d.sync += free[vc].eq(self.flit.tail)", "m.d.sync += free[vc].eq(1)"),
    ),
    Property(
        "switch: through, predicted",
        _CLAIM.format("any routes that allow all VCs, prediction of the latest output"),
        partial(_through, params=_PREDICTS),
        Fault(
            "hdl/buffer/input_unit.py",
            "m.d.comb += self.right.eq(matches & routes.allows)",
            "m.d.comb += self.right.eq(routes.allows)",
        ),
        fast=False,
    ),
    Property(
        "switch: through, restricted",
        _CLAIM.format("any routes and ranges of VCs, prediction of the latest output"),
        partial(_through, params=_RESTRICTS),
        Fault("hdl/allocate/vc_allocator.py", "last >= vc if vc else C(1)", "C(1)"),
    ),
    Property(
        "switch: through, stored",
        _CLAIM.format("any routes that allow all VCs, static buffering of packets of 2"),
        partial(_through, params=_STORES),
        Fault("hdl/buffer/input_vc.py", "return ~blocked | self.whole", "return ~blocked"),
    ),
]
