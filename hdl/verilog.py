"""Verilog of a component: the output of Amaranth's backend, rewritten so that strict lint passes.

The backend trims constants (`x == 1'h1` for any width of x), keeps a wire for every signal and for every field of every
struct, reduces ports to the bits that are read, and initialises registers in their declarations. All of it is correct,
and lint warns of all of it. `tidy` rewrites these forms and changes no value of any wire. It parses what the backend
writes, one operator per statement, and leaves other text as it is. No bench of its own: every bench runs on Verilog
that `tidy` has rewritten. Equal modules are one (`hdl.equal_modules`), and no name is escaped (`hdl.plain_names`).

A submodule called apart_… becomes a module with the attribute `keep_hierarchy`: synthesis maps it separately and merges
none of its logic with that of its neighbours (reasons: `hdl.lib.barrier`, `hdl.transfer.crossbar`). Simulation ignores
the attribute.
"""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from amaranth.back import verilog as backend
from amaranth.hdl import Signal, Value
from amaranth.lib import wiring

from hdl.equal_modules import merged
from hdl.plain_names import with_plain_names

_ONE_FILE = "/* verilator lint_off DECLFILENAME */ // all modules are in this file\n\n"
# Last part of the name of such a module; its full name is its path.
_APART = re.compile(r"\.apart_[^.]*$")
_NAME = r"(?:\\\S+ |[A-Za-z_][\w$]*)"
_BITS = r"\s*(?:\[(?P<high>\d+)(?::(?P<low>\d+))?\])?"
_REFERENCE = re.compile(rf"(?P<skip>\d+'[a-z]\w+|\.{_NAME}\()|(?P<name>{_NAME}){_BITS}")
_MODULE = re.compile(r"^module (?P<name>\\\S+ |[\w$]+)\s?\((?P<ports>.*?)\);$", re.DOTALL | re.MULTILINE)
_DECLARATION = re.compile(
    rf"^  (?P<kind>input|output|inout|wire|reg)(?: \[(?P<high>\d+):0\])? (?P<name>{_NAME})"
    r"(?P<memory>\s*\[\d+:0\])?(?: = (?P<initial>.*))?;$"
)
_ASSIGN = re.compile(rf"^  assign (?P<left>(?P<name>{_NAME})\s*(?:\[[\d:]+\])?) = (?P<right>.*);$")
_PROCEDURAL = re.compile(rf"^ +(?P<name>{_NAME})\s*(?P<index>\[.*?\])?\s*<?= (?P<right>.*);$")
_OPERAND = re.compile(rf"(?P<const>(?P<width>\d+)'\w+)|(?P<name>{_NAME}){_BITS}")
_BINARY = re.compile(r"\s*(?P<op>==|!=|<=|>=|<|>|\+|-)\s*")
_NEVER_BELOW = re.compile(r"^(  assign [^=]+) = [^=]* >= \d+'h0+;$")
_CUT_PORT = r"\\port\$\S+ (?:\[[\d:]+\])?"
_CUT = re.compile(rf"\{{ {_CUT_PORT}(?:, {_CUT_PORT})* \}}|{_CUT_PORT}")
_INSTANCE = re.compile(rf"^  (?P<module>\\\S+|[\w$]+)\s+{_NAME}\s*\($")
_CONNECTION = re.compile(rf"^    \.(?P<port>{_NAME})\((?P<wire>.*)\),?$")


def component_verilog(component: wiring.Component, name: str, outside: str = "") -> str:
    """Return the Verilog of a component, the same in each run; ports are its members' paths, joined by "_".

    Parameters
    ----------
    component : wiring.Component
    name : str
        Name of its module.
    outside : str
        Verilog, by this function, of modules that it instantiates and that are not part of it: their outputs may lead
        nowhere.
    """
    ports = named_ports(component)
    for port, signal in ports.items():
        signal.name = port
    with _collector_at_rest():
        text = backend.convert(
            component, name=name, ports=list(ports.values()), emit_src=False, strip_internal_attrs=True
        )
    return tidy(text, outside)


def named_ports(component: wiring.Component) -> dict[str, Signal]:
    """Return the signals of a component's ports, by their names in Verilog: paths, joined by "_"."""
    leaves = component.signature.flatten(component)
    return {"_".join(map(str, path)): Value.cast(value) for path, _member, value in leaves}


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause garbage collection: a design has millions of objects and no garbage, and the search doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def tidy(text: str, outside: str = "") -> str:
    """Return the backend's `text`, rewritten for `verilator -Wall`; `outside` as of `component_verilog`."""
    head, *texts = re.split(r"^(?=module )", text, flags=re.MULTILINE)
    modules = [_Module(module) for module in merged(texts)]
    others = [_Module(each) for each in re.split(r"^(?=module )", outside, flags=re.MULTILINE)[1:]]
    outputs = {module.name.strip(): module.outputs for module in (*others, *modules)}
    # Once more, because some modules differ only in lines that `tidied` drops.
    tidied = merged([module.tidied(outputs) for module in modules])
    return head + _ONE_FILE + "".join(with_plain_names([_with_attribute(module) for module in tidied]))


