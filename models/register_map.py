"""Register map of a switch: the one table of its registers, read and written over a bus of 32 bits.

RTL (`hdl/bus/registers.py`), SystemRDL, C header, documents and the driver (`models/register_driver.py`) are made from
it. Addresses are in bytes, and are the same for every switch; a switch lacks the registers of what it does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from importlib.metadata import version

from models import formats
from models.formats import COUNTERS, Counter, Field, Layout
from models.params import SwitchParams, index_width
from models.params.parts import MAX_PORTS

WORD = 32
"""Bits of a register."""
WORD_BYTES = WORD // 8
ADDRESS_BITS = 14
ROW = 1 << index_width(MAX_PORTS)
"""Words between equal registers of two counters in a window, one for each port that a switch may have."""
STREAM_COUNT_BITS = WORD
"""Width of the counters of errors of AXI4-Streams."""
STREAM_ERROR = "bit i is 1: an error of `s_axis_<i>` was counted"
MAGIC = int.from_bytes(b"tsuj", "big")

STREAM_WINDOW, COUNTER_WINDOW = 0x1000, 0x2000
LPI_TIMES = ("lpi_idle", "lpi_sleep", "lpi_wake")
"""Registers of the times of low-power idle, in the order of `number` in `models.formats.lpi_time`."""


class Access(Enum):
    """What reads and writes of a field do."""

    CONSTANT = "constant: read only"
    STATUS = "state of the hardware: read only"
    STORED = "read and written"
    STICKY = "set by the hardware; read; writing 1 clears the bit"
    COMMAND = "write only: writing 1 acts once"

    @property
    def readable(self) -> bool:
        """Whether reads give the field."""
        return self is not Access.COMMAND

    @property
    def writable(self) -> bool:
        """Whether writes have an effect."""
        return self in (Access.STORED, Access.STICKY, Access.COMMAND)


@dataclass(frozen=True)
class RegisterField:
    """Bits of a register.

    Attributes
    ----------
    name : str
    low, width : int
        Lowest bit, and number of bits.
    access : Access
    meaning : str
    reset : int or None
        Value after reset; None if the state of the hardware decides.
    carries : str
        Name of the quantity of which the field has bits; a quantity of more than 32 bits has several fields.
    part : int
        Lowest of these bits of the quantity.
    """

    name: str
    low: int
    width: int
    access: Access
    meaning: str
    reset: int | None = None
    carries: str = ""
    part: int = 0

    @property
    def mask(self) -> int:
        """Bits of the register that the field has."""
        return (1 << self.width) - 1 << self.low


@dataclass(frozen=True)
class Register:
    """A register, or an array of `count` registers at consecutive words."""

    name: str
    address: int
    meaning: str
    fields: tuple[RegisterField, ...]
    count: int = 1

    @property
    def readable(self) -> bool:
        """Whether reads are answered; otherwise they are refused."""
        return any(field.access.readable for field in self.fields)

    @property
    def writable(self) -> bool:
        """Whether writes are accepted; otherwise they are refused."""
        return any(field.access.writable for field in self.fields)

    @property
    def reset(self) -> int | None:
        """Value after reset; None if the state of the hardware decides a part of it."""
        if any(field.reset is None for field in self.fields if field.access.readable):
            return None
        return sum((field.reset or 0) << field.low for field in self.fields)


@dataclass(frozen=True)
class Window:
    """Range of addresses with one array of registers, one for each port, per row of `ROW` words."""

    name: str
    address: int
    words: int
    meaning: str
    registers: tuple[Register, ...]


@dataclass(frozen=True)
class RegisterMap:
    """All registers of a switch, by address."""

    registers: tuple[Register, ...]
    windows: tuple[Window, ...]

    def every_register(self) -> Iterator[Register]:
        """Yield all registers, those of windows included."""
        yield from self.registers
        for window in self.windows:
            yield from window.registers

    def find(self, name: str) -> Register | None:
        """Return the register called `name`; None if the switch has none."""
        return next((register for register in self.every_register() if register.name == name), None)

    def carriers(self, quantity: str) -> list[tuple[Register, RegisterField]]:
        """Return the fields that carry a quantity, lowest bits first; none if the switch does not have it."""
        return [
            (register, field) for register in self.registers for field in register.fields if field.carries == quantity
        ]


def register_map(params: SwitchParams, *, table: bool = True, streams: int = 0) -> RegisterMap:
    """Return the register map of a switch.

    Parameters
    ----------
    params : SwitchParams
    table : bool
        Whether the table that replaces the CAM is included, and programmed through registers.
    streams : int
        Number of AXI4-Streams into the switch, which count errors.
    """
    registers = [*_identification(params, table, streams), *_interrupts(params, streams)]
    if params.has_cache:
        registers.append(_route_caches())
    if params.counter_width > WORD:
        registers.append(_counter_high(params))
    if params.lpi:
        registers += _low_power(params)
    if params.computed and params.crossbar is None:
        meaning = "coordinates of this switch; set before packets are sent"
        registers += _packed("position", 0x50, formats.position(params), meaning, "position.")
    if params.linear or (params.has_cam and table):
        registers += _program(params)
    windows = []
    if streams:
        windows.append(_stream_window(params, streams))
    if params.counter_width:
        windows.append(_counter_window(params))
    return RegisterMap(tuple(registers), tuple(windows))


def parameters_digest(params: SwitchParams, *, table: bool, streams: int) -> int:
    """Return 32 bits that differ if the parameters of two switches, or of their register maps, differ."""
    text = f"{params.model_dump_json()} table={table} streams={streams}"
    return int.from_bytes(sha256(text.encode()).digest()[:WORD_BYTES], "big")


def _identification(params: SwitchParams, table: bool, streams: int) -> list[Register]:
    release = re.match(r"(\d+)\.(\d+)\.(\d+)", version("tsuji"))
    major, minor, patch = map(int, release.groups()) if release else (0, 0, 0)
    digest = parameters_digest(params, table=table, streams=streams)
    return [
        _constants(
            "magic", 0x00, "what this is", (("value", WORD, MAGIC, '"tsuj" in ASCII, first letter in the high bits'),)
        ),
        _constants(
            "version",
            0x04,
            "version of tsuji that made the switch",
            (
                ("patch", 8, patch, "third number"),
                ("minor", 8, minor, "second number"),
                ("major", 8, major, "first number"),
            ),
        ),
        _constants(
            "parameters",
            0x08,
            "which parameters the switch has",
            (("digest", WORD, digest, "first 32 bits of the SHA-256 of all parameters of switch and register map"),),
        ),
        _constants(
            "shape",
            0x0C,
            "size of the switch",
            (
                ("ports", 8, params.ports, "ports"),
                ("vcs", 8, params.vcs, "virtual channels of a port"),
                ("data_width", 16, params.data_width, "bits of data of a flit"),
            ),
        ),
    ]


def _constants(name: str, address: int, meaning: str, fields: tuple[tuple[str, int, int, str], ...]) -> Register:
    """Return a register of constants; `fields` are name, width, value, meaning, lowest first."""
    made, low = [], 0
    for field, width, value, text in fields:
        made.append(RegisterField(field, low, width, Access.CONSTANT, text, value))
        low += width
    return Register(name, address, meaning, tuple(made))


def _interrupts(params: SwitchParams, streams: int) -> list[Register]:
    """Return the registers of interrupts, one bit per port for each cause; none if nothing can cause one."""
    causes = []
    if params.counter_width:
        meaning = "bit i is 1: flits that came in at port i were dropped"
        causes.append(("dropped", 0x18, params.ports, meaning))
    if streams:
        causes.append(("stream_error", 0x20, streams, STREAM_ERROR))
    if not causes:
        return []
    status, enable, sticky = [], [], []
    for bit, (name, address, count, meaning) in enumerate(causes):
        any_bit = f"a bit of {name} is 1"
        status.append(RegisterField(name, bit, 1, Access.STATUS, any_bit, 0, f"interrupt_status.{name}"))
        text = f"1: irq is 1 while {any_bit}"
        enable.append(RegisterField(name, bit, 1, Access.STORED, text, 0, f"interrupt_enable.{name}"))
        layout = (Field(name, count, meaning),)
        sticky += _packed(name, address, layout, f"{meaning}, since 1 was written to it", "", Access.STICKY)
    return [
        Register("interrupt_status", 0x10, "causes of an interrupt", tuple(status)),
        Register("interrupt_enable", 0x14, "causes that are passed on to the output `irq`", tuple(enable)),
        *sticky,
    ]


def _route_caches() -> Register:
    flushing = "1: all lookups miss, nothing is cached"
    return Register(
        "cache",
        0x28,
        "route caches of all ports",
        (
            RegisterField("flush", 0, 1, Access.COMMAND, "1: empty the route caches", 0, "flush"),
            RegisterField("flushing", 1, 1, Access.STATUS, flushing, None, "flushing"),
        ),
    )


def _counter_high(params: SwitchParams) -> Register:
    meaning = "high bits of the counter that was read last in the window counters, from the cycle of that read"
    field = RegisterField("value", 0, params.counter_width - WORD, Access.STATUS, meaning, 0, "counter_high")
    return Register("counter_high", 0x2C, "high bits of a counter", (field,))


def _low_power(params: SwitchParams) -> list[Register]:
    assert params.lpi is not None
    resets = params.lpi.idle, params.lpi.sleep, params.lpi.wake
    texts = (
        "T_lt: idle cycles after which a link goes to sleep; 0 counts as 1, all ones: never",
        "T_ls: cycles of the transition to low power; 0 counts as 1",
        "T_lw: cycles of the transition back; 0 counts as 1",
    )
    width = next(field.width for field in formats.lpi_time(params) if field.name == "cycles")
    times = [
        Register(
            name,
            0x30 + WORD_BYTES * number,
            text,
            (RegisterField("cycles", 0, width, Access.STORED, text, reset, name),),
        )
        for number, (name, text, reset) in enumerate(zip(LPI_TIMES, texts, resets, strict=True))
    ]
    hints = (Field("lpi_hint", params.ports, "bit o is 1: wake output link o, or keep it awake"),)
    return [*times, *_packed("lpi_hint", 0x40, hints, "wake hints from outside", "")]


def _program(params: SwitchParams) -> list[Register]:
    meaning = "an entry of the route table, to be entered by program_commit"
    cached = "; route caches keep the old route: flush" if params.has_cache else ""
    enter = RegisterField(
        "enter", 0, 1, Access.COMMAND, f"1: write the entry in program_… to the table{cached}", 0, "program"
    )
    return [
        Register("program_commit", 0x60, "write to the route table", (enter,)),
        *_packed("program", 0x80, formats.program(params), meaning, "program."),
    ]


def _packed(
    name: str, address: int, layout: Layout, meaning: str, quantity: str, access: Access = Access.STORED
) -> list[Register]:
    """Return the registers of a layout: its fields in their order, each within one register unless it is wider.

    Parameters
    ----------
    name : str
        Name of the register; several are numbered.
    address : int
        Address of the first one.
    layout : Layout
    meaning : str
    quantity : str
        What the names of the quantities that the fields carry begin with.
    access : Access
    """
    words: list[list[RegisterField]] = [[]]
    low = 0
    for field in layout:
        for part in range(0, field.width, WORD):
            width = min(WORD, field.width - part)
            if low + width > WORD:
                words.append([])
                low = 0
            split = field.width > WORD
            label = f"{field.name}_{part // WORD}" if split else field.name
            text = f"{field.meaning}; its bits {part + width - 1}:{part}" if split else field.meaning
            words[-1].append(RegisterField(label, low, width, access, text, 0, quantity + field.name, part))
            low += width
    return [
        Register(f"{name}_{number}" if len(words) > 1 else name, address + WORD_BYTES * number, meaning, tuple(fields))
        for number, fields in enumerate(words)
    ]


def stream_counters(params: SwitchParams) -> dict[str, str]:
    """Return the meanings of the counters of errors of a stream, by name, in the order of their rows."""
    counters = {"partial_words": "words of `s_axis_<i>` that were not whole"}
    if params.max_packet:
        counters["long_packets"] = f"packets of `s_axis_<i>` cut after {params.max_packet} flits"
    return counters


def _stream_window(params: SwitchParams, streams: int) -> Window:
    field = RegisterField("value", 0, STREAM_COUNT_BITS, Access.STATUS, f"value, modulo 2^{STREAM_COUNT_BITS}")
    registers = tuple(
        Register(name, STREAM_WINDOW + WORD_BYTES * ROW * row, meaning, (field,), streams)
        for row, (name, meaning) in enumerate(stream_counters(params).items())
    )
    return Window("streams", STREAM_WINDOW, 2 * ROW, "counters of the AXI4-Streams, one row for each", registers)


def _counter_window(params: SwitchParams) -> Window:
    width = min(params.counter_width, WORD)
    text = f"value, modulo 2^{params.counter_width}"
    if params.counter_width > WORD:
        text = "low bits; a read keeps the high bits of this counter in counter_high"
    field = RegisterField("value", 0, width, Access.STATUS, text)
    registers = tuple(
        Register(
            counter.name.lower(),
            COUNTER_WINDOW + WORD_BYTES * ROW * counter,
            "counter of port i",
            (field,),
            params.ports,
        )
        for counter in Counter
    )
    words = ROW << index_width(COUNTERS)
    return Window("counters", COUNTER_WINDOW, words, "statistics counters, one row for each", registers)
