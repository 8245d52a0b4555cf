"""Low-power idle: one link's controller, wanted seldom, often and in bursts, its times changed, under resets.

Compared in every cycle: the phase, whether flits may be sent, and whether the link begins to wake.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from hdl.power.lpi import Phase
from models.formats import Counter
from models.params import SwitchParams
from models.power import lpi

PHASES: dict[int, Any] = {
    lpi.ACT: Phase.ACT,
    lpi.SLEEP: Phase.SLEEP,
    lpi.LPI: Phase.LPI,
    lpi.REFRESH: Phase.REFRESH,
    lpi.WAKE: Phase.WAKE,
}


class Link:
    """Model: output link 0 of a switch."""

    def __init__(self, params: SwitchParams) -> None:
        self.state = power_up(params)
        self._cycle = 0

    @property
    def phase(self) -> int:
        """Phase in the present cycle."""
        return int(self.state.link_power[0, 0].phase)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        st = self.state
        phase = PHASES[self.phase]
        wakes = int(st.counters[0, 0, Counter.LINK_WAKES])
        for number, name in enumerate(("idle", "sleep", "wake")):
            lpi.lpi_write(st, 0, number, inputs[name])
        lpi.lpi_advance(st, 0, 0, self._cycle + 1, inputs["wanted"] == 1)
        wakes = int(st.counters[0, 0, Counter.LINK_WAKES]) - wakes
        if inputs["rst"]:
            lpi.lpi_reset(st, 0, self._cycle)
        self._cycle += 1
        return {"phase": phase.value, "active": int(phase == Phase.ACT), "wakes": wakes}


@cocotb.test()
async def wants(dut: Any) -> None:
    """All moods; the times of each are drawn anew now and then, 0 and 1 among them."""
    bench = Bench(dut, "wants")
    params = SwitchParams(**bench.parameters["switch"])
    given, model = params.lpi, Link(params)
    assert given is not None
    draw = bench.random
    cover = bench.coverage
    names = [f"reset in {name}" for name in Phase.__members__ if name != "REFRESH" or given.refresh_interval]
    cover.require(["wanted while going to sleep", "wanted in the last cycle of SLEEP", "woken from LPI", *names])
    cover.require(["woken from REFRESH"] if given.refresh_interval else [])
    times = {"idle": given.idle, "sleep": given.sleep, "wake": given.wake}
    odds = 0.0

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal odds
        if draw.random() < 0.02:
            odds = draw.choice((0.0, 0.01, 0.1, 0.5, 1.0))
        if draw.random() < 0.01:
            times[draw.choice(list(times))] = draw.choice((0, 1, 2, 3, draw.randrange(40)))
        inputs = {"wanted": int(draw.random() < odds), "rst": int(draw.random() < 0.005), **times}
        link, phase = model.state.link_power[0, 0], PHASES[model.phase]
        wanted = bool(inputs["wanted"])
        cover.hit("wanted while going to sleep", wanted and phase == Phase.SLEEP and link.timer > 1)
        cover.hit("wanted in the last cycle of SLEEP", wanted and phase == Phase.SLEEP and link.timer <= 1)
        cover.hit("woken from LPI", wanted and phase == Phase.LPI)
        cover.hit(f"reset in {phase.name}", inputs["rst"])
        if given.refresh_interval:
            cover.hit("woken from REFRESH", wanted and phase == Phase.REFRESH)
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)