def _with_attribute(module: str) -> str:
    """Return the text of a module, with the attribute that keeps it apart if its name says so."""
    header = _MODULE.match(module)
    apart = header is not None and _APART.search(header["name"])
    return f"(* keep_hierarchy *)\n{module}" if apart else module


@dataclass(frozen=True)
class _Operand:
    """An operand; `signed` is the text within `$signed()`."""

    text: str
    width: int
    signed: str = ""

    def widened(self, width: int) -> str:
        """Return the operand's text, extended to `width` bits with zeros or with its sign."""
        if width <= self.width:
            return self.text
        if self.signed:
            return self._sign_extended(width - self.width)
        bits, quote, value = self.text.partition("'")
        if quote and bits.isdigit():
            return f"{width}'{value}"
        return f"{{ {width - self.width}'h0, {self.text} }}"

    def _sign_extended(self, more: int) -> str:
        if self.signed.startswith("{ 1'h0, "):
            return f"$signed({{ {more + 1}'h0, {self.signed[8:]})"
        if re.fullmatch(_NAME, self.signed):
            return f"$signed({{ {{{more}{{{self.signed}[{self.width - 1}]}}}}, {self.signed}}})"
        return self.text


@dataclass(frozen=True)
class _Line:
    """A line; `drives`: it connects an output of an instance."""

    text: str
    drives: bool = False


class _Module:
    """Lines of one module, with its name and the names of its outputs."""

    def __init__(self, text: str) -> None:
        header = _MODULE.match(text)
        if header is None:
            raise ValueError(f"not a module: {text.splitlines()[0]}")
        self.name = header["name"]
        self.outputs: set[str] = set()
        self._ports = re.findall(_NAME, header["ports"])
        self._texts = _plain(text[header.end() + 1 :].splitlines())
        self._lines: list[_Line] = []
        self._widths: dict[str, int] = {}
        self._wires: dict[str, int] = {}
        for number, line in enumerate(self._texts):
            found = _DECLARATION.match(line)
            if found and not found["memory"]:
                self._widths[found["name"]] = int(found["high"] or 0) + 1
                if found["kind"] == "output":
                    self.outputs.add(found["name"])
                if found["kind"] == "wire" and found["name"] not in self._ports:
                    self._wires[found["name"]] = number

    def tidied(self, outputs: dict[str, set[str]]) -> str:
        """Return the rewritten text of the module; `outputs` names the outputs of all modules."""
        self._name_cut_ports()
        of_instance: set[str] = set()
        for text in self._texts:
            if found := _INSTANCE.match(text):
                of_instance = outputs.get(found["module"], set())
            connection = _CONNECTION.match(text)
            self._lines.append(_Line(text, connection is not None and connection["port"] in of_instance))
        self._drop_unread_wires()
        unread = self._unread_bits()
        texts = [part for line in self._lines for part in _separate_initial(self._widened(line.text))]
        if unread:
            # Lint accepts unread bits that are read by a wire called `unused`.
            end = texts.index("endmodule")
            texts[end:end] = ["  wire unused;", f"  assign unused = ^{{ {', '.join(unread)} }};"]
        listed = ",\n  ".join(sorted(self._ports, key=port_order))
        return f"module {self.name}(\n  {listed}\n);\n" + "\n".join(texts) + "\n"

    def _name_cut_ports(self) -> None:
        """Read the wires that are named after signals instead of unnamed ports that are parts of them."""
        names: dict[str, str] = {}
        aliases = set()
        for number, line in enumerate(self._texts):
            found = _ASSIGN.match(line)
            if found and found["left"] == found["name"] and _CUT.fullmatch(found["right"]):
                names.setdefault(found["right"], found["name"])
                aliases.add(number)
        if not names:
            return
        for number, line in enumerate(self._texts):
            if (
                number not in aliases
                and "\\port$" in line
                and not _CONNECTION.match(line)
                and not _DECLARATION.match(line)
            ):
                self._texts[number] = _CUT.sub(lambda found: names.get(found[0], found[0]), line)

    def _reads(self, line: _Line) -> Iterator[tuple[str, int]]:
        """Yield each name that a line reads, with a mask of the bits read."""
        text = line.text
        if line.drives or _DECLARATION.match(text):
            return
        if text.startswith("  assign { "):
            text = text.partition(" = ")[2]
        elif assignment := _ASSIGN.match(text):
            text = assignment["right"]
        elif assignment := _PROCEDURAL.match(text):
            # An index on the left-hand side is read.
            text = f"{assignment['right']} {(assignment['index'] or '[]')[1:-1]}"
        for found in _REFERENCE.finditer(text):
            name = found["name"]
            if name in self._widths:
                high = int(found["high"] or self._widths[name] - 1)
                low = int(found["low"] or found["high"] or 0)
                yield name, (1 << high + 1) - (1 << low)

    def _drop_unread_wires(self) -> None:
        """Remove wires that nothing reads, repeatedly, as removals leave more of them."""
        uses: Counter[str] = Counter()
        drivers: dict[str, list[int]] = {}
        driven_together: set[str] = set()
        for number, line in enumerate(self._lines):
            uses.update(name for name, _ in self._reads(line))
            if found := _ASSIGN.match(line.text):
                drivers.setdefault(found["name"], []).append(number)
            elif line.drives or line.text.startswith("  assign { "):
                wires = (
                    line.text.partition(" = ")[0].partition("(")[2] if line.drives else line.text.partition(" = ")[0]
                )
                driven_together.update(found["name"] for found in _REFERENCE.finditer(wires) if found["name"])
        removed = set()
        unread = [name for name in self._wires if not uses[name]]
        while unread:
            name = unread.pop()
            if name in driven_together:
                continue
            removed.add(self._wires[name])
            for number in drivers.get(name, ()):
                removed.add(number)
                for source, _ in self._reads(self._lines[number]):
                    uses[source] -= 1
                    if not uses[source] and source in self._wires:
                        unread.append(source)
        self._lines = [line for number, line in enumerate(self._lines) if number not in removed]

    def _unread_bits(self) -> list[str]:
        """Return the parts of signals that nothing reads."""
        masks: Counter[str] = Counter()
        declared = {}
        for line in self._lines:
            found = _DECLARATION.match(line.text)
            if found and found["name"] in self._widths and found["name"] not in self.outputs:
                declared[found["name"]] = self._widths[found["name"]]
            for name, mask in self._reads(line):
                masks[name] |= mask
        return [
            part for name, width in declared.items() for part in _ranges(name, ((1 << width) - 1) & ~masks[name], width)
        ]

    def _widened(self, line: str) -> str:
        """Extend the operands of a comparison to the same width, those of a sum to the width of the sum."""
        found = _ASSIGN.match(line)
        if found is None:
            return line
        left, right = found["left"], found["right"]
        if right.startswith("! "):
            return f"  assign {left} = ~| {right[2:]};"
        first = self._operand(right)
        operator = _BINARY.match(right, len(first.text)) if first else None
        second = self._operand(right[operator.end() :]) if operator else None
        if first is None or operator is None or second is None or operator.end() + len(second.text) != len(right):
            return line
        width = max(first.width, second.width)
        if operator["op"] in "+-":
            whole = self._operand(left)
            width = max(width, whole.width if whole else 0)
        return f"  assign {left} = {first.widened(width)} {operator['op']} {second.widened(width)};"

    def _operand(self, text: str) -> _Operand | None:
        """Return the operand with which `text` begins."""
        if text.startswith("$signed("):
            inner = self._operand(text[8:])
            if inner is None or text[8 + len(inner.text) : 9 + len(inner.text)] != ")":
                return None
            return _Operand(f"$signed({inner.text})", inner.width, inner.text)
        if text.startswith("{ "):
            end, width = 2, 0
            while part := self._operand(text[end:]):
                end, width = end + len(part.text), width + part.width
                if closing := re.match(r"\s*\}", text[end:]):
                    return _Operand(text[: end + closing.end()], width)
                end = text.find(",", end) + 2
            return None
        found = _OPERAND.match(text)
        if found is None:
            return None
        if found["const"]:
            return _Operand(found[0], int(found["width"]))
        if found["high"] is not None:
            return _Operand(found[0], int(found["high"]) - int(found["low"] or found["high"]) + 1)
        if found["name"] not in self._widths:
            return None
        return _Operand(found[0], self._widths[found["name"]])


