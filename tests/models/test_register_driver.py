"""The driver over a bus that is a Python object with the registers of the table."""

from typing import Any

import pytest

from cocotb_tests.bus.registers.reference import OKAY, Reference
from models import formats
from models.errors import TsujiError
from models.formats import Counter
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, SwitchParams
from models.register_driver import RegisterDriver
from models.register_map import COUNTER_WINDOW, WORD, register_map

BASE = 0x4000_0000
TERNARY = SwitchParams(
    ports=34, vcs=2, tag_width=40, cam=CamParams(match="ternary", entries=16), cache=CacheParams(entries=0)
)
MESH = SwitchParams(ports=6, routing="dimension_order", radix=(5, 8), lpi=LpiParams())


class Bus:
    """Registers of a switch behind an address; counters read as their address."""

    def __init__(self, params: SwitchParams, **options: Any) -> None:
        self.map = register_map(params, **options)
        self.reference = Reference(self.map)
        self.reads = self.writes = 0
        self.flushing = 0
        self.high = 0
        self.driver = RegisterDriver(params, self.read, self.write, base=BASE, **options)

    def read(self, address: int) -> int:
        self.reads += 1
        place = address - BASE
        found = self.reference.at(place)
        assert found is not None
        if found[0] not in self.map.registers:
            self.high = place & 0xFF
            return place
        self.flushing = max(0, self.flushing - 1)
        self.reference.state |= {("cache", "flushing"): int(self.flushing > 0), ("counter_high", "value"): self.high}
        self.reference.state |= {("interrupt_status", "dropped"): 0, ("interrupt_status", "stream_error"): 0}
        response, value = self.reference.read(place)
        assert response == OKAY
        return value

    def write(self, address: int, value: int) -> None:
        self.writes += 1
        assert self.reference.write(address - BASE, value) == OKAY
        if "cache" in self.reference.commands:
            self.reference.commands.remove("cache")
            self.flushing = 4

    def entry(self, params: SwitchParams) -> dict[str, int]:
        """Return the fields of the entry in the registers."""
        values = self.reference.values
        return {
            field.name: sum(
                values[register.name, part.name] << part.part
                for register, part in self.map.carriers(f"program.{field.name}")
            )
            for field in formats.program(params)
        }


def test_identify() -> None:
    bus = Bus(SwitchParams())
    assert bus.driver.identify()[1:] == (5, 2, 64)
    bus.reference.values["parameters", "digest"] ^= 1
    with pytest.raises(
        TsujiError, match=r"^register parameters at 0x40000008 = 0x\w{8}: must be 0x\w{8}, that of the swi"
    ):
        bus.driver.identify()
    bus.reference.values["magic", "value"] = 3
    with pytest.raises(
        TsujiError, match=r"^register magic at 0x40000000 = 0x00000003: must be 0x7473756a, that of a sw"
    ):
        bus.driver.identify()


def test_routes_of_an_exact_table() -> None:
    bus = Bus(SwitchParams())
    bus.driver.program(0xABCD, 3, 1)
    assert bus.entry(SwitchParams()) == {"tag": 0xABCD, "found": 1, "out": 3, "vc_first": 1, "vc_last": 1}
    assert (bus.reads, bus.writes) == (0, 2)  # one word, and the command
    bus.driver.remove(0xABCD)
    assert bus.entry(SwitchParams())["found"] == 0
    assert bus.reference.commands == ["program_commit"] * 2


def test_routes_of_a_ternary_table() -> None:
    bus = Bus(TERNARY)
    bus.driver.program(0xFF_1234_5678, 33, mask=0xFF_0000_0000, entry=9)
    expected = {"tag": 0xFF_1234_5678, "found": 1, "out": 33, "vc_first": 0, "vc_last": 1}
    assert bus.entry(TERNARY) == expected | {"mask": 0xFF_0000_0000, "entry": 9}
    bus.driver.program(1, 2, entry=0)
    assert bus.entry(TERNARY)["mask"] == (1 << 40) - 1
    bus.driver.remove(1, entry=9)
    assert (bus.entry(TERNARY)["found"], bus.entry(TERNARY)["entry"]) == (0, 9)


def test_choices_of_adaptive_routes() -> None:
    params = SwitchParams(ports=40, vcs=4, adaptive=AdaptiveParams(escape_vcs=1))
    bus = Bus(params)
    bus.driver.program(1, 2, choices=[2, 39])
    assert bus.entry(params)["choices"] == 1 << 2 | 1 << 39


def test_flush_waits() -> None:
    bus = Bus(SwitchParams(cache=CacheParams(entries=16)))
    bus.driver.flush()
    assert (bus.writes, bus.reads) == (1, 4)
    bus = Bus(SwitchParams(cache=CacheParams(entries=4)))
    bus.write = lambda address, value: None  # type: ignore[method-assign]
    bus.driver = RegisterDriver(SwitchParams(cache=CacheParams(entries=4)), lambda address: 2, lambda *_: None)
    with pytest.raises(TsujiError, match=r"^register cache: flushing is 1 after 3 reads$"):
        bus.driver.flush()


