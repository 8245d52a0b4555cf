"""Crossbar: partial matchings of inputs and outputs, from none to full; flit, VC and tail of each output.

In the switch the `select` of an output without a flit is undefined. So outputs outside the matching select at random:
an input that others select, too, or a number beyond the last input; only then the flit is not compared.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.moves import carry
from hdl import formats
from models.params import SwitchParams
from models.transfer.output_unit import output_credit


class Crossbar:
    """Model: the flits of the selected moves."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """Advance by one cycle; each output separately, since several may select one input."""
        params = self._params
        state = self._state
        outputs: dict[str, int | None] = {}
        for o in range(params.ports):
            numbered = formats.inputs(params, o)
            select = inputs[f"select_{o}"]
            if select >= len(numbered):
                outputs[f"sink_{o}"] = None
                continue
            flit = Flit.read(params, inputs[f"source_{numbered[select]}"])
            sent = carry(state, numbered[select], 0, o, flit.vc, flit.tail)
            output_credit(state, 0, o, flit.vc)  # so that there is always a credit to spend
            outputs[f"sink_{sent.out}"] = Flit(sent.out_vc, sent.flit & 1, flit.data).word(params)
        return outputs


@cocotb.test()
async def matchings(dut: Any) -> None:
    """Draw matchings of random size."""
    bench = Bench(dut, "matchings")
    params = SwitchParams(**bench.parameters["switch"])
    ports = params.ports
    numbered = [formats.inputs(params, o) for o in range(ports)]
    numbers = 1 << formats.select_bits(params)
    draw = bench.random
    cover = bench.coverage
    cover.require(["nothing matched", "all outputs"])
    cover.require(f"{i} to {o}" for o in range(ports) for i in numbered[o])
    cover.require(["an input to several outputs"] if ports > 2 or params.u_turn else [])
    cover.require(["beyond the last input"] if numbers > len(numbered[0]) else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs = {
            f"source_{i}": Flit(
                draw.randrange(params.vcs), draw.getrandbits(1), draw.getrandbits(params.data_width)
            ).word(params)
            for i in range(ports)
        }
        inputs |= {f"select_{o}": draw.randrange(numbers) for o in range(ports)}
        wanted = draw.choice((0, ports, ports, draw.randint(0, ports)))
        left = set(range(ports))
        matched = 0
        for o in draw.sample(range(ports), wanted):
            choices = sorted(left & set(numbered[o]))
            if choices:
                i = draw.choice(choices)
                left.remove(i)
                inputs[f"select_{o}"] = numbered[o].index(i)
                matched += 1
        taken = [(inputs[f"select_{o}"], o) for o in range(ports)]
        crossing = [(numbered[o][number], o) for number, o in taken if number < len(numbered[o])]
        for i, o in crossing:
            cover.hit(f"{i} to {o}")
        cover.hit("nothing matched", matched == 0)
        cover.hit("all outputs", matched == ports)
        if ports > 2 or params.u_turn:
            cover.hit("an input to several outputs", len({i for i, _ in crossing}) < len(crossing))
        if numbers > len(numbered[0]):
            cover.hit("beyond the last input", len(crossing) < ports)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Crossbar(params))
