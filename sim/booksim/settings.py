"""Checks assignments against the keys: each key known, its value of the right type and supported here."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from models.errors import TsujiError
from sim.booksim.derivatives import in_place_of
from sim.booksim.keys import KEYS, PER_CLASS, Key, Value
from sim.booksim.parser import Assignment, elements

MOST_INTEGER = (1 << 31) - 1  # as BookSim2 reads integers
LISTS = {"packet_size", "packet_size_rate"}  # a list in the list of classes: several sizes


@dataclass(frozen=True)
class Settings:
    """Values of all keys.

    Attributes
    ----------
    given : dict
        The last assignment of each key that was set.
    ignored : dict
        The last assignment of each key that is left out on request.
    """

    given: dict[str, Assignment]
    ignored: dict[str, Assignment] = field(default_factory=dict)

    def integer(self, key: str, least: int, most: int | None = None, traffic: int = 0) -> int:
        """Return the value of an integer key for a class of traffic, checked against its bounds.

        Raises
        ------
        TsujiError
            If it is out of bounds.
        """
        value = int(self.number(key, traffic))
        if value < least or (most is not None and value > most):
            allowed = f"at least {least}" if most is None else f"{least} to {most}"
            raise self.refuse(key, f"must be {allowed}")
        return value

    def number(self, key: str, traffic: int = 0) -> float:
        """Return the value of a numeric key for a class of traffic."""
        return float(self._value(key, traffic))

    def word(self, key: str, traffic: int = 0) -> str:
        """Return the value of a string key for a class of traffic."""
        return str(self._value(key, traffic))

    def sizes(self, key: str, traffic: int = 0) -> list[int]:
        """Return the values of a key that takes a list for each class of traffic: `4`, `{4}` or `{{1,4}}`."""
        if key not in self.given:
            return [int(KEYS[key].default)]
        found = [_number(each, int) for each in elements(of_class(self.given[key], traffic))]
        if None in found:
            raise self.refuse(
                key, f"must be an integer, or a list of them in a list: {{{{1,4}}}}; at most {MOST_INTEGER}"
            )
        return [int(each) for each in found if each is not None]

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
            elif known.needs and known.needs[1] not in self._values(known.needs[0]):
                found[key] = f"matters with {known.needs[0]} = {known.needs[1]}"
        return found

    def ignored_for_peer(self) -> list[str]:
        """Return overrides with which BookSim2 itself has the defaults of the keys that are left out here."""
        known = {
            key: self.given[key].value if key in self.given else KEYS[key].default
            for key in self.ignored
            if key in KEYS
        }
        return [f"{key}={value}" for key, value in known.items() if value != ""]

    def told_of_ignored(self) -> list[str]:
        """Return what to tell of each assignment that is left out."""
        return [
            f"{each.place}: {key} = {each.value}: ignored"
            + (f"; {key} = {self.given[key].value} in its place" if key in self.given else "")
            for key, each in self.ignored.items()
        ]

    def beyond_the_classes(self) -> list[str]:
        """Return what to tell of lists with more values than there are classes of traffic."""
        classes = self.integer("classes", 1)
        return [
            f"{key} = {each.value}: values of classes of traffic, of which there are {classes}; the others have no "
            "effect" + ("; several packet sizes are a list in a list, {{1,4}}" if key in LISTS else "")
            for key, each in self.given.items()
            if key in PER_CLASS and len(elements(each.value)) > classes
        ]

    def _values(self, key: str) -> list[str]:
        return elements(self.given[key].value) if key in self.given else [str(KEYS[key].default)]

    def _value(self, key: str, traffic: int) -> Value:
        return _typed(self.given[key], KEYS[key], traffic) if key in self.given else KEYS[key].default


def settings(assignments: Iterable[Assignment], ignore: Collection[str] = (), ignore_unknown: bool = False) -> Settings:
    """Return the values that assignments set; the last assignment of a key counts.

    Parameters
    ----------
    assignments : iterable of Assignment
        What files and overrides say.
    ignore : collection of str
        Keys whose assignments are left out, so that their defaults hold.
    ignore_unknown : bool
        Leave out the keys that BookSim2 does not have, and values that it does not have (`in_place_of`).

    Raises
    ------
    TsujiError
        If keys are unknown to BookSim2, or values are of a wrong type or not supported; one line with the place for
        each. If a key to ignore is not set.
    """
    given: dict[str, Assignment] = {}
    ignored: dict[str, Assignment] = {}
    refused: list[str] = []
    for each in assignments:
        if each.key in ignore or (ignore_unknown and each.key not in KEYS):
            ignored[each.key] = each
        elif each.key in KEYS:
            given[each.key] = each
        else:
            near = difflib.get_close_matches(each.key, KEYS, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            hint += f"--ignore {each.key} leaves it out"
            refused.append(f"{each.place}: {each.key} = {each.value}: BookSim2 has no such key; {hint}")
    for key, value in in_place_of(given).items() if ignore_unknown else ():
        ignored[key] = given.pop(key)
        if value is not None:
            given[key] = replace(ignored[key], value=value)
    refused += [f"--ignore {key}: the configuration does not set it" for key in ignore if key not in ignored]
    found = Settings(given, ignored)
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
    for traffic in range(max(1, len(elements(found.given[key].value)) if key in PER_CLASS else 1)):
        if key in LISTS:
            found.sizes(key, traffic)
            continue
        value = _typed(found.given[key], known, traffic)
        if known.effect == "only" and value not in known.allowed:
            several = "one of " if len(known.allowed) > 1 else ""
            raise found.refuse(key, f"must be {several}{', '.join(map(str, known.allowed))}: {known.note}")


def _typed(assignment: Assignment, key: Key, traffic: int) -> Value:
    """Return the value for a class of traffic, converted to the type of its key's default."""
    text = of_class(assignment, traffic)
    if isinstance(key.default, str):
        return text
    whole = isinstance(key.default, int)
    value = _number(text, int if whole else float)
    if value is None:
        name = f"an integer from {-MOST_INTEGER - 1} to {MOST_INTEGER}" if whole else "a number"
        raise TsujiError(f"{assignment.place}: {assignment.key} = {assignment.value}: must be {name}")
    return value


def _number(text: str, kind: type[int] | type[float]) -> int | float | None:
    """Return a finite number; None: it is none, or an integer beyond BookSim2's."""
    if not text.isascii() or "_" in text:
        return None
    try:
        value = kind(text)
    except ValueError:
        return None
    if isinstance(value, int):
        return value if -MOST_INTEGER - 1 <= value <= MOST_INTEGER else None
    return value if math.isfinite(value) else None


def of_class(assignment: Assignment, traffic: int) -> str:
    """Return the value for a class of traffic; of too few values in a list the last one is for all further classes.

    Raises
    ------
    TsujiError
        If the list is empty, or the key has one value for all classes.
    """
    values = elements(assignment.value)
    if len(values) == 1 or (values and assignment.key in PER_CLASS):
        return values[min(traffic, len(values) - 1)]
    raise TsujiError(f"{assignment.place}: {assignment.key} = {assignment.value}: must be one value")