def test_low_power_and_position() -> None:
    bus = Bus(MESH)
    assert bus.driver.lpi_times() == (1000, 4480, 2880)
    bus.driver.set_lpi_times(sleep=7)
    assert bus.driver.lpi_times() == (1000, 7, 2880)
    bus.driver.hint([0, 4])
    assert bus.driver.read("lpi_hint") == 0b10001
    bus.driver.set_position(4, 7)
    assert bus.driver.read("position") == 4 | 7 << 3


def test_counters_have_names() -> None:
    bus = Bus(SwitchParams())
    number = Counter.PACKETS_OUT
    assert bus.driver.counter("packets_out", 3) == COUNTER_WINDOW + 256 * number + 4 * 3
    assert list(bus.driver.counters(0)) == [counter.name.lower() for counter in Counter]
    wide = Bus(SwitchParams(counter_width=40))
    low = COUNTER_WINDOW + 4
    assert wide.driver.counter("flits_in", 1) == low | 4 << WORD


def test_interrupts() -> None:
    bus = Bus(TERNARY, streams=4)
    bus.driver.enable_interrupts(stream_error=True)
    assert bus.driver.read("interrupt_enable") == 2
    bus.reference.values |= {("dropped_0", "dropped_0"): 5, ("dropped_1", "dropped_1"): 2}
    assert bus.driver.dropped() == {0, 2, 33}
    bus.driver.clear_dropped([2, 33])
    assert bus.driver.dropped() == {0}
    bus.reference.values["stream_error", "stream_error"] = 8
    assert bus.driver.stream_errors() == {3}
    bus.driver.clear_stream_errors({3})
    assert bus.driver.stream_errors() == set()
    with pytest.raises(TsujiError, match=r"^streams = 4: must be 0 to 3$"):
        bus.driver.clear_stream_errors([4])


@pytest.mark.parametrize(
    ("params", "call", "message"),
    [
        ({}, lambda d: d.program(1 << 16, 0), "tag = 65536: must be 0 to 65535"),
        ({}, lambda d: d.program(1.5, 0), "tag = 1.5: must be a whole number, 0 to 65535"),
        ({}, lambda d: d.program(1, 5), "out = 5: must be 0 to 4"),
        ({}, lambda d: d.program(1, 2, 0, 2), "vc_last = 2: must be 0 to 1"),
        ({}, lambda d: d.program(1, 2, -1), "vc_first = -1: must be 0 to 1"),
        ({}, lambda d: d.program(1, 2, 1, 0), "vc_first = 1: must be at most vc_last = 0"),
        ({}, lambda d: d.program(1, 2, mask=1), 'mask, entry: only a switch with cam.match = "ternary" has them'),
        ({}, lambda d: d.program(1, 2, choices=[1]), "choices: only a switch with adaptive routing has them"),
        ({}, lambda d: d.set_lpi_times(idle=1), "lpi_idle: this switch has no such register"),
        ({}, lambda d: d.hint([1]), "lpi_hint: this switch has no such register"),
        ({}, lambda d: d.set_position(1), "position: 1 coordinates; the switch has 0 dimensions"),
        ({}, lambda d: d.counter("flits", 0), "counter flits: is unknown; allowed: flits_in, packets_in, "),
        ({}, lambda d: d.counter("flits_in", 5), "register flits_in: index = 5: must be 0 to 4"),
        ({}, lambda d: d.long_packets(0), "register long_packets: this switch has none; it has magic, "),
        (
            {},
            lambda d: d.enable_interrupts(stream_error=True),
            "interrupt_enable.stream_error: this switch has no such register",
        ),
        ({}, lambda d: d.read("program_commit"), "register program_commit: is write only"),
        ({}, lambda d: d.write("magic", 1), "register magic: is read only"),
        ({}, lambda d: d.write("program", 1 << 32), "register program = 4294967296: must be 0 to 4294967295"),
        (
            {"cam": TERNARY.cam},
            lambda d: d.program(1, 2),
            'entry is not set: a switch with cam.match = "ternary" needs it',
        ),
        ({"cam": TERNARY.cam}, lambda d: d.remove(1, entry=16), "entry = 16: must be 0 to 15"),
        ({"routing": "linear", "table_entries": 8}, lambda d: d.program(8, 1), "tag = 8: must be 0 to 7"),
        ({"routing": "linear", "table_entries": 8}, lambda d: d.flush(), "flush: this switch has no such register"),
        (MESH.model_dump(), lambda d: d.remove(1), 'no route table: routing = "dimension_order", and no table is'),
        (MESH.model_dump(), lambda d: d.set_position(5, 0), "x_0 = 5: must be 0 to 4"),
        (MESH.model_dump(), lambda d: d.set_lpi_times(wake=65536), "lpi_wake = 65536: must be 0 to 65535"),
    ],
)
def test_what_is_wrong_is_told(params: dict[str, Any], call: Any, message: str) -> None:
    with pytest.raises(TsujiError) as refused:
        call(Bus(SwitchParams(**params)).driver)
    assert str(refused.value).startswith(message)
