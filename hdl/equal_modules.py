"""One Verilog module for equal instances: Amaranth's backend writes a module for each, though most are equal.

Modules are equal if their texts are, and the modules within them. Instances keep their names, so hierarchical paths
stay the same. Plumbing: it changes how Verilog is written, not what it does, so there is no model. No bench of its own
either: every bench runs on Verilog that was merged, and `tests/synth/test_equal_modules.py` tests the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

_HEADER = re.compile(r"module (?P<name>\\\S+|[\w$]+)")
_INSTANCE = re.compile(r"^  (?P<module>\\\S+|[\w$]+)(?P<rest>\s+(?:\\\S+|[A-Za-z_][\w$]*)\s*\($)", re.MULTILINE)
_NUMBERS = re.compile(r"(_\d+)+$")
# Names with numbers of the whole design: ports without a name, and wires that Yosys adds.
_NUMBERED = re.compile(r"\\(?P<kind>port|\$auto)\$\S+")
# Declaration and definition of a wire that Yosys adds.
_ADDED = re.compile(r"^  (?P<kind>wire|assign) (?:\[\d+:0\] )?\\\$auto\$(?P<number>\S+) (?: = .*)?;$")
_CONNECTION = re.compile(r"^    \.(?P<port>\\port\$\S+)")


def merged(modules: Sequence[str]) -> list[str]:
    r"""Return modules, equal ones only once.

    A module of several instances is named by their path without the numbers in which they differ:
    `\top.input_unit.buffer` instead of `\top.input_unit_0.buffer`, `\top.input_unit_1.buffer` and so on.

    Parameters
    ----------
    modules : sequence of str
        Texts that begin with their `module` line. Those of the instances within a module may be among them.
    """
    bodies = _renumbered(modules)
    first: dict[str, str] = {}  # by body: the first module that has it
    stands_in: dict[str, str] = {}  # by module: the equal one that is kept

    def kept(name: str) -> str:
        if name in bodies and name not in stands_in:
            bodies[name] = _with_instances(bodies[name], kept)
            stands_in[name] = first.setdefault(bodies[name], name)
        return stands_in.get(name, name)

    for name in bodies:
        kept(name)
    names = _names(stands_in)
    return [
        f"module {names[name]}{_with_instances(bodies[name], lambda module: names.get(module, module))}"
        for name in bodies
        if kept(name) == name
    ]


def _renumbered(modules: Sequence[str]) -> dict[str, str]:
    """Return the text of each module after its name, in which names have numbers of the module alone."""
    bodies: dict[str, list[str]] = {}
    for text in modules:
        header = _HEADER.match(text)
        if header is None:
            raise ValueError(f"not a module: {text.splitlines()[0]}")
        bodies[header["name"]] = text[header.end() :].split("\n")
    numbers = {name: _numbers(lines) for name, lines in bodies.items()}
    return {
        name: "\n".join(_sorted(_with_numbers(lines, numbers[name], numbers))).rstrip("\n") + "\n"
        for name, lines in bodies.items()
    }


def _numbers(lines: Sequence[str]) -> dict[str, str]:
    """Return new names, in the order in which a module uses the old ones."""
    names: dict[str, str] = {}
    for line in sorted(lines, key=lambda line: bool(_ADDED.match(line))):
        for found in _NUMBERED.finditer(_CONNECTION.sub("", line)):
            names.setdefault(found[0], f"\\{found['kind']}${len(names)}")
    return names


def _sorted(lines: Iterable[str]) -> list[str]:
    """Return lines in which what declares and defines added wires is in order; Yosys sorts the old numbers as text."""
    lines = list(lines)
    added = [(number, found) for number, line in enumerate(lines) if (found := _ADDED.match(line))]
    for kind in ("wire", "assign"):
        mine = [(number, found) for number, found in added if found["kind"] == kind]
        in_order = sorted((found for _, found in mine), key=lambda found: int(found["number"]))
        for (number, _), found in zip(mine, in_order, strict=True):
            lines[number] = found[0]
    return lines


def _with_numbers(lines: Sequence[str], mine: dict[str, str], numbers: dict[str, dict[str, str]]) -> Iterator[str]:
    """Yield the lines of a module with its new names, and those of the ports of its instances."""
    of_instance: dict[str, str] = {}
    for line in lines:
        if instance := _INSTANCE.match(line):
            of_instance = numbers.get(instance["module"], {})
        connection = _CONNECTION.match(line)
        port = f"    .{of_instance[connection['port']]}" if connection else ""
        yield port + _NUMBERED.sub(lambda found: mine[found[0]], line[connection.end() if connection else 0 :])


def _with_instances(body: str, named: Callable[[str], str]) -> str:
    """Return the text of a module with other names of the modules that it instantiates."""
    return _INSTANCE.sub(lambda found: f"  {named(found['module'])}{found['rest']}", body)


def _names(stands_in: dict[str, str]) -> dict[str, str]:
    """Return the new names of the modules that are kept."""
    alike: dict[str, list[str]] = {}
    for name, kept in stands_in.items():
        alike.setdefault(kept, []).append(name)
    names: dict[str, str] = {}
    taken = set(alike)
    for kept, members in alike.items():
        path = _common_path(members)
        names[kept] = kept if path in taken else path
        taken.add(names[kept])
    return names


def _common_path(members: Sequence[str]) -> str:
    """Return the path of several modules without the numbers in which they differ; the first one if names differ."""
    levels = list(zip(*(member.split(".") for member in members), strict=False))
    path = []
    for level in levels:
        plain = {_NUMBERS.sub("", name) for name in level}
        if len(plain) > 1:
            return members[0]
        path.append(level[0] if len(set(level)) == 1 else plain.pop())
    return ".".join(path) if len(levels) == len(members[0].split(".")) else members[0]
