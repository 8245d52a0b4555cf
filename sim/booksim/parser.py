"""BookSim2's configuration language: `key = value;`, `//` comments, lists in braces, arguments in parentheses.

Everything that BookSim2's own scanner accepts is accepted, also blanks in lists and a missing last semicolon; and files
of derivatives with `[headers]`, in which the end of a line ends an assignment, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from models.errors import TsujiError

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|//[^\n]*)|(?P<newline>\n)|(?P<mark>[=;])"
    r"|(?P<value>[^\s={}();/,](?:[^\s={}();/,]|/(?!/))*|/(?!/)[^\s={}();,]*)|(?P<open>[({])|(?P<close>[)}])|(?P<comma>,)"
)
_HEADER = re.compile(r"[ \t]*\[[^\[\]=;]*\][ \t\r]*")
_PAIRS = {"(": ")", "{": "}"}


@dataclass(frozen=True)
class Assignment:
    """One `key = value;`.

    Attributes
    ----------
    key, value : str
        As written, without the blanks in the value.
    place : str
        "file:line", or the override.
    """

    key: str
    value: str
    place: str


def read(path: Path, overrides: Iterable[str] = ()) -> list[Assignment]:
    """Return the assignments of a file, then those of overrides `key=value`; the last assignment of a key counts.

    Raises
    ------
    TsujiError
        If the file cannot be read, or a line is not an assignment; the message names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise TsujiError(f"{path}: cannot be read: {reason}") from error
    found = parse(text, str(path))
    for override in overrides:
        if "=" not in override:
            raise TsujiError(f"{override}: write key=value, such as injection_rate=0.3")
        found += [Assignment(each.key, each.value, override) for each in parse(override, override)]
    return found


def parse(text: str, name: str) -> list[Assignment]:
    """Return the assignments of a text in their order; `name` is its name in messages.

    Raises
    ------
    TsujiError
        If a line is not an assignment; the message names the line.
    """
    tokens = list(_tokens(_without_headers(text), name))
    found = []
    while tokens:
        end = next((n for n, (_, token, _) in enumerate(tokens) if token == ";"), len(tokens))
        statement, tokens = tokens[:end], tokens[end + 1 :]
        if not statement:
            continue
        line = statement[0][2]
        written = " ".join(token for _, token, _ in statement)
        if len(statement) < 3 or statement[0][0] != "value" or statement[1][1] != "=":
            raise TsujiError(f"{name}:{line}: {written}: write key = value;")
        values = statement[2:]
        if any(token == "=" for _, token, _ in values):
            raise TsujiError(f"{name}:{line}: {written}: a semicolon is missing before the next key")
        if any(first == second == "value" for (first, *_), (second, *_) in pairwise(values)):
            raise TsujiError(f"{name}:{line}: {written}: one value only; lists are written {{1,2}}")
        value = "".join(token for _, token, _ in values)
        _check_brackets(value, f"{name}:{line}: {written}")
        found.append(Assignment(statement[0][1], value, f"{name}:{line}"))
    return found


def _without_headers(text: str) -> str:
    """Return the text with empty lines for headers; if there are any, every assignment ends with its line."""
    lines = text.split("\n")
    if not any(map(_HEADER.fullmatch, lines)):
        return text
    ended = (f"{re.split(r'//|#', line)[0]};" if "=" in line else re.sub(r"#.*", "", line) for line in lines)
    return "\n".join("" if _HEADER.fullmatch(line) else end for line, end in zip(lines, ended, strict=True))


def _tokens(text: str, name: str) -> Iterator[tuple[str, str, int]]:
    """Yield (kind, token, line)."""
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise TsujiError(f"{name}:{line}: {text[at]!r} is not expected here")
        kind = match.lastgroup or ""
        if kind not in ("blank", "newline"):
            yield kind, match[0], line
        line += kind == "newline"
        at = match.end()


def _check_brackets(value: str, place: str) -> None:
    expected: list[str] = []
    for character in value:
        if character in _PAIRS:
            expected.append(_PAIRS[character])
        elif character in _PAIRS.values() and (not expected or expected.pop() != character):
            raise TsujiError(f"{place}: {character!r} closes nothing")
    if expected:
        raise TsujiError(f"{place}: {expected[-1]!r} is missing")


def elements(value: str) -> list[str]:
    """Return the elements of a list `{a,b}`, inner lists as text; a single value is a list of one."""
    if not value.startswith("{"):
        return [value] if value else []
    found, depth, start = [], 0, 1
    for at, character in enumerate(value[1:], start=1):
        if depth == 0 and character in ",}":
            found.append(value[start:at])
            start = at + 1
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(character, 0)
    return [element for element in found if element]


def call(value: str) -> tuple[str, list[str]]:
    """Return the name and the arguments of `name`, `name(argument)` or `name({argument,argument})`.

    Raises
    ------
    TsujiError
        If several arguments are not one list: BookSim2 would read the first alone.
    """
    name, bracket, rest = value.partition("(")
    argument = rest.removesuffix(")")
    if not bracket:
        return name, []
    if ("," in argument and not argument.startswith("{")) or (argument.startswith("{") and not _one_list(argument)):
        raise TsujiError(f"{value}: several arguments are one list: {name}({{{argument}}})")
    return name, elements(argument)


def _one_list(argument: str) -> bool:
    """Return whether the argument is a single list: `{a,b}`, but not `{a},{b}`."""
    depth = 0
    for at, character in enumerate(argument):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return at == len(argument) - 1
    return False
