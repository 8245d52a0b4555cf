"""Register map as SystemRDL 2.0 (Accellera), from which other programs make headers and documents."""

from __future__ import annotations

from collections.abc import Iterator

from models.register_map import WORD, Access, Register, RegisterField, RegisterMap, Window

_PROPERTIES = {
    Access.CONSTANT: "sw = r; hw = na;",
    Access.STATUS: "sw = r; hw = w;",
    Access.STORED: "sw = rw; hw = r;",
    Access.STICKY: "sw = rw; hw = w; hwset; onwrite = woclr;",
    Access.COMMAND: "sw = w; hw = r; singlepulse;",
}


def system_rdl(registers: RegisterMap, name: str) -> str:
    """Return the text of an address map called `name`; windows are memories, whose rows are arrays of registers."""
    parts = [part for register in registers.registers for part in _register(register, register.address)]
    parts += [part for window in registers.windows for part in _window(window)]
    return (
        f"addrmap \\{name} {{\n"  # escaped, as it may be a keyword
        f"  name = {_text(f'Registers of {name}')};\n"
        f"  default regwidth = {WORD};\n"
        f"  default accesswidth = {WORD};\n"
        "  littleendian;\n"
        "  lsb0;\n" + "".join(f"  {part}\n" for part in parts) + "};\n"
    )


def _window(window: Window) -> Iterator[str]:
    yield "external mem {"
    yield f"  name = {_text(window.meaning)};"
    yield f"  mementries = {window.words};"
    yield f"  memwidth = {WORD};"
    yield "  sw = r;"
    for register in window.registers:
        yield from (f"  {line}" for line in _register(register, register.address - window.address, array=True))
    yield f"}} {window.name} @ {window.address:#x};"


def _register(register: Register, address: int, *, array: bool = False) -> Iterator[str]:
    yield "reg {"
    yield f"  name = {_text(register.meaning)};"
    for field in register.fields:
        yield from (f"  {line}" for line in _field(field))
    dimension = f"[{register.count}]" if array else ""
    yield f"}} {register.name}{dimension} @ {address:#x};"


def _field(field: RegisterField) -> Iterator[str]:
    reset = "" if field.reset is None else f" = {field.width}'h{field.reset:x}"
    yield f"field {{ {_PROPERTIES[field.access]} name = {_text(field.meaning)}; }}"
    yield f"  {field.name}[{field.low + field.width - 1}:{field.low}]{reset};"


def _text(text: str) -> str:
    """Return a string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
