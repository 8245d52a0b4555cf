"""Output buffer: flits in runs, alone and with gaps, with resets; link and levels in every cycle.

The model computes the departure of a flit when it is granted; the hardware counts. With prediction flits are also sent
speculatively while the link is clear: right or wrong, they occupy the link.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.stall import stalls
from models import formats
from models.params import SwitchParams
from models.reset import reset
from models.transfer.output_buffer import buffered, depart, departure, full_outputs, link_clear


class OutputBuffer:
    """Model: output port 0 of a switch."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)
        self.cycle = 0
        self.under_way: dict[int, int] = {}

    @property
    def full(self) -> bool:
        """Whether nothing can be granted in the current cycle."""
        return bool(full_outputs(self._state, 0, self.cycle) & 1)

    @property
    def waiting(self) -> bool:
        """Whether a flit waits for the link in the current cycle."""
        return bool(buffered(self._state, 0, 0, self.cycle))

    @property
    def clear(self) -> bool:
        """Whether a flit granted in the current cycle goes straight to the link."""
        return bool(link_clear(self._state, 0, 0, self.cycle))

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        payload = self.under_way.pop(self.cycle, None)
        seen = {
            "link_valid": int(payload is not None),
            "link_payload": payload,
            "full": int(self.full),
            "waiting": int(self.waiting),
        }
        if self._params.prediction:
            seen["clear"] = int(self.clear)
        if inputs["rst"]:
            reset(self._state, 0, self.cycle)
            self.under_way.clear()
        elif inputs["flit_valid"]:
            self.under_way[departure(self._state, 0, 0, self.cycle)] = inputs["flit_payload"]
            depart(self._state, 0, 0, self.cycle)
        elif inputs.get("forward_speculatively"):
            depart(self._state, 0, 0, self.cycle)
        self.cycle += 1
        return seen


@cocotb.test()
async def flits(dut: Any) -> None:
    """Gaps of all patterns, up to what the buffer can take; resets."""
    bench = Bench(dut, "flits")
    params = SwitchParams(**bench.parameters["switch"])
    model = OutputBuffer(params)
    pauses = stalls("mixed", bench.random)
    cover = bench.coverage
    cover.require(
        ["straight to the link", "waits behind none", "waits behind others", "full", "reset with flits in it"]
    )
    cover.require(["comes as the last one leaves"])
    speculative = params.prediction is not None and params.has_cache
    cover.require(["speculative", "waits for a speculative one"] if speculative else [])
    forwarded_speculatively = 0  # cycle of the latest one

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal forwarded_speculatively
        send = not next(pauses) and not model.full
        waiting, busy = model.waiting, bool(model.under_way)
        inputs = {"flit_valid": int(send), "rst": int(bench.random.random() < 0.005)}
        inputs["flit_payload"] = bench.random.getrandbits(formats.width(formats.flit(params)))
        if speculative:
            inputs["forward_speculatively"] = int(not send and model.clear and bench.random.random() < 0.3)
            forwarded_speculatively = model.cycle if inputs["forward_speculatively"] else forwarded_speculatively
            cover.hit("speculative", inputs["forward_speculatively"])
            cover.hit("waits for a speculative one", send and forwarded_speculatively == model.cycle - 1)
        last = max(model.under_way, default=0)
        cover.hit("straight to the link", send and last + params.speedup <= model.cycle + 1)
        cover.hit("waits behind none", send and not waiting and last + params.speedup > model.cycle + 1)
        cover.hit("waits behind others", send and waiting)
        cover.hit("comes as the last one leaves", send and last == model.cycle + 1)
        cover.hit("full", model.full)
        cover.hit("reset with flits in it", inputs["rst"] and waiting and busy)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
