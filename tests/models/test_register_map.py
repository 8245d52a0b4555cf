"""The table of registers: every word has its place, and all bits of what a switch takes are carried."""

import pytest

from models import formats
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, SwitchParams
from models.register_map import (
    ADDRESS_BITS,
    WORD,
    WORD_BYTES,
    Access,
    Register,
    RegisterMap,
    parameters_digest,
    register_map,
)

TERNARY = CamParams(match="ternary", entries=1024)
SWITCHES = {
    "default": SwitchParams(),
    "most of all": SwitchParams(ports=62, vcs=16, tag_width=64, counter_width=64, cam=TERNARY, lpi=LpiParams()),
    "adaptive": SwitchParams(ports=46, vcs=4, tag_width=33, adaptive=AdaptiveParams(escape_vcs=1), cam=TERNARY),
    "mesh of many dimensions": SwitchParams(
        ports=11, routing="dimension_order", radix=(4096,) * 5, tag_width=64, counter_width=0
    ),
    "linear": SwitchParams(routing="linear", table_entries=16),
    "crossbar": SwitchParams(ports=5, routing="hyper_crossbar", radix=(5, 3), crossbar=0),
}


@pytest.fixture(params=SWITCHES)
def switch(request: pytest.FixtureRequest) -> SwitchParams:
    return SWITCHES[request.param]


@pytest.fixture
def registers(switch: SwitchParams) -> RegisterMap:
    return register_map(switch, streams=switch.ports)


def test_no_two_registers_have_one_address(registers: RegisterMap) -> None:
    addresses = [
        register.address + WORD_BYTES * index
        for register in registers.every_register()
        for index in range(register.count)
    ]
    assert len(set(addresses)) == len(addresses)
    assert all(address % WORD_BYTES == 0 and 0 <= address < 1 << ADDRESS_BITS for address in addresses)
    names = [register.name for register in registers.every_register()]
    assert len(set(names)) == len(names)


def test_fields_lie_within_their_register_and_do_not_overlap(registers: RegisterMap) -> None:
    for register in registers.every_register():
        taken = 0
        for field in register.fields:
            assert not taken & field.mask, register.name
            taken |= field.mask
            assert field.reset is None or field.reset < 1 << field.width, register.name
        assert 0 < taken < 1 << WORD, register.name


def test_windows_begin_at_a_multiple_of_their_size(registers: RegisterMap) -> None:
    for window in registers.windows:
        size = WORD_BYTES * window.words
        assert window.address % size == 0
        for register in window.registers:
            assert window.address <= register.address
            assert register.address + WORD_BYTES * register.count <= window.address + size
        others = [each.address for each in registers.registers]
        assert not any(window.address <= address < window.address + size for address in others)


def test_all_bits_of_what_a_switch_takes_are_carried_once(switch: SwitchParams, registers: RegisterMap) -> None:
    carried = {"program.": formats.program(switch)} if switch.programmed else {}
    if switch.computed and switch.crossbar is None:
        carried["position."] = formats.position(switch)
    if switch.lpi:
        carried[""] = (formats.Field("lpi_hint", switch.ports, ""),)
    assert carried or switch.crossbar is not None
    for prefix, layout in carried.items():
        for quantity in layout:
            parts = [field for _, field in registers.carriers(prefix + quantity.name)]
            low = 0
            for field in parts:
                assert field.part == low
                low += field.width
            assert low == quantity.width, quantity.name


def test_a_switch_lacks_registers_of_what_it_does_not_have() -> None:
    plain = register_map(SwitchParams(routing="linear", table_entries=16, counter_width=0))
    assert [register.name for register in plain.every_register()] == [
        "magic",
        "version",
        "parameters",
        "shape",
        "program_commit",
        "program",
    ]
    assert register_map(SwitchParams(), table=False).find("program_commit") is None
    assert register_map(SwitchParams()).find("counter_high") is None
    assert register_map(SwitchParams(counter_width=33)).find("counter_high") is not None


def test_reset_values_are_those_of_the_parameters() -> None:
    params = SwitchParams(lpi=LpiParams(idle="never", sleep=5, wake=6), cache=CacheParams(entries=8))
    found = {register.name: register.reset for register in register_map(params).registers}
    assert [found[name] for name in ("lpi_idle", "lpi_sleep", "lpi_wake")] == [65535, 5, 6]
    assert found["shape"] == 5 | 2 << 8 | 64 << 16
    assert found["magic"] == 0x7473756A
    assert found["cache"] is None


def test_digests_tell_switches_apart() -> None:
    others = [
        parameters_digest(params, table=table, streams=streams)
        for params in SWITCHES.values()
        for table in (True, False)
        for streams in (1, 2, 0)
    ]
    assert len(set(others)) == len(others)
    assert all(digest < 1 << WORD for digest in others)
    assert others[0] == parameters_digest(SwitchParams(ports=5), table=True, streams=1)


def test_a_register_is_read_or_written_if_a_field_is() -> None:
    registers: dict[str, Register] = {each.name: each for each in register_map(SwitchParams()).registers}
    assert (registers["magic"].readable, registers["magic"].writable) == (True, False)
    assert (registers["program"].readable, registers["program"].writable) == (True, True)
    assert (registers["program_commit"].readable, registers["program_commit"].writable) == (False, True)
    assert (registers["cache"].readable, registers["cache"].writable) == (True, True)
    assert {access for access in Access if access.writable} == {Access.STORED, Access.STICKY, Access.COMMAND}
