"""Amaranth's simulator for small components: cycle by cycle, inputs and outputs by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from amaranth.hdl import ClockDomain, Module
from amaranth.lib import data
from amaranth.sim import Simulator


def run_cycles(
    component: Any, cycles: int, stimulus: Callable[[int], dict[str, int]], outputs: Iterable[str], clocked: bool = True
) -> list[dict[str, int]]:
    """Return the outputs of each cycle; `stimulus` returns the inputs of a cycle, among them `rst`.

    A name with dots is a member of a port, such as "link.flit.valid"; an input left out keeps its value.
    """
    m = Module()
    m.domains.sync = domain = ClockDomain("sync")
    m.submodules.dut = component
    ports = {name: _port(component, name) for name in outputs}
    seen: list[dict[str, int]] = []

    async def bench(ctx: Any) -> None:
        for cycle in range(cycles):
            for name, value in stimulus(cycle).items():
                ctx.set(domain.rst if name == "rst" else _port(component, name), int(value))
            if not clocked:
                await ctx.delay(1e-7)
            seen.append({name: int(ctx.get(port)) for name, port in ports.items()})
            if clocked:
                await ctx.tick()

    simulator = Simulator(m)
    if clocked:
        simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def _port(component: Any, name: str) -> Any:
    port = component
    for part in name.split("."):
        port = getattr(port, part)
    return port.as_value() if isinstance(port, data.View) else port
