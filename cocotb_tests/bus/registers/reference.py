"""What reads and writes of registers do, in Python, from the table of `models/register_map.py`."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.register_map import WORD_BYTES, Access, Register, RegisterMap

OKAY, SLVERR = 0, 2


@dataclass
class Reference:
    """Registers as a program sees them; the state of the hardware is given by the bench.

    Attributes
    ----------
    map : RegisterMap
    state : dict
        Values of fields that the hardware decides, by register and field.
    commands : list
        Commands that were written, by register.
    """

    map: RegisterMap
    state: dict[tuple[str, str], int] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._by_address: dict[int, tuple[Register, int]] = {}
        for register in self.map.every_register():
            for index in range(register.count):
                self._by_address[register.address + WORD_BYTES * index] = register, index
        self.values = {
            (register.name, each.name): each.reset or 0 for register in self.map.registers for each in register.fields
        }

    @property
    def addresses(self) -> list[int]:
        """Addresses that have a register."""
        return sorted(self._by_address)

    def at(self, address: int) -> tuple[Register, int] | None:
        """Return the register at an address, and its number in its array."""
        return self._by_address.get(address // WORD_BYTES * WORD_BYTES)

    def read(self, address: int) -> tuple[int, int]:
        """Return response and word of a register outside of the windows."""
        found = self.at(address)
        if found is None or not found[0].readable:
            return SLVERR, 0
        register = found[0]
        word = 0
        for each in register.fields:
            key = register.name, each.name
            if each.access is Access.STATUS:
                word |= self.state[key] << each.low
            elif each.access.readable:
                word |= self.values[key] << each.low
        return OKAY, word

    def write(self, address: int, value: int, size: int = WORD_BYTES) -> int:
        """Return the response to a write of `size` bytes, and do what it does."""
        found = self.at(address)
        if found is None or not found[0].writable:
            return SLVERR
        register, shift = found[0], 8 * (address % WORD_BYTES)
        mask, word = (1 << 8 * size) - 1 << shift, value << shift
        for each in register.fields:
            key = register.name, each.name
            data, bits = (word & each.mask) >> each.low, (mask & each.mask) >> each.low
            if each.access is Access.STORED:
                self.values[key] = self.values[key] & ~bits | data & bits
            elif each.access is Access.STICKY:
                self.values[key] &= ~(data & bits)
            elif each.access is Access.COMMAND and data & bits:
                self.commands.append(register.name)
        return OKAY
