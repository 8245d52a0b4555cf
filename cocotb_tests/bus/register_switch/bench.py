"""Switch with registers: programmed by the driver over AXI4-Lite, packets follow; counters are those of the bench."""

from __future__ import annotations

from collections import Counter as Count
from typing import Any

import cocotb

from cocotb_tests.bfm.axi_lite import Manager
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.transactions import Transactions
from cocotb_tests.bus.register_switch.neighbours import Neighbours
from models import formats
from models.params import SwitchParams


class Expected:
    """What the switch should deliver and count."""

    def __init__(self, ports: int) -> None:
        self.flits: list[list[Flit]] = [[] for _ in range(ports)]
        self.counters: list[Count[str]] = [Count() for _ in range(ports)]

    def sent(self, flits: list[Flit], port: int, out: int | None) -> None:
        """Note a packet that goes in at `port` and comes out of `out`, or is dropped."""
        self._count(port, "in", flits)
        if out is None:
            self._count(port, "dropped", flits)
        else:
            self._count(out, "out", flits)
            self.flits[out] += flits

    def _count(self, port: int, way: str, flits: list[Flit]) -> None:
        self.counters[port] += Count({f"flits_{way}": len(flits), f"packets_{way}": 1})


async def _compare(bench: Transactions, driver: Any, neighbours: Neighbours, expected: Expected) -> None:
    """Compare flits that arrived, in any order of packets, and counters."""
    for port, (flits, counters) in enumerate(zip(expected.flits, expected.counters, strict=True)):
        arrived = sorted((flit.data, flit.tail) for flit in neighbours.arrived[port])
        bench.compare(f"flits out of port {port}", arrived, sorted((flit.data, flit.tail) for flit in flits))
        for name in ("flits", "packets"):
            for way in ("in", "out", "dropped"):
                seen = await driver.counter(f"{name}_{way}", port)
                bench.compare(f"{name}_{way} of port {port}", seen, counters[f"{name}_{way}"])


@cocotb.test()
async def routes(dut: Any) -> None:
    """Packets take the routes that were programmed last; those without a route are dropped, counted and told."""
    bench = Transactions(dut, "routes")
    params, draw = SwitchParams(**bench.parameters["switch"]), bench.random
    if not params.programmed:
        return
    neighbours = Neighbours(dut, params, draw)
    await bench.start()
    driver = Manager(dut, "mixed", draw).driver(params, base=bench.parameters.get("base", 0))
    neighbours.start()
    bench.compare("ports", (await driver.identify()).ports, params.ports)
    await driver.enable_interrupts(dropped=True)
    expected = Expected(params.ports)
    table: dict[int, int] = {}
    tags = draw.sample(range(params.programmed_entries), 6)
    for _ in range(bench.cycles):
        for tag in draw.sample(tags, 3):
            entry = {"entry": tags.index(tag)} if params.ternary else {}
            if draw.random() < 0.7:
                table[tag] = draw.randrange(params.ports)
                await driver.program(tag, table[tag], **entry)
            elif tag in table:
                del table[tag]
                await driver.remove(tag, **entry)
        if params.has_cache:
            await driver.flush()
        lost = set()
        for _ in range(20):
            port, tag = draw.randrange(params.ports), draw.choice(tags)
            out = table.get(tag)
            out = None if out == port and not params.u_turn else out
            flits = neighbours.send(port, tag, draw.randint(params.header_flits, params.header_flits + 4))
            expected.sent(flits, port, out)
            lost |= {port} if out is None else set()
        await neighbours.settle()
        bench.compare("irq", bool(int(dut.irq.value)), bool(lost))
        bench.compare("ports that dropped flits", await driver.dropped(), lost)
        await driver.clear_dropped(lost)
    await _compare(bench, driver, neighbours, expected)
    bench.leave()


@cocotb.test()
async def computed_routes(dut: Any) -> None:
    """Where routes are computed, packets go where the position that was set tells; its links wake by a hint."""
    bench = Transactions(dut, "computed_routes")
    params, draw = SwitchParams(**bench.parameters["switch"]), bench.random
    if params.programmed:
        return
    neighbours = Neighbours(dut, params, draw)
    await bench.start()
    driver = Manager(dut, "often", draw).driver(params, base=bench.parameters.get("base", 0))
    neighbours.start()
    place = [draw.randrange(1, size) for size in params.radix]
    await driver.set_position(*place)
    await driver.set_lpi_times(idle=30, sleep=20, wake=10)
    expected = Expected(params.ports)
    layout = formats.tag(params)
    for _ in range(4 * bench.cycles):
        other = list(place)
        dimension, way = draw.randrange(len(place)), draw.choice((-1, 1))
        other[dimension] += way
        if not 0 <= other[dimension] < params.radix[dimension]:
            continue
        fields = {field.name: 0 for field in layout} | {f"x_{d}": x for d, x in enumerate(other)}
        flits = neighbours.send(params.first_local, formats.pack(layout, fields), 3)
        expected.sent(flits, params.first_local, 2 * dimension + (way < 0))
    await neighbours.settle()
    await _compare(bench, driver, neighbours, expected)
    before = [await driver.counter("link_wakes", port) for port in range(params.ports)]
    await driver.hint([1])
    await neighbours.run(100)
    lpi = await driver.counter("link_act", 1)
    await neighbours.run(100)
    bench.compare("awake", await driver.counter("link_act", 1) >= lpi + 100, True)
    after = [await driver.counter("link_wakes", port) for port in range(params.ports)]
    bench.compare(
        "wakes", [b - a for a, b in zip(before, after, strict=True)], [int(port == 1) for port in range(params.ports)]
    )
    bench.leave()
