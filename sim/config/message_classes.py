"""The array [[traffic.classes]]: message classes with their own share of the load, sizes, VCs and destinations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params import Params, SwitchParams
from models.params.config_file import OVERRIDE, Table, build
from sim.config.kinds import traffic
from sim.routing.base import Algorithm
from sim.topology.base import Topology
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.closed_loop import ClosedLoop
from sim.traffic.draws import Draws
from sim.traffic.pattern import PATTERNS
from sim.traffic.sizes import Sizes
from sim.traffic.traffic_class import TrafficClass

KEY = "traffic.classes"
MOST_CLASSES = 16
# Keys of [traffic] that a class may have instead: each group as a whole.
SIZE_KEYS = frozenset(Sizes.model_fields)


class ClassKeys(Params):
    """Keys that only a class has.

    Parameters
    ----------
    name : str
        In results; empty: its number.
    share : float
        Share of `traffic.load`, relative to the shares of the other classes.
    vcs : tuple of int or None
        First and last VC that its packets may take; None: all.
    """

    name: str = ""
    share: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    vcs: tuple[Annotated[int, Field(ge=0, le=15)], ...] | None = None

    @model_validator(mode="after")
    def _check_vcs(self) -> Self:
        if self.vcs is not None and (len(self.vcs) != 2 or self.vcs[0] > self.vcs[1]):
            raise ValueError(f"vcs = {list(self.vcs)}: must be the first and the last VC")
        return self

    @property
    def own_vcs(self) -> tuple[int, int] | None:
        """First and last VC; None: all."""
        return (self.vcs[0], self.vcs[1]) if self.vcs else None


@dataclass(frozen=True)
class MessageClass(TrafficClass):
    """A message class.

    Attributes
    ----------
    keys : ClassKeys
        The keys that only a class has.
    """

    keys: ClassKeys

    def document(self) -> dict[str, Any]:
        """Return its keys as plain values, every default written out."""
        found = {key: value for key, value in self.keys.model_dump(mode="json").items() if value is not None}
        found |= {"pattern": self.pattern.kind, "arrivals": self.arrivals.kind}
        for part in (self.sizes, self.pattern, self.arrivals):
            found |= part.model_dump(mode="json")
        return found


def message_classes(table: Table, topology: Topology) -> tuple[MessageClass, ...]:
    """Return the message classes; none without the array.

    Keys of [traffic] count for every class that has no such keys of its own.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    section = table.get("traffic", {})
    if "classes" not in section:
        return ()
    given = section["classes"]
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise TsujiError(f"{table.origin(KEY)}{KEY} = {given!r}: must be tables, each under [[traffic.classes]]")
    if not 1 <= len(given) <= MOST_CLASSES:
        raise TsujiError(f"{table.origin(KEY)}{KEY}: {len(given)} classes; must be 1 to {MOST_CLASSES}")
    common = {key: value for key, value in section.items() if key != "classes"}
    _refuse_unused(table, common, given)
    found = [_class(table, common, number, each, topology) for number, each in enumerate(given)]
    total = sum(each.keys.share for each in found)
    load = traffic(Table({"traffic": common}, table.origins))[3].load
    names = [each.keys.name for each in found]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise TsujiError(f"{table.origin(KEY)}{KEY}: two classes have the name {again!r}")
    return tuple(
        MessageClass(each.pattern, each.arrivals, each.sizes, load * each.keys.share / total, each.keys)
        for each in found
    )


def without_classes(table: Table) -> Table:
    """Return a configuration without its message classes."""
    section = {key: value for key, value in table.get("traffic", {}).items() if key != "classes"}
    return Table({**table, "traffic": section}, table.origins) if "traffic" in table else table


