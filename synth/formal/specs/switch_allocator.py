"""Properties of switch allocator and crossbar: sent flits are a partial permutation of inputs to outputs."""

from __future__ import annotations

from functools import partial
from typing import Any

from amaranth.hdl import Cat, Signal, Value

from hdl import formats
from hdl.allocate.switch_allocator import SwitchAllocator
from hdl.lib.logic import select_index
from hdl.transfer.crossbar import Crossbar
from models.params import SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property
from synth.formal.specs.arbiter import order


def _allocator(proof: Proof, params: SwitchParams) -> tuple[Inside, list[Signal]]:
    """Instantiate the allocator; return it, and for each output the inputs from which it takes a flit."""
    m, ports = proof.m, params.ports
    inside = proof.inside(SwitchAllocator(params), name="allocator")
    allocator = inside.ports
    _requests(proof, allocator, params)
    _registers(proof, inside, params)
    taken = [Signal(ports, name=f"taken_{o}") for o in range(ports)]
    for o in range(ports):
        for number, i in enumerate(formats.inputs(params, o)):
            m.d.comb += taken[o][i].eq(allocator.sent[o] & (allocator.select[o] == number))
    return inside, taken


def _partial_permutation(proof: Proof, params: SwitchParams) -> None:
    m, ports = proof.m, params.ports
    inside, taken = _allocator(proof, params)
    allocator = inside.ports
    crossbar = proof.inside(Crossbar(params), name="crossbar", driven=["select"]).ports
    for o in range(ports):
        m.d.comb += crossbar.select[o].eq(allocator.select[o])
        # At least one input; that there is only one follows from `select`.
        proof.claim(allocator.sent[o] == taken[o].any())
        for i in formats.inputs(params, o):
            with m.If(taken[o][i]):
                proof.claim(Value.cast(crossbar.sink[o]) == Value.cast(crossbar.source[i]))

    for i in range(ports):
        outputs = Cat(taken[o][i] for o in range(ports))
        vc, granted, drained = allocator.chosen_vc[i], allocator.granted[i], allocator.drained[i]
        proof.claim(granted == (outputs.any() | drained))
        with m.If(granted):
            proof.claim((vc < params.vcs) & allocator.request[i].bit_select(vc, 1))
            # One-hot, or 0 if the flit is to be dropped: at most one output takes it, the one it wants.
            proof.claim(outputs == select_index(vc, list(allocator.want[i])))
            proof.claim(drained == allocator.drain[i].bit_select(vc, 1))
            if params.speculates:
                proof.claim(~allocator.misspeculated[i].bit_select(vc, 1))

    moved = Signal()
    m.d.sync += moved.eq(allocator.granted.any())
    sure = [allocator.request[i] & ~(allocator.speculates[i] if params.speculates else 0) for i in range(ports)]
    requests = Cat(sure).any()
    proof.claim(moved | ~requests | allocator.granted.any())
    if params.hold_packets:
        proof.invariant(moved | ~inside.register("held").any())


def _requests(proof: Proof, allocator: Any, params: SwitchParams) -> None:
    """Assume the protocol of input units: a request wants one output that it may take, or is to be dropped."""
    for i in range(params.ports):
        allowed = sum(1 << o for o in formats.outputs(params, i))
        for vc in range(params.vcs):
            want, request, drain = allocator.want[i][vc], allocator.request[i][vc], allocator.drain[i][vc]
            one = ((want & (want - 1)) == 0) & ((want & ~allowed) == 0)
            proof.assume((request & one & (drain == ~want.any())) | (~request & ~drain))
        if params.speculates:
            speculates, misspeculated = allocator.speculates[i], allocator.misspeculated[i]
            proof.assume((speculates & ~(allocator.request[i] & ~allocator.drain[i])) == 0)
            proof.assume((misspeculated & ~speculates) == 0)


def _kept(proof: Proof, params: SwitchParams) -> None:
    """Claim that an output stays with a packet in the cycle after one of its flits, unless that was the tail.

    Assumed of the input unit: until its tail leaves, a packet wants the same output.
    """
    m, ports = proof.m, params.ports
    inside, taken = _allocator(proof, params)
    allocator = inside.ports
    held = [Signal(ports, name=f"held_{o}_by") for o in range(ports)]
    tails = Cat(allocator.tail[i].bit_select(allocator.chosen_vc[i], 1) for i in range(ports))
    for o in range(ports):
        m.d.sync += held[o].eq(taken[o] & ~tails)
        proof.invariant(inside.register("held")[o] == held[o].any())
    for i in range(ports):
        vc = Signal(params.vc_bits, name=f"held_vc_{i}")
        m.d.sync += vc.eq(allocator.chosen_vc[i])
        holds = Cat(held[o][i] for o in range(ports))
        request = allocator.request[i].bit_select(vc, 1)
        with m.If(holds.any() & request):
            proof.assume(select_index(vc, list(allocator.want[i])) == holds)
        for o in formats.outputs(params, i):
            with m.If(held[o][i]):
                proof.claim(taken[o] == request << i)
                proof.claim(~request | (allocator.chosen_vc[i] == vc))
        proof.invariant((holds & (holds - 1)) == 0)
        for each in range(params.vcs):
            proof.invariant(inside.register(f"holder_{i}")[each] == (holds.any() & (vc == each)))


