"""Crossbar: partial matchings of inputs and outputs, from none to full; every output's flit, VC and tail.

An output's flit is not compared while it selects nobody. Without `u_turn` no output selects its own port.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.moves import Move, carry
from models.params import SwitchParams


class Crossbar:
    """Model: the flits that the selected moves carry."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        params = self._params
        state = self._state
        moves, data = [], []
        for o in range(params.ports):
            select = inputs[f"select_{o}"]
            if select:
                i = select.bit_length() - 1
                flit = Flit.read(params, inputs[f"source_{i}"])
                moves.append(Move(i, 0, o, flit.vc, flit.tail))
                data.append(flit.data)
        carry(state, moves, 0)
        outputs: dict[str, int | None] = {f"sink_{o}": None for o in range(params.ports)}
        for sent in state.sent[: len(moves)]:
            flit = Flit(int(sent.out_vc), int(sent.flit) & 1, data[int(sent.flit) >> 1])
            outputs[f"sink_{sent.out}"] = flit.word(params)
        return outputs


@cocotb.test()
async def matchings(dut: Any) -> None:
    """Match random numbers of ports."""
    bench = Bench(dut, "matchings")
    params = SwitchParams(**bench.parameters["switch"])
    ports = params.ports
    draw = bench.random
    cover = bench.coverage
    cover.require(["nothing", "all outputs"])
    cover.require(f"{i} to {o}" for i in range(ports) for o in range(ports) if params.u_turn or i != o)

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs = {
            f"source_{i}": Flit(
                draw.randrange(params.vcs), draw.getrandbits(1), draw.getrandbits(params.data_width)
            ).word(params)
            for i in range(ports)
        }
        wanted = draw.choice((0, ports, ports, draw.randint(0, ports)))
        left = set(range(ports))
        matched = 0
        for o in draw.sample(range(ports), wanted):
            choices = sorted(left if params.u_turn else left - {o})
            if choices:
                i = draw.choice(choices)
                left.remove(i)
                inputs[f"select_{o}"] = 1 << i
                cover.hit(f"{i} to {o}")
                matched += 1
        cover.hit("nothing", matched == 0)
        cover.hit("all outputs", matched == ports)
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, Crossbar(params))
