"""Bypass: one output port of a whole switch under random traffic; owner and bypassing flit in every cycle.

The model is a switch; the design gets the signals at the bypass of this output. Not compared: the owner while no input
port owns the output, and all outputs in a cycle of reset.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from cocotb_tests.unit.predict.bypass.output import Before, Output
from models.params import SwitchParams
from models.top import RESET


class Traffic:
    """A switch under traffic, and the inputs and outputs of the bypass of one of its outputs."""

    def __init__(self, bench: Bench) -> None:
        self._params = SwitchParams(**bench.parameters["switch"])
        self._draw, self._cover = bench.random, bench.coverage
        position = tuple(bench.parameters["position"])
        self._output = Output(self._params, bench.parameters["out"], bench.random.getrandbits(30), position)
        self._expected: dict[str, Expected] = {}
        self._cover.require(
            ["owner by connection", "owner by prediction", "several are named", "body flit", "one flit"]
        )
        self._cover.require(["requested", "right", "wrong", "refused for want of a credit", "reset while connected"])
        self._cover.require(["head not available"])
        self._cover.require(["owner by use", "owner is the lowest"] if self._params.predicts_local else [])

    def drive(self, cycle: int, seen: Values) -> Values:
        """Advance by a cycle, and return the bypass's inputs in it."""
        output, draw = self._output, self._draw
        before = output.advance()
        count, vcs = len(output.sources), self._params.vcs
        inputs: Values = {f"input_vcs_{n}": draw.randrange(vcs) for n in range(count)}
        inputs |= {f"arrives_{n}": before.arrives[n] for n in range(count)}
        inputs |= {name: _mask(bits) for name, bits in (("named", before.named), ("head", before.head))}
        inputs |= {"available": before.available, "has_credit": before.has_credit}
        # Without a flit sent these inputs are random; of a tail, only the VCs.
        inputs |= {"select": draw.randrange(count), "flit_vc": draw.randrange(vcs), "tail": draw.getrandbits(1)}
        if self._params.has_cache:
            inputs |= {"confirmed": int(before.confirmed is not None), "confirmed_tail": before.shown_tail}
            inputs["confirmed_vc"] = draw.randrange(vcs) if before.confirmed is None else before.confirmed
        if before.control[RESET]:
            self._cover.hit("reset while connected", before.connected)
            self._expected = dict.fromkeys(("owner", "meets", "passes"))
            return inputs | {"rst": 1}

        requested, sent = output.requested(), output.sent()
        owner = before.owner
        meets = output.meets(before)
        passes = 1 << owner if owner is not None and sent and not requested else 0
        inputs |= {"requested": int(requested), "sent": int(sent)}
        if not self._params.has_cache:
            # `right` of a head matters only if it meets the conditions.
            inputs["right"] = draw.getrandbits(count) & ~meets | meets & passes
        if owner is not None and not requested:
            inputs["select"] = owner
        if sent:
            goes_on = output.connection()
            inputs["select"] = output.latest()
            inputs["tail"] = int(goes_on is None)
            if goes_on is not None:
                inputs["flit_vc"] = goes_on.output_vc
                inputs[f"input_vcs_{goes_on.number}"] = goes_on.vc
        self._expected = {"owner": owner, "meets": meets, "passes": passes}
        self._count(before, inputs, meets, passes)
        return inputs

    def expected(self, inputs: Values) -> dict[str, Expected]:
        """Return the outputs of the cycle for which inputs were driven last."""
        return self._expected

    def _count(self, before: Before, inputs: Values, meets: int, passes: int) -> None:
        hit = self._cover.hit
        right = bool(meets & passes) or before.confirmed is not None
        hit("owner by connection", before.connected)
        hit("owner by prediction", not before.connected and any(before.named))
        hit("several are named", sum(before.named) > 1)
        if self._params.predicts_local and not before.connected and sum(before.named) > 1:
            hit("owner by use", before.owner != before.named.index(True))
            hit("owner is the lowest", before.owner == before.named.index(True))
        hit("body flit", passes & ~meets)
        hit("one flit", (meets & passes and inputs["tail"]) or (right and self._params.has_cache and before.shown_tail))
        hit("requested", inputs["requested"])
        hit("right", right)
        hit("wrong", self._output.squashed)
        if before.owner is None or inputs["requested"]:
            return
        arrives = before.arrives[before.owner]
        head = before.head[before.owner]
        hit("head not available", not before.connected and head and arrives and not arrives & before.available)
        hit("refused for want of a credit", before.connected and arrives and not passes and not head)


def _mask(bits: list[bool]) -> int:
    return sum(1 << n for n, bit in enumerate(bits) if bit)


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Random traffic: everything that neighbours and operator may do."""
    bench = Bench(dut, "traffic")
    switch = Traffic(bench)
    await bench.start()
    await bench.random_traffic(switch.drive, switch.expected)