def _plain(lines: list[str]) -> list[str]:
    """Return `lines` without zero-width wires, initial values of wires, incomplete cases, and comparisons >= 0."""
    plain: list[str] = []
    complete: list[bool] = []
    for line in lines:
        word = line.strip()
        # Registers have `initial` statements. The attribute on wires repeats them, and would stay when those go.
        if line.startswith(("  wire [-1:0] ", "  (* init = ")):
            continue
        if word.startswith("casez ("):
            complete.append(False)
        elif word == "default:" and complete:
            complete[-1] = True
        elif word == "endcase" and not complete.pop():
            plain.append(line.replace("endcase", "  default: ;"))
        plain.append(_NEVER_BELOW.sub(r"\1 = 1'h1;", line))
    return plain


def _ranges(name: str, mask: int, width: int) -> Iterator[str]:
    """Yield the parts of signal `name` whose bits are set in `mask`."""
    if width == 1:
        yield from [name] if mask else []
        return
    for found in re.finditer("1+", format(mask, f"0{width}b")):
        high, low = width - 1 - found.start(), width - found.end()
        yield f"{name}[{high}:{low}]" if high > low else f"{name}[{high}]"


def port_order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """Return the sorting key of a port: clock and reset first, then by name, with numbers in names by value."""
    parts = re.split(r"(\d+)", name)
    return name not in ("clk", "rst"), [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _separate_initial(line: str) -> list[str]:
    found = _DECLARATION.match(line)
    if found is None or found["initial"] is None or found["kind"] != "reg":
        return [line]
    return [line.partition(" = ")[0] + ";", f"  initial {found['name']} = {found['initial']};"]
