"""Driver of a switch's registers, over any bus: two functions read and write one word."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import NamedTuple

from models import formats
from models.errors import TsujiError
from models.formats import Counter
from models.params import TIME_BITS, SwitchParams
from models.register_map import LPI_TIMES, WORD, WORD_BYTES, Access, Register, RegisterField, register_map

Read = Callable[[int], int]
Write = Callable[[int, int], object]


class Identification(NamedTuple):
    """What the registers say of the switch: version of tsuji, ports, virtual channels, bits of data of a flit."""

    version: tuple[int, int, int]
    ports: int
    vcs: int
    data_width: int


class RegisterDriver:
    """Programs and reads a switch through its registers.

    Parameters
    ----------
    params : SwitchParams
        The switch.
    read : callable
        `read(address)` returns the word at an address in bytes.
    write : callable
        `write(address, value)` writes a word.
    base : int
        Address at which the registers begin.
    table : bool
        Whether the table that replaces the CAM is in the switch.
    streams : int
        Number of AXI4-Streams into the switch.

    Attributes
    ----------
    map : models.register_map.RegisterMap
        The registers.

    Examples
    --------
    >>> driver = RegisterDriver(params, bus.read, bus.write)
    >>> driver.identify()
    >>> driver.program(tag=7, out=2)
    >>> driver.flush()
    >>> driver.counters(2)["packets_out"]
    """

    def __init__(
        self,
        params: SwitchParams,
        read: Read,
        write: Write,
        *,
        base: int = 0,
        table: bool = True,
        streams: int = 0,
    ) -> None:
        self.map = register_map(params, table=table, streams=streams)
        self._params, self._base, self._streams = params, base, streams
        self._read_word, self._write_word = read, write

    def read(self, register: str, index: int = 0) -> int:
        """Return the value of a register; `index` is its number in an array.

        Raises
        ------
        TsujiError
            If the switch has no such register, or if it is only written.
        """
        found = self._register(register, index)
        if not found.readable:
            raise TsujiError(f"register {register}: is write only")
        return self._read_word(self._base + found.address + WORD_BYTES * index)

    def write(self, register: str, value: int) -> None:
        """Write a register.

        Raises
        ------
        TsujiError
            If the switch has no such register, if it is only read, or if the value does not fit.
        """
        found = self._register(register, 0)
        if not found.writable:
            raise TsujiError(f"register {register}: is read only")
        self._write_word(self._base + found.address, _checked(f"register {register}", value, 1 << WORD))

    def identify(self) -> Identification:
        """Return what the registers say of the switch.

        Raises
        ------
        TsujiError
            If these are not the registers of a switch with the parameters of this driver.
        """
        for name, whose in (("magic", "of a switch"), ("parameters", "of the switch that this driver is for")):
            found, register = self.read(name), self._register(name, 0)
            if found != register.reset:
                raise TsujiError(
                    f"register {name} at {self._base + register.address:#x} = {found:#010x}: must be "
                    f"{register.reset:#010x}, that {whose}"
                )
        version, shape = self._fields("version"), self._fields("shape")
        release = version["major"], version["minor"], version["patch"]
        return Identification(release, shape["ports"], shape["vcs"], shape["data_width"])

    def program(
        self,
        tag: int,
        out: int,
        vc_first: int = 0,
        vc_last: int | None = None,
        *,
        choices: Iterable[int] = (),
        mask: int | None = None,
        entry: int | None = None,
    ) -> None:
        """Enter a route into the table; route caches keep an old route of the tag until `flush`.

        Parameters
        ----------
        tag : int
            Destination.
        out : int
            Output port.
        vc_first, vc_last : int
            First and last output VC that packets may take; all by default.
        choices : iterable of int
            Adaptive routing: output ports that packets may take instead.
        mask : int or None
            Ternary match: 1 where the tag is compared; by default everywhere.
        entry : int or None
            Ternary match: number of the entry, required.

        Raises
        ------
        TsujiError
            If the switch has no table, or a value is not allowed.
        """
        params = self._params
        last = params.vcs - 1 if vc_last is None else vc_last
        _checked("out", out, params.ports)
        _checked("vc_last", last, params.vcs)
        if _checked("vc_first", vc_first, params.vcs) > last:
            raise TsujiError(f"vc_first = {vc_first}: must be at most vc_last = {last}")
        others = self._mask("choices", choices)
        if others and not params.selects:
            raise TsujiError("choices: only a switch with adaptive routing has them")
        route = {"found": 1, "out": out, "vc_first": vc_first, "vc_last": last, "choices": others}
        self._enter(route | self._place(tag, mask, entry))

    def remove(self, tag: int, *, mask: int | None = None, entry: int | None = None) -> None:
        """Remove a destination from the table, with ternary match the entry; parameters as in `program`."""
        fields = dict.fromkeys(("found", "out", "vc_first", "vc_last", "choices"), 0)
        self._enter(fields | self._place(tag, mask, entry))

    def flush(self) -> None:
        """Empty the route caches of all ports, and wait until they are empty.

        Raises
        ------
        TsujiError
            If the switch has no route caches, or if they are not empty in the time that they need.
        """
        self._put({"flush": 1})
        most = 2 + self._params.cache.sets  # each set takes one cycle, and a read several
        for _ in range(most):
            if not self._get("flushing"):
                return
        raise TsujiError(f"register cache: flushing is 1 after {most} reads")

    def set_lpi_times(self, *, idle: int | None = None, sleep: int | None = None, wake: int | None = None) -> None:
        """Set times of low-power idle in cycles; those left out stay.

        Parameters
        ----------
        idle : int or None
            T_lt: idle cycles after which a link goes to sleep; 65535: never.
        sleep, wake : int or None
            T_ls, T_lw: cycles of the transitions.

        Raises
        ------
        TsujiError
            If the switch has no low-power idle, or a value does not fit.
        """
        for register, cycles in zip(LPI_TIMES, (idle, sleep, wake), strict=True):
            if cycles is not None:
                self._put({register: _checked(register, cycles, 1 << TIME_BITS)})

    def lpi_times(self) -> tuple[int, int, int]:
        """Return the times of low-power idle: idle, sleep, wake."""
        idle, sleep, wake = map(self.read, LPI_TIMES)
        return idle, sleep, wake

    def hint(self, ports: Iterable[int]) -> None:
        """Wake the output links of these ports, and keep them awake until the next call; others may sleep."""
        self._put({"lpi_hint": self._mask("ports", ports)})

    def set_position(self, *coordinates: int) -> None:
        """Set the coordinates of a switch that computes routes, before packets are sent."""
        radix = self._params.position_radix
        if len(coordinates) != len(radix):
            raise TsujiError(f"position: {len(coordinates)} coordinates; the switch has {len(radix)} dimensions")
        places = enumerate(zip(coordinates, radix, strict=True))
        self._put({f"position.x_{d}": _checked(f"x_{d}", x, size) for d, (x, size) in places})

    def counter(self, name: str, port: int) -> int:
        """Return a counter of a port, such as `packets_out`."""
        names = [counter.name.lower() for counter in Counter]
        if name not in names:
            raise TsujiError(f"counter {name}: is unknown; allowed: {', '.join(names)}")
        low = self.read(name, port)
        return low | self.read("counter_high") << WORD if self._params.counter_width > WORD else low

    def counters(self, port: int) -> dict[str, int]:
        """Return all counters of a port by name."""
        return {counter.name.lower(): self.counter(counter.name.lower(), port) for counter in Counter}

    def partial_words(self, stream: int) -> int:
        """Return how many words of an AXI4-Stream were not whole."""
        return self.read("partial_words", stream)

    def long_packets(self, stream: int) -> int:
        """Return how many packets of an AXI4-Stream were cut, as they were too long."""
        return self.read("long_packets", stream)

    def enable_interrupts(self, *, dropped: bool = False, stream_error: bool = False) -> None:
        """Choose the causes of an interrupt: dropped flits, errors of AXI4-Streams."""
        causes = {"interrupt_enable.dropped": dropped, "interrupt_enable.stream_error": stream_error}
        self._put({name: int(on) for name, on in causes.items() if on or self.map.carriers(name)})

    def dropped(self) -> set[int]:
        """Return the input ports that have dropped flits since `clear_dropped`."""
        return _members(self._get("dropped"))

    def clear_dropped(self, ports: Iterable[int]) -> None:
        """Forget that these ports have dropped flits."""
        self._put({"dropped": self._mask("ports", ports)})

    def stream_errors(self) -> set[int]:
        """Return the AXI4-Streams that have counted errors since `clear_stream_errors`."""
        return _members(self._get("stream_error"))

    def clear_stream_errors(self, streams: Iterable[int]) -> None:
        """Forget that these AXI4-Streams have counted errors."""
        self._put({"stream_error": sum(1 << _checked("streams", each, self._streams) for each in set(streams))})

    def _mask(self, name: str, ports: Iterable[int]) -> int:
        """Return a set of ports, one bit each."""
        return sum(1 << _checked(name, port, self._params.ports) for port in set(ports))

    def _place(self, tag: int, mask: int | None, entry: int | None) -> dict[str, int]:
        """Return the fields that say which entry of the table is written."""
        params = self._params
        most = 1 << params.tag_width
        place = {"tag": _checked("tag", tag, params.programmed_entries if params.linear else most)}
        if not params.ternary:
            if mask is not None or entry is not None:
                raise TsujiError('mask, entry: only a switch with cam.match = "ternary" has them')
            return place
        if entry is None:
            raise TsujiError('entry is not set: a switch with cam.match = "ternary" needs it')
        place["mask"] = most - 1 if mask is None else _checked("mask", mask, most)
        place["entry"] = _checked("entry", entry, params.cam.entries)
        return place

    def _enter(self, values: dict[str, int]) -> None:
        """Write an entry of the table."""
        if not self.map.carriers("program"):
            raise TsujiError(f'no route table: routing = "{self._params.routing}", and no table is programmed')
        self._put({f"program.{field.name}": values[field.name] for field in formats.program(self._params)})
        self._put({"program": 1})

    def _register(self, name: str, index: int) -> Register:
        found = self.map.find(name)
        if found is None:
            names = ", ".join(register.name for register in self.map.every_register())
            raise TsujiError(f"register {name}: this switch has none; it has {names}")
        _checked(f"register {name}: index", index, found.count)
        return found

    def _fields(self, register: str) -> dict[str, int]:
        """Return the fields of a register that is read."""
        word = self.read(register)
        return {field.name: (word & field.mask) >> field.low for field in self._register(register, 0).fields}

    def _carriers(self, quantity: str) -> list[tuple[Register, RegisterField]]:
        found = self.map.carriers(quantity)
        if not found:
            raise TsujiError(f"{quantity}: this switch has no such register")
        return found

    def _get(self, quantity: str) -> int:
        """Return a quantity from the registers that carry it."""
        value = 0
        for register, field in self._carriers(quantity):
            value |= (self.read(register.name) & field.mask) >> field.low << field.part
        return value

    def _put(self, values: dict[str, int]) -> None:
        """Write quantities, each register once; fields of the same registers that are left out keep their values."""
        words: dict[str, int] = {}
        given: dict[str, int] = {}
        for quantity, value in values.items():
            for register, field in self._carriers(quantity):
                words[register.name] = words.get(register.name, 0) | value >> field.part << field.low & field.mask
                given[register.name] = given.get(register.name, 0) | field.mask
        for name, word in words.items():
            fields = self._register(name, 0).fields
            kept = sum(field.mask for field in fields if field.access is Access.STORED) & ~given[name]
            self.write(name, word | (self.read(name) & kept if kept else 0))


def _checked(name: str, value: int, most: int) -> int:
    """Return a whole number from 0 to below `most`, else refuse it."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise TsujiError(f"{name} = {value!r}: must be a whole number, 0 to {most - 1}") from error
    if not 0 <= number < most:
        raise TsujiError(f"{name} = {value}: must be 0 to {most - 1}")
    return number


def _members(mask: int) -> set[int]:
    return {port for port in range(mask.bit_length()) if mask >> port & 1}