def check_together(
    mode: str, draws: Draws, loop: ClosedLoop, switch: SwitchParams, routing: Algorithm, workload: Params | None
) -> None:
    """Refuse message classes beside what does not know them.

    Raises
    ------
    TsujiError
        If there is such a thing; the message names its key.
    """
    refused = {
        f'measure.mode = "{mode}"': mode != "open",
        'traffic.draws = "hash"': draws.hashed,
        f"traffic.reply_size = {loop.reply_size}": loop.reply_size > 0,
        "[workload]": workload is not None,
        "[adaptive]": switch.adaptive is not None,
        f'switch.routing = "{switch.routing}"': not switch.programmed,
        'routing.kind = "ugal"': routing.kind == "ugal",
    }
    why = "message classes need routes from tables, of which a class has its own" if not switch.programmed else ""
    for setting, is_given in refused.items():
        if is_given:
            raise TsujiError(f"{setting}: does not go with traffic.classes{': ' + why if why else ''}")


def _class(
    table: Table, common: Mapping[str, Any], number: int, given: Mapping[str, Any], topology: Topology
) -> MessageClass:
    """Return a class whose load is not known yet."""
    place = f"{KEY}.{number}"
    array = table.origins.get(KEY, "")
    is_file = array and not array.startswith(OVERRIDE)
    origins = dict(table.origins)
    for key in (f"{place}.{key}" for key in given):
        origins[key] = origins.get(key, array) if is_file else array  # an override replaces the whole array
    own = {key: value for key, value in given.items() if key in ClassKeys.model_fields}
    keys = build(ClassKeys, own, Table({}, origins), place)
    packets = {key: value for key, value in given.items() if key not in ClassKeys.model_fields}
    if misplaced := sorted(packets.keys() - _allowed()):
        allowed = ", ".join(sorted({*ClassKeys.model_fields, "pattern", "arrivals", *SIZE_KEYS}))
        key = f"{place}.{misplaced[0]}"
        raise TsujiError(
            f"{Table({}, origins).origin(key)}{key} = {packets[misplaced[0]]!r}: unknown key; allowed: {allowed}, and "
            "keys of the pattern and the arrivals"
        )
    left = {key: value for key, value in common.items() if not any(key in group for group in _groups(packets))}
    of_class = {f"traffic.{key}": origins[f"{place}.{key}"] for key in packets}
    merged = Table({"traffic": {**left, **packets}}, {**table.origins, **of_class})
    try:
        pattern, arrivals, sizes, *_ = traffic(merged)
        own_sizes = pattern.sizes(topology, sizes)
    except TsujiError as error:
        raise TsujiError(re.sub(r"(?<![\w.])traffic\.(?!classes)", f"{place}.", str(error))) from error
    keys = keys if keys.name else keys.model_copy(update={"name": str(number)})
    return MessageClass(pattern, arrivals, own_sizes, 1.0, keys)


def _kind_keys(names: Iterable[str], registry: Any) -> set[str]:
    return {key for name in names for key in registry.get(name).model_fields}


def _allowed() -> set[str]:
    """Return the keys of [traffic] that a class may have."""
    return {
        "pattern",
        "arrivals",
        *SIZE_KEYS,
        *(key for each in (PATTERNS, ARRIVALS) for key in _kind_keys(each.names(), each)),
    }


def _groups(given: Mapping[str, Any]) -> list[set[str]]:
    """Return the groups of keys of [traffic] that a class with these keys does not take from there."""
    found: list[set[str]] = []
    if SIZE_KEYS & given.keys():
        found.append(set(SIZE_KEYS))
    for key, registry in (("pattern", PATTERNS), ("arrivals", ARRIVALS)):
        if key in given:
            found.append({key, *_kind_keys(registry.names(), registry)})
    return found


def _refuse_unused(table: Table, common: Mapping[str, Any], given: list[dict[str, Any]]) -> None:
    """Refuse keys of [traffic] that every class has of its own."""
    for key, value in common.items():
        if all(any(key in group for group in _groups(each)) for each in given):
            raise TsujiError(
                f"{table.origin(f'traffic.{key}')}traffic.{key} = {value!r}: every class has its own; leave it out"
            )
