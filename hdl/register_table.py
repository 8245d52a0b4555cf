"""Register map of a switch as a table of Markdown, for the page on its interface.

Plumbing: neither model nor bench.
"""

from __future__ import annotations

from collections.abc import Iterator

from models.register_map import ROW, WORD_BYTES, Access, RegisterField, RegisterMap

_SHORT = {
    Access.CONSTANT: "r",
    Access.STATUS: "r",
    Access.STORED: "rw",
    Access.STICKY: "rw, write 1 to clear",
    Access.COMMAND: "w",
}


def register_rows(registers: RegisterMap) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield address, register and field, bits, access, reset and meaning of each field."""
    for register in registers.registers:
        for field in register.fields:
            yield (f"{register.address:#06x}", f"`{register.name}.{field.name}`", *_cells(field), field.meaning)
    for window in registers.windows:
        for register in window.registers:
            for field in register.fields:
                place = f"{register.address:#06x} + {WORD_BYTES} · i"
                yield (place, f"`{register.name}[{register.count}]`", *_cells(field), register.meaning)


def register_rules(registers: RegisterMap) -> tuple[str, ...]:
    """Return the rules of accesses, one paragraph each."""
    rules = [
        """
        AXI4-Lite `s_axil_…`, 32 bits of data, one write and one read at a time. Addresses without a register are
        refused with SLVERR, as are writes to what is only read and reads of what is only written; nothing is changed
        then. Bytes can be written alone. `tsuji registers` prints the same as SystemRDL and C header, too.
        """
    ]
    if registers.find("program_commit"):
        rules.append("A route: write its words `program…`, then 1 to `program_commit.enter`.")
    if registers.windows:
        rules.append(
            f"""
            Counters have a row of {ROW} words each, the counter of port i (or stream i) at i.
            """
        )
    return tuple(rules)


def _cells(field: RegisterField) -> tuple[str, str, str]:
    high = field.low + field.width - 1
    bits = f"{high}:{field.low}" if high > field.low else str(high)
    return bits, _SHORT[field.access], "" if field.reset is None else f"{field.reset:#x}"