def _registers(proof: Proof, inside: Inside, params: SwitchParams) -> None:
    """State the invariants that a port holds at most one output, and that the states of arbiters are orders.

    Round robin of 4 requesters, and of 2 with `preferred`, has no invalid states.
    """
    for port in range(params.ports):
        if params.hold_packets:
            holder = inside.register(f"holder_{port}")
            proof.invariant((holder & (holder - 1)) == 0)
        inputs = len(formats.inputs(params, port))
        if params.matching:
            order(proof, inside, inputs, f"matching.output_arbiter_{port}")
            order(proof, inside, inputs + 1, f"matching.accept_arbiter_{port}")
        elif params.arbiter == "matrix":
            order(proof, inside, params.vcs, f"input_arbiter_{port}")
            order(proof, inside, inputs, f"output_arbiter_{port}")


_FILE = "hdl/allocate/switch_allocator.py"
_CLAIM = (
    "every input is granted at most one output, the one that its selected VC wants, and every output takes at most one "
    "input, whose flit the crossbar delivers; a flit leaves if there is a request and none left before ({})"
)
_DEFAULT = SwitchParams(data_width=16)
_OUTPUT_FIRST = SwitchParams(ports=4, data_width=16, arbiter="matrix", allocator="output_first")
_PORTS_FIRST = _OUTPUT_FIRST.model_copy(update={"allocator": "ports_first"})
_SPECULATING = _PORTS_FIRST.model_copy(update={"vc_stage": True, "speculation": "behind"})
_OTHER = SwitchParams(ports=4, vcs=3, data_width=16, arbiter="matrix", hold_packets=False, u_turn=True)

PROPERTIES = [
    Property(
        "switch_allocator: partial permutation, 5 ports",
        _CLAIM.format("2 VCs, round robin, held connections"),
        partial(_partial_permutation, params=_DEFAULT),
        Fault(_FILE, "taken[i].append(chooser.grant[number])", "taken[i].append(wants[o][i])"),
    ),
    Property(
        "switch_allocator: partial permutation, 4 ports",
        _CLAIM.format("u-turns, 3 VCs, matrix"),
        partial(_partial_permutation, params=_OTHER),
        Fault("hdl/transfer/crossbar.py", "second.d.eq(group[-1])", "second.d.eq(group[2])"),
        fast=False,
    ),
    Property(
        "switch_allocator: partial permutation, output first",
        _CLAIM.format("4 ports, 2 VCs, matrix, held connections"),
        partial(_partial_permutation, params=_OUTPUT_FIRST),
        Fault("hdl/allocate/matching.py", "Cat(takes[i][o] for i in inputs)", "Cat(grants[i][o] for i in inputs)"),
    ),
    Property(
        "switch_allocator: partial permutation, ports first",
        _CLAIM.format("4 ports, 2 VCs, matrix, held connections"),
        partial(_partial_permutation, params=_PORTS_FIRST),
        Fault("hdl/allocate/matching.py", "(takes if ports_first else asks)", "asks"),
    ),
    Property(
        "switch_allocator: partial permutation, speculation",
        "every input is granted at most one output, the one that its selected VC wants, and every output takes at most "
        "one input, whose flit the crossbar delivers; nothing leaves on a grant in vain; a flit leaves if there is a "
        "sure request and none left before (4 ports, 2 VCs, matrix, held connections, ports "
        "first, behind)",
        partial(_partial_permutation, params=_SPECULATING),
        Fault(_FILE, "matching.sent[o] & ~misspeculated", "matching.sent[o]"),
    ),
    Property(
        "switch_allocator: kept connections, output first",
        "in the cycle after a flit that is not a tail, its output takes the next flit of its packet or none "
        "(4 ports, 2 VCs, matrix)",
        partial(_kept, params=_OUTPUT_FIRST),
        Fault(_FILE, "(holders[i] | (~goes_on).replicate(params.vcs))", "Value.cast(~C(0, params.vcs))"),
    ),
    Property(
        "switch_allocator: kept connections",
        "in the cycle after a flit that is not a tail, its output takes the next flit of its packet or none "
        "(5 ports, 2 VCs, round robin)",
        partial(_kept, params=_DEFAULT),
        Fault(_FILE, "chooser.preferred.eq(holder)", "chooser.preferred.eq(0)"),
    ),
]
