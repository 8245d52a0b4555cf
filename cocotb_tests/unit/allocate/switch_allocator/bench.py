"""Switch allocator: random requests of packets that start, pause, continue and end; every grant in every cycle.

As in the switch, an input VC requests the output of its packet until the packet's tail is granted or drained; it may
pause in any cycle. With prediction, flits bypass at ports without a request. The selected VC of a port is compared
whether it is granted or not, with a matching only if it is. The `select` of an output is compared if it takes a flit or
has no request. With speculation, the head of a packet may request without an output VC; whether it misspeculates
follows from the model's VC stage, for VCs drawn anew in each cycle.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.unit.allocate.switch_allocator.packets import Packets
from hdl import formats
from models.allocate.switch_allocator import hold_too
from models.buffer.vc_buffer import push
from models.params import SwitchParams
from models.reset import reset
from models.state.owners import owner_is
from models.state.registers import SwitchState
from models.state.route_word import route_word
from models.state.vc_set import insert
from models.switch import list_moves


class SwitchAllocator:
    """Model: a switch with VCs, routes and credits in each cycle such that it has the requests in the inputs."""

    def __init__(self, params: SwitchParams, packets: Packets) -> None:
        self._params, self._packets = params, packets
        self._state = power_up(params)
        self._cycle = 0
        self._outputs: dict[str, int | None] = {}
        self.misspeculated = 0  # number of outputs whose grant was in vain in the last cycle

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """Advance by one cycle, unless `answer` has done so already."""
        return self._outputs if self._params.speculates else self._step(inputs)

    def answer(self, inputs: Values) -> Values:
        """Advance by one cycle; return which VCs misspeculate."""
        st = self._state
        self._outputs = self._step(inputs | {"rst": 0})
        gets = [0] * self._params.ports
        for word in st.asking[: self._claims]:
            i, v, o = int(word) >> 32, int(word) >> 24 & 255, int(word) >> 16 & 255
            gets[i] |= (self._packets.credited[o] >> int(st.vc[0, i, v].out_vc) & 1) << v
        self.misspeculated = int(st.switch[0].outputs) & ~(self._outputs["sent"] or 0)
        if inputs.get("rst"):
            reset(st, 0, self._cycle)
        return {f"misspeculated_{i}": inputs[f"speculates_{i}"] & ~mask for i, mask in enumerate(gets)}

    def _step(self, inputs: Values) -> dict[str, int | None]:
        params, st = self._params, self._state
        _present(params, st, inputs, self._packets)
        st.input[0].choice = -1
        moves = st.sent[: list_moves(st, 0, self._cycle)]
        self._claims = int(st.switch[0].claims)
        # Except with ports first, a port without a grant (a speculative one included) has selected nothing.
        nothing = None if params.allocator == "ports_first" else 0
        outputs: dict[str, int | None] = {
            f"chosen_vc_{i}": int(v) if v >= 0 else nothing for i, v in enumerate(st.input[0].choice[: params.ports])
        }
        outputs |= {f"select_{o}": None for o in range(params.ports)}
        for move in moves:
            if move.out >= 0:
                outputs[f"select_{move.out}"] = formats.inputs(params, int(move.out)).index(int(move.port))
        outputs["granted"] = sum(1 << int(move.port) for move in moves)
        outputs["drained"] = sum(1 << int(move.port) for move in moves if move.out < 0)
        outputs["sent"] = sum(1 << int(move.out) for move in moves if move.out >= 0)
        if params.prediction:
            self._pass(inputs, outputs)
        if inputs["rst"]:
            reset(st, 0, self._cycle)
        self._cycle += 1
        return outputs

    def _pass(self, inputs: Values, outputs: dict[str, int | None]) -> None:
        """Bypass flits to the outputs without requests, and return which outputs these are."""
        params, st = self._params, self._state
        outputs["requested"] = requested = int(st.switch[0].requested)
        for o in range(params.ports):
            if requested >> o & 1:
                continue
            number = inputs[f"owner_{o}"]
            outputs[f"select_{o}"] = number
            if inputs["passed"] >> o & 1:
                i = formats.inputs(params, o)[number]
                v = inputs[f"passing_{i}"].bit_length() - 1
                if not inputs[f"tail_{i}"] >> v & 1:
                    hold_too(st, 0, i, v, o, self._cycle)
        outputs["sent"] = (outputs["sent"] or 0) | inputs["passed"]


def _present(params: SwitchParams, st: SwitchState, inputs: Values, packets: Packets) -> None:
    """Set all state but arbiters and held connections: one flit in each requesting VC, which owns VC 0 of its output.

    A speculating VC owns none, and requests all VCs. A waiting VC owns one without a credit, and does not request.
    """
    st.filled[0] = 0
    st.owners[:] = 0
    if params.speculates:
        st.heads[0] = 0
    for i in range(params.ports):
        st.credits[0, i] = params.depth
        st.output[0, i].credited = packets.credited[i]
        st.output[0, i].free = packets.free[i]
        for v in range(params.vcs):
            vc = st.vc[0, i, v]
            vc.count = vc.read = 0
            if inputs[f"request_{i}"] >> v & 1:
                push(st, 0, i, v, inputs[f"tail_{i}"] >> v & 1)
                out = max(0, inputs[f"want_{i}_{v}"].bit_length() - 1)
                speculates = inputs.get(f"speculates_{i}", 0) >> v & 1
                drops = inputs[f"drain_{i}"] >> v & 1
                vc.route = route_word(out, 0, params.vcs - 1 if speculates else 0, drops)
                vc.active = 1 - (speculates | drops)
                vc.claimed = 0
                vc.out_vc = 0
                owner_is(st, 0, out, i, v, int(vc.active))
                if speculates:
                    insert(st, st.heads, 0, i, v)
            elif (i, v) in packets.waiting:
                push(st, 0, i, v, 0)
                out, vc.out_vc = packets.waiting[i, v]
                vc.route = route_word(out, 0, params.vcs - 1, 0)
                vc.active, vc.claimed = 1, 0
                owner_is(st, 0, out, i, v, 1)


def _density(cycle: int, draw: random.Random) -> float:
    return (1.0, 0.9, 0.3, draw.random())[cycle // 100 % 4]


@cocotb.test()
async def requests(dut: Any) -> None:
    """All, many, few and random numbers of VCs request."""
    bench = Bench(dut, "requests")
    params = SwitchParams(**bench.parameters["switch"])
    draw = bench.random
    packets = Packets(params, draw)
    model = SwitchAllocator(params, packets)
    cover = bench.coverage
    hold = ["held", "hold lost", "held output refused"] if params.hold_packets else []
    contention = params.ports > 2 or params.u_turn
    cover.require(["all inputs granted", "choice not granted", "drain", "several drains", "reset", *hold])
    cover.require(["several inputs to one output"] if contention else [])
    cover.require(["u-turn"] if params.u_turn else [])
    owned_without_credit = ["wanted output takes nothing", "an owner without a credit, of an output asked for"]
    cover.require(owned_without_credit if params.vcs > 1 else [])
    cover.require(["granted on speculation", "misspeculated"] if params.speculates else [])
    cover.require(["sure before speculation in a port"] if params.speculates and params.vcs > 1 else [])
    cover.require(["sure before speculation at an output"] if params.speculation == "behind" and contention else [])
    cover.require(["several passed", "passed where held"] if params.prediction else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        if seen:
            packets.observe(seen, cover)
        inputs = packets.drive(_density(cycle, draw))
        if draw.random() < 0.004:
            inputs["rst"] = 1
            cover.hit("reset")
            packets.reset()
        if params.speculates:
            inputs |= model.answer(inputs)
            cover.hit("misspeculated", model.misspeculated)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
