"""Checks assignments against the keys: each key known, its value of the right type and supported here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from models.errors import TsujiError
from sim.booksim.keys import KEYS, Key, Value
from sim.booksim.parser import Assignment, elements

LISTS = {"packet_size", "packet_size_rate"}  # a list in the list of classes: several sizes


@dataclass(frozen=True)
class Settings:
    """Values of all keys.

    Attributes
    ----------
    given : dict
        The last assignment of each key that was set.
    """

    given: dict[str, Assignment]

    def integer(self, key: str, least: int, most: int | None = None) -> int:
        """Return the value of an integer key, checked against its bounds.

        Raises
        ------
        TsujiError
            If it is out of bounds.
        """
        value = int(self.number(key))
        if value < least or (most is not None and value > most):
            allowed = f"at least {least}" if most is None else f"{least} to {most}"
            raise self.refuse(key, f"must be {allowed}")
        return value

    def number(self, key: str) -> float:
        """Return the value of a numeric key."""
        return float(self._value(key))

    def word(self, key: str) -> str:
        """Return the value of a string key."""
        return str(self._value(key))

    def sizes(self, key: str) -> list[int]:
        """Return the values of a key that takes a list for its class of traffic: `4`, `{4}` or `{{1,4}}`."""
        if key not in self.given:
            return [int(KEYS[key].default)]
        try:
            return [int(each) for each in elements(_of_the_class(self.given[key]))]
        except ValueError:
            raise self.refuse(key, "must be an integer, or a list of them in a list: {{1,4}}") from None

    def refuse(self, key: str, why: str) -> TsujiError:
        """Return the error for a key's value."""
        if key in self.given:
            return TsujiError(f"{self.given[key].place}: {key} = {self.given[key].value}: {why}")
        return TsujiError(f"{key} = {KEYS[key].default} (BookSim2's default): {why}")

    def without_effect(self) -> dict[str, str]:
        """Return, for each key that was set without effect, the reason."""
        found = {}
        for key in self.given:
            known = KEYS[key]
            if known.effect == "none":
                found[key] = known.note
            elif known.topologies and self.word("topology") not in known.topologies:
                found[key] = f"matters with topology = {' or '.join(known.topologies)}"
        return found

    def _value(self, key: str) -> Value:
        return _typed(self.given[key], KEYS[key]) if key in self.given else KEYS[key].default


def settings(assignments: Iterable[Assignment]) -> Settings:
    """Return the values that assignments set; the last assignment of a key counts.

    Raises
    ------
    TsujiError
        If keys are unknown to BookSim2, or values are of a wrong type or not supported; one line with the place for
        each.
    """
    given: dict[str, Assignment] = {}
    refused: list[str] = []
    for each in assignments:
        if each.key in KEYS:
            given[each.key] = each
            continue
        near = difflib.get_close_matches(each.key, KEYS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        refused.append(f"{each.place}: {each.key} = {each.value}: BookSim2 has no such key{hint}")
    found = Settings(given)
    for key in given:
        try:
            _check(found, key)
        except TsujiError as error:
            refused.append(str(error))
    if refused:
        raise TsujiError("\n".join(refused))
    return found


def _check(found: Settings, key: str) -> None:
    """Refuse a value of a wrong type, or one that is not supported."""
    known = KEYS[key]
    if known.effect == "none":
        return
    if key in LISTS:
        found.sizes(key)
        return
    value = _typed(found.given[key], known)
    if known.effect == "only" and value not in known.allowed:
        several = "one of " if len(known.allowed) > 1 else ""
        raise found.refuse(key, f"must be {several}{', '.join(map(str, known.allowed))}: {known.note}")


def _typed(assignment: Assignment, key: Key) -> Value:
    """Return the value, converted to the type of its key's default."""
    text = _of_the_class(assignment)
    if isinstance(key.default, str):
        return text
    kind, name = (int, "an integer") if isinstance(key.default, int) else (float, "a number")
    try:
        return kind(text)
    except ValueError:
        raise TsujiError(f"{assignment.place}: {assignment.key} = {assignment.value}: must be {name}") from None


def _of_the_class(assignment: Assignment) -> str:
    """Return the value for the only class of traffic; a list has one value per class."""
    values = elements(assignment.value)
    if len(values) == 1:
        return values[0]
    several = "; several packet sizes are a list in a list, {{1,4}}" if assignment.key in LISTS else ""
    raise TsujiError(
        f"{assignment.place}: {assignment.key} = {assignment.value}: values are those of classes of traffic, and there "
        f"is one class{several}"
    )
