r"""Plain Verilog identifiers instead of escaped ones, such as `\top.unit ` and `\port$0 `.

Amaranth's backend escapes paths of modules, names with `$` and keywords. A module is named by its path, joined by "__",
an expression `expr_<n>`, and a port without a name by the signal that it carries, `port_<n>` if that is an expression.
Instances keep their names, unless these are keywords, so hierarchical paths stay the same. Plumbing: names only, so no
model, and no bench of its own: every bench runs on Verilog with these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hdl.keywords import KEYWORDS

_HEADER = re.compile(r"^module (?:\\(?P<escaped>\S+) |(?P<plain>\w+)\s?)(?=\()", re.MULTILINE)
_ESCAPED = re.compile(r"\\(\S+) ")
_WORD = re.compile(r"[A-Za-z_]\w*")
_UNNAMED = re.compile(r"port\$(?P<number>\d+)")
# `names = { port, port, … }`: a signal that consists of ports, the last one its bit 0.
_PARTS = re.compile(r"^  assign (?P<signal>\w+) = \{ (?P<ports>\\port\$\d+ (?:, \\port\$\d+ )*) \};$", re.MULTILINE)
_INSTANCE = re.compile(r"^  (?:\\(?P<escaped>\S+) |(?P<plain>\w+)) (?P<name>\\\S+ |\w+) \($")
_CONNECTION = re.compile(r"^    \.\\(?P<port>\S+) (?=\((?P<wire>.*)\),?$)")
_NUMBERS = re.compile(r"(_+\d+)+$")
# A signal, or bits of one.
_WIRE = re.compile(r"\\?(?P<signal>[A-Za-z_]\w*)(?:\$\d+ ?)?(?:\[[\d:]+\])?")


def with_plain_names(modules: Sequence[str]) -> list[str]:
    """Return modules in which no identifier is escaped.

    Parameters
    ----------
    modules : sequence of str
        Texts with one `module` line each, as the backend writes them; a line before it may be an attribute.
    """
    texts = {_module(text): text for text in modules}
    named = dict(zip(texts, _distinct(name.replace(".", "__") for name in texts), strict=True))
    wires = _connected(texts)
    names = {name: _names(text, wires.get(name, {})) for name, text in texts.items()}
    return [_rewritten(text, name, named, names) for name, text in texts.items()]


def _module(text: str) -> str:
    """Return the name of a module, without the backslash."""
    header = _HEADER.search(text)
    if header is None:
        raise ValueError(f"not a module: {text.splitlines()[0]}")
    return header["escaped"] or header["plain"]


def _distinct(wanted: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """Yield plain, distinct names, none of them in `taken`, in the order of the names `wanted`."""
    used = set(taken)
    for name in wanted:
        plain = re.sub(r"\W+", "_", name).strip("_")
        if plain[:1].isdigit():
            plain = f"expr_{plain}"
        number, distinct = 1, f"{plain}_" if plain in KEYWORDS else plain
        while distinct in used:
            number, distinct = number + 1, f"{plain}_{number + 1}"
        used.add(distinct)
        yield distinct


def _connected(texts: dict[str, str]) -> dict[str, dict[str, set[str]]]:
    """Return, by module and port, the signals to which its instances connect a port with an escaped name."""
    found: dict[str, dict[str, set[str]]] = {}
    for text in texts.values():
        module = ""
        for line in text.split("\n"):
            if instance := _INSTANCE.match(line):
                module = instance["escaped"] or instance["plain"]
            elif connection := _CONNECTION.match(line):
                wire = _WIRE.fullmatch(connection["wire"])
                signal = _NUMBERS.sub("", wire["signal"]) if wire and wire["signal"] != "port" else ""
                found.setdefault(module, {}).setdefault(connection["port"], set()).add(signal)
    return found


def _names(text: str, wires: dict[str, set[str]]) -> dict[str, str]:
    """Return the new name of each escaped one in a module; `wires` as of `_connected`, for its own ports."""
    body = text[_HEADER.search(text).end() :]  # type: ignore[union-attr]
    taken = set(_WORD.findall(_ESCAPED.sub(" ", body)))
    carried = {port: next(iter(signals)) for port, signals in wires.items() if len(signals) == 1}
    for found in _PARTS.finditer(body):
        ports = _ESCAPED.findall(found["ports"])
        carried |= {port: f"{found['signal']}_{bit}" for bit, port in enumerate(reversed(ports))}
    escaped = list(dict.fromkeys(_ESCAPED.findall(body)))
    wanted = []
    for name in escaped:
        unnamed = _UNNAMED.fullmatch(name)
        signal = carried.get(name, "") if unnamed else name
        wanted.append(f"port_{unnamed['number']}" if unnamed and (not signal or signal in taken) else signal)
    return dict(zip(escaped, _distinct(wanted, taken), strict=True))


def _rewritten(text: str, module: str, named: dict[str, str], names: dict[str, dict[str, str]]) -> str:
    """Return the text of a module; `named` has the new names of modules, `names` those within each."""
    mine, of_instance = names[module], {}
    lines = []
    for line in _HEADER.sub(lambda _: f"module {named[module]}", text).split("\n"):
        port, rest = "", line
        if instance := _INSTANCE.match(line):
            kind = instance["escaped"] or instance["plain"]
            of_instance = names.get(kind, {})
            port, rest = f"  {named.get(kind, kind)} ", f"{instance['name']} ("
        elif connection := _CONNECTION.match(line):
            port, rest = f"    .{of_instance[connection['port']]}", line[connection.end() :]
        lines.append(port + _ESCAPED.sub(lambda found: mine[found[1]], rest))
    return "\n".join(lines)
