"""Low-power idle: controller of one link, wanted seldom, often and in bursts; times that change; resets.

Compared in every cycle: the phase, whether flits may be sent, and whether the link begins to wake up.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from hdl.power.lpi import Phase
from models.formats import Counter
from models.params import NEVER_IDLE, SwitchParams
from models.power import lpi
from models.reset import reset

PHASES: dict[int, Any] = {
    lpi.ACT: Phase.ACT,
    lpi.SLEEP: Phase.SLEEP,
    lpi.LPI: Phase.LPI,
    lpi.REFRESH: Phase.REFRESH,
    lpi.WAKE: Phase.WAKE,
}


LONGEST = 40  # longest time drawn, cycles
PERIOD, AWAKE, ALONE, RESET = 1000, 2 * LONGEST + 2, 70, 200


class Link:
    """Model: output link 0 of a switch."""

    def __init__(self, params: SwitchParams) -> None:
        self.state = power_up(params)
        self._cycle = 0

    @property
    def phase(self) -> int:
        """Phase in the current cycle."""
        return int(self.state.link_power[0, 0].phase)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        st = self.state
        phase = PHASES[self.phase]
        wakes = int(st.counters[0, 0, Counter.LINK_WAKES])
        for number, name in enumerate(("idle", "sleep", "wake")):
            lpi.lpi_write(st, 0, number, inputs[name], self._cycle - 1)
        lpi.lpi_advance(st, 0, 0, self._cycle + 1, inputs["wanted"] == 1)
        wakes = int(st.counters[0, 0, Counter.LINK_WAKES]) - wakes
        if inputs["rst"]:
            reset(st, 0, self._cycle)
        self._cycle += 1
        return {"phase": phase.value, "active": int(phase == Phase.ACT), "wakes": wakes}


@cocotb.test()
async def wants(dut: Any) -> None:
    """All densities of wants; times drawn anew from time to time, 0 and 1 among them.

    Periodically the link is wanted until it is awake and has read an idle time of 0, or "never", and is then not
    wanted. And it is left alone until it sleeps, then wanted, with a reset in one of the phases that follow.
    """
    bench = Bench(dut, "wants")
    params = SwitchParams(**bench.parameters["switch"])
    given, model = params.lpi, Link(params)
    assert given is not None
    draw = bench.random
    cover = bench.coverage
    refreshed = 0 < given.refresh_interval < ALONE  # longer intervals are tested only by `refreshes`
    phases = [phase for phase in Phase.__members__.values() if phase != Phase.REFRESH or refreshed]
    names = [f"reset in {phase.name}" for phase in phases]
    cover.require(["wanted while going to sleep", "wanted in the last cycle of SLEEP", "woken from LPI", *names])
    cover.require(["idle time of 0", f"never, unwanted for {ALONE} cycles"])
    cover.require(["woken from REFRESH"] if refreshed else [])
    times = {"idle": given.idle, "sleep": given.sleep, "wake": given.wake}
    odds = 0.0
    turn_of_reset = -1

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal odds, turn_of_reset
        if draw.random() < 0.02:
            odds = draw.choice((0.0, 0.01, 0.1, 0.5, 1.0))
        if draw.random() < 0.01:
            times[draw.choice(list(times))] = draw.choice((0, 1, 2, 3, draw.randrange(LONGEST)))
        inputs = {"wanted": int(draw.random() < odds), "rst": int(draw.random() < 0.005), **times}
        turn, at = divmod(cycle, PERIOD)
        if at < AWAKE + ALONE:
            inputs |= {"wanted": int(at < AWAKE), "rst": 0, "idle": NEVER_IDLE if turn & 1 else 0}
        link, phase = model.state.link_power[0, 0], PHASES[model.phase]
        if RESET <= at < RESET + 150:
            inputs["wanted"] = int(at == RESET or at >= RESET + 140)  # wanted at first, so that "never" ends
            if turn_of_reset < turn and phase == phases[turn % len(phases)]:
                turn_of_reset, inputs["rst"] = turn, 1
        wanted = bool(inputs["wanted"])
        cover.hit("idle time of 0", not wanted and phase == Phase.ACT and link.timer == 0)
        never = turn & 1 and at == AWAKE + ALONE - 1 and phase == Phase.ACT and link.timer == NEVER_IDLE
        cover.hit(f"never, unwanted for {ALONE} cycles", never)
        cover.hit("wanted while going to sleep", wanted and phase == Phase.SLEEP and link.timer > 1)
        cover.hit("wanted in the last cycle of SLEEP", wanted and phase == Phase.SLEEP and link.timer <= 1)
        cover.hit("woken from LPI", wanted and phase == Phase.LPI)
        if phase in phases:
            cover.hit(f"reset in {phase.name}", inputs["rst"])
        if refreshed:
            cover.hit("woken from REFRESH", wanted and phase == Phase.REFRESH)
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)


@cocotb.test()
async def longest(dut: Any) -> None:
    """No want for longer than the timer counts: the link never sleeps, or it sleeps after the longest time."""
    bench = Bench(dut, "longest")
    model = Link(SwitchParams(**bench.parameters["switch"]))
    await bench.start()
    for idle, phase in ((NEVER_IDLE, lpi.ACT), (NEVER_IDLE - 1, lpi.SLEEP)):

        def stimulus(cycle: int, seen: Values, idle: int = idle) -> Values:
            return {"wanted": int(cycle == 0), "rst": 0, "idle": idle, "sleep": NEVER_IDLE, "wake": 1}

        await bench.lockstep(NEVER_IDLE + 3, stimulus, model)
        assert model.phase == phase


@cocotb.test()
async def refreshes(dut: Any) -> None:
    """No want for three refresh intervals and refreshes: each has its exact duration, even a long one."""
    bench = Bench(dut, "refreshes")
    params = SwitchParams(**bench.parameters["switch"])
    assert params.lpi is not None
    if not params.lpi.refresh_interval:
        return
    model, phases = Link(params), []

    def stimulus(cycle: int, seen: Values) -> Values:
        phases.append(PHASES[model.phase])
        return {"wanted": 0, "rst": 0, "idle": 1, "sleep": 1, "wake": 1}

    await bench.start()
    until = params.lpi.idle + 3 * (params.lpi.refresh_interval + params.lpi.refresh) + 5
    await bench.lockstep(until, stimulus, model)
    assert sum(one != Phase.REFRESH == other for one, other in pairwise(phases)) >= 3
