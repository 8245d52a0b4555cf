"""A switch that was never reset: registers have their initial values, so it begins with a flush, as after a reset."""

import pytest
from amaranth.sim import Simulator, SimulatorContext

from hdl.top import Top
from models.params import CacheParams, SwitchParams
from models.top import PortInput, TopInput
from models.top import Top as Model

CYCLES = 12


@pytest.mark.parametrize(("entries", "ways"), [(8, 2), (4, 4)])
def test_the_first_flush_is_as_long_in_both(entries: int, ways: int) -> None:
    params = SwitchParams(ports=2, cache=CacheParams(entries=entries, ways=ways))
    rtl, model = Top(params), Model(params)
    flushing: list[bool] = []

    async def watch(context: SimulatorContext) -> None:
        for _ in range(CYCLES):
            flushing.append(bool(context.get(rtl.flushing)))
            await context.tick()

    simulator = Simulator(rtl)
    simulator.add_clock(1e-6)
    simulator.add_testbench(watch)
    simulator.run()
    sets = entries // ways
    assert flushing == [True] * sets + [False] * (CYCLES - sets)
    for expected in flushing:
        assert model.outputs().flushing == expected
        model.step(TopInput([PortInput() for _ in range(params.ports)]))
