"""Registers alone: every register by the table, refused accesses, what a write does to the switch, interrupts."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles

from cocotb_tests.bfm.axi_lite import Manager
from cocotb_tests.bfm.transactions import Transactions
from cocotb_tests.bus.registers.reference import OKAY, SLVERR, Reference
from cocotb_tests.bus.registers.surroundings import STREAM_COUNTERS, Surroundings
from models import formats
from models.formats import Counter
from models.params import SwitchParams
from models.register_map import ADDRESS_BITS, LPI_TIMES, ROW, WORD, WORD_BYTES, Access, register_map


class Setting:
    """The design, its surroundings, the bus, and what it should do."""

    def __init__(self, dut: Any, test: str, pattern: str = "mixed") -> None:
        self.bench = Transactions(dut, test)
        parameters = self.bench.parameters
        self.dut, self.params = dut, SwitchParams(**parameters["switch"])
        options = parameters["options"]
        self.reference = Reference(register_map(self.params, **options))
        self.switch = Surroundings(dut, self.params, self.bench.random, streams=options.get("streams", 0))
        self.options = options
        self._pattern = pattern

    async def start(self) -> None:
        """Start and reset the design."""
        await self.bench.start()
        self.bus = Manager(self.dut, self._pattern, self.bench.random)
        self.switch.start()
        self.hardware(0)

    def hardware(self, flushing: int) -> None:
        """Set the state of the hardware that the bench decides."""
        if self.params.has_cache:
            self.dut.flushing.value = flushing
            self.reference.state["cache", "flushing"] = flushing
        self.reference.state.setdefault(("counter_high", "value"), 0)
        for name in ("dropped", "stream_error"):
            sticky = self.reference.map.carriers(name)
            some = any(self.reference.values[register.name, field.name] for register, field in sticky)
            self.reference.state["interrupt_status", name] = int(some)

    def expected(self, address: int) -> tuple[int, int]:
        """Return the response to a read, and the word."""
        found = self.reference.at(address)
        if found is None or self.reference.map.find(found[0].name) in self.reference.map.registers:
            self.hardware(self.reference.state.get(("cache", "flushing"), 0))
            return self.reference.read(address)
        register, index = found
        if register.name in STREAM_COUNTERS:
            return OKAY, self.switch.stream_counters[register.name][index]
        value = self.switch.counters[index, int(Counter[register.name.upper()])]
        self.reference.state["counter_high", "value"] = value >> WORD
        return OKAY, value & (1 << WORD) - 1

    async def read(self, address: int) -> None:
        """Read a word, and compare it."""
        seen = await self.bus.read(address)
        self.bench.compare(f"read of {address:#x}", seen, self.expected(address))

    async def write(self, address: int, value: int, size: int = WORD_BYTES) -> None:
        """Write bytes, and compare the response."""
        seen = await self.bus.write(address, value, size)
        self.bench.compare(f"write of {address:#x}", seen, self.reference.write(address, value, size))


@cocotb.test()
async def after_reset(dut: Any) -> None:
    """Every register, of arrays the first and the last, has its value of the table, also if it was written before."""
    setting = Setting(dut, "after_reset", "never")
    await setting.start()
    addresses = [
        address
        for register in setting.reference.map.every_register()
        for address in dict.fromkeys((register.address, register.address + WORD_BYTES * (register.count - 1)))
    ]
    for address in addresses:
        await setting.read(address)
        if not setting.reference.at(address)[0].readable:  # type: ignore[index]
            setting.bench.compare(f"read of {address:#x}", (await setting.bus.read(address))[0], SLVERR)
    for address in addresses:
        await setting.write(address, 0xFFFFFFFF)
    again = Setting(dut, "after_reset", "never")
    await again.start()
    for address in addresses:
        await again.read(address)
    again.bench.leave()


@cocotb.test()
async def random_accesses(dut: Any) -> None:
    """Any order of reads and writes, of words and of bytes, with and without a register, paused on all channels."""
    setting = Setting(dut, "random_accesses")
    draw, cover, reference = setting.bench.random, setting.bench.coverage, setting.reference
    cover.require([f"write {register.name}" for register in reference.map.registers if register.writable])
    cover.require([f"read {register.name}" for register in reference.map.registers])
    cover.require([f"read in {window.name}" for window in reference.map.windows])
    cover.require(["refused read", "refused write", "bytes"])
    await setting.start()
    for _ in range(setting.bench.cycles):
        if draw.random() < 0.1:
            setting.hardware(draw.randrange(2))
        address = _any_address(setting)
        found = reference.at(address)
        name = found[0].name if found else ""
        if draw.random() < 0.5:
            await setting.read(address)
            cover.hit("refused read", not found)
            if found and found[0] in reference.map.registers:
                cover.hit(f"read {name}")
            for window in reference.map.windows:
                cover.hit(f"read in {window.name}", found and found[0] in window.registers)
        else:
            size = draw.choice((1, 2, 4, 4))
            offset = draw.randrange(0, WORD_BYTES - size + 1)
            await setting.write(address + offset, draw.getrandbits(8 * size), size)
            cover.hit("refused write", not found or not found[0].writable)
            cover.hit("bytes", found and size < WORD_BYTES)
            if found and found[0].writable:
                cover.hit(f"write {name}")
    await _compare_commands(setting)
    setting.bench.leave()


def _any_address(setting: Setting) -> int:
    """Return the address of a register, one in or just beyond the registers of a window, or any."""
    draw, registers = setting.bench.random, setting.reference.map
    kind = draw.random()
    if kind > 0.95:
        return draw.randrange(0, 1 << ADDRESS_BITS, WORD_BYTES)
    if kind < 0.75 or not registers.windows:
        return draw.choice(registers.registers).address
    window = draw.choice(registers.windows)
    row = draw.choice((0, len(window.registers) - 1, len(window.registers), draw.randrange(window.words // ROW)))
    column = draw.choice((0, window.registers[0].count - 1, window.registers[0].count, draw.randrange(ROW)))
    return window.address + WORD_BYTES * (ROW * min(row, window.words // ROW - 1) + min(column, ROW - 1))


async def _compare_commands(setting: Setting) -> None:
    """Compare what reached the switch with what was written."""
    await ClockCycles(setting.dut.clk, 4)
    commands = setting.reference.commands
    setting.bench.compare("flushes", setting.switch.flushes, commands.count("cache"))
    setting.bench.compare("entries programmed", len(setting.switch.programmed), commands.count("program_commit"))


@cocotb.test()
async def reads_beside_writes(dut: Any) -> None:
    """Let reads and writes be under way together: they do not disturb each other."""
    setting = Setting(dut, "reads_beside_writes", "bursts")
    draw, reference = setting.bench.random, setting.reference
    constants = [each.address for each in reference.map.registers if each.fields[0].access is Access.CONSTANT]
    stored = [each.address for each in reference.map.registers if all(f.access is Access.STORED for f in each.fields)]
    await setting.start()

    async def reads() -> None:
        for _ in range(setting.bench.cycles // 2):
            await setting.read(draw.choice(constants))

    reading = cocotb.start_soon(reads())
    for _ in range(setting.bench.cycles // 2 if stored else 0):
        await setting.write(draw.choice(stored), draw.getrandbits(WORD))
    await reading
    for address in stored:
        await setting.read(address)
    setting.bench.leave()


@cocotb.test()
async def what_reaches_the_switch(dut: Any) -> None:
    """Entries, times, hints and the position arrive as written, once each."""
    setting = Setting(dut, "what_reaches_the_switch", "often")
    params, draw, bench, switch = setting.params, setting.bench.random, setting.bench, setting.switch
    await setting.start()
    driver = setting.bus.driver(params, **setting.options)
    identified = await driver.identify()
    bench.compare("shape", identified[1:], (params.ports, params.vcs, params.data_width))
    if setting.reference.map.carriers("program"):
        await _program(setting, driver)
    if params.lpi:
        for number, _name in enumerate(LPI_TIMES):
            cycles = draw.getrandbits(16)
            await driver.set_lpi_times(**{("idle", "sleep", "wake")[number]: cycles})
            await ClockCycles(dut.clk, 3)
            bench.compare(
                "time", switch.times[-1], formats.pack(formats.lpi_time(params), {"number": number, "cycles": cycles})
            )
            bench.compare("time that is read", (await driver.lpi_times())[number], cycles)
        bench.compare("times", len(switch.times), len(LPI_TIMES))
        ports = draw.sample(range(params.ports), 2)
        await driver.hint(ports)
        bench.compare("hints", int(dut.lpi_hint.value), sum(1 << port for port in ports))
    if params.radix:
        place = {f"x_{d}": draw.randrange(size) for d, size in enumerate(params.position_radix)}
        await driver.set_position(*place.values())
        bench.compare("position", int(dut.position.value), formats.pack(formats.position(params), place))
    setting.bench.leave()


async def _program(setting: Setting, driver: Any) -> None:
    """Enter and remove routes of all kinds, and compare the entries that reach the switch."""
    params, draw, layout = setting.params, setting.bench.random, formats.program(setting.params)
    for number in range(12):
        removes = number % 4 == 3
        first, last = sorted(draw.randrange(params.vcs) for _ in range(2))
        choices = draw.getrandbits(params.ports) if params.selects else 0
        route = {
            "found": 1,
            "out": draw.randrange(params.ports),
            "vc_first": first,
            "vc_last": last,
            "choices": choices,
        }
        tags = params.programmed_entries if params.linear else 1 << params.tag_width
        place = {"tag": draw.randrange(tags)}
        if params.ternary:
            place |= {"mask": draw.getrandbits(params.tag_width), "entry": draw.randrange(params.cam.entries)}
        if removes:
            route = dict.fromkeys(route, 0)
            await driver.remove(**place)
        else:
            ports = [port for port in range(params.ports) if choices >> port & 1]
            await driver.program(**place, out=route["out"], vc_first=first, vc_last=last, choices=ports)
        await ClockCycles(setting.dut.clk, 3)
        values = route | place
        expected = formats.pack(layout, {field.name: values[field.name] for field in layout})
        setting.bench.compare("entries", len(setting.switch.programmed), number + 1)
        setting.bench.compare("entry", setting.switch.programmed[-1], expected)


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """Each drop and each error of a stream sets its bit, until it is cleared; what is enabled interrupts."""
    setting = Setting(dut, "interrupts", "often")
    params, draw, bench, switch = setting.params, setting.bench.random, setting.bench, setting.switch
    await setting.start()
    driver = setting.bus.driver(params, **setting.options)
    kinds: list[tuple[str, Any, Any, Any]] = []
    causes = setting.reference.map.find("interrupt_status")
    status = {field.name: field.mask for field in causes.fields} if causes else {}
    if params.counter_width:
        kinds.append(("dropped", switch.drop, driver.dropped, driver.clear_dropped))
    if setting.options.get("streams"):
        kinds.append(("stream_error", switch.fail, driver.stream_errors, driver.clear_stream_errors))
    for name, happen, told, clear in kinds:
        for enabled in (False, True):
            await driver.enable_interrupts(**{name: enabled})
            for _ in range(4):
                most = params.ports if name == "dropped" else setting.options["streams"]
                ports = set(draw.sample(range(most), draw.randint(1, most)))
                for port in ports:
                    for _ in range(draw.randint(1, 3)):
                        happen(port)
                await ClockCycles(dut.clk, 2 * params.ports + 4)
                bench.compare(f"irq for {name}", switch.interrupted, enabled)
                bench.compare(name, await told(), ports)
                bench.compare("status", await driver.read("interrupt_status"), status[name])
                first = draw.choice(sorted(ports))
                await clear([first])
                bench.compare(f"{name} but one", await told(), ports - {first})
                await clear(ports)
                await ClockCycles(dut.clk, 3)
                bench.compare(f"{name} cleared", await told(), set())
                bench.compare("irq cleared", switch.interrupted, False)
        await driver.enable_interrupts()
    bench.leave()
