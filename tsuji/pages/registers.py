"""The page "Registers": the register map of the default switch, as `tsuji registers` prints it."""

from __future__ import annotations

from models.params import SwitchParams
from models.register_map import ADDRESS_BITS, COUNTER_WINDOW, ROW, WORD_BYTES, register_map
from tsuji.cli.switch import MODULE
from tsuji.registers.export import Format, register_text

STREAMS = SwitchParams().ports  # all, as nothing tells which are local

HEAD = f"""\
# Registers

`tsuji registers` prints this page for any switch, here for the default one with AXI4-Streams
(`--ports axi`).
[Use a switch in a design](../how_to/integrating_a_switch.md#registers-over-axi4-lite) says what to do with it.

All registers have 32 bits, at addresses of {ADDRESS_BITS} bits in bytes. A register has the same address in every
switch; a switch lacks those of what it does not have, and addresses without a register are refused (SLVERR), as are
writes to what is only read and reads of what is only written. Bytes can be written alone. Fields of more than 32 bits
are cut: `program_0.tag_0`, `program_1.tag_1`. Access `rw, woclr`: the hardware sets the bit, writing 1 clears it;
access `w`: writing 1 acts once. No reset value: the state of the hardware.

Counter n of port i is at {COUNTER_WINDOW:#x} + {WORD_BYTES * ROW:#x} · n + {WORD_BYTES} · i. If counters have more than
32 bits, a read of one keeps its high bits in `counter_high`.

"""


def page() -> str:
    """Return the page, in Markdown; it lies in docs/reference/."""
    return HEAD + register_text(register_map(SwitchParams(), streams=STREAMS), MODULE, Format.MARKDOWN)
