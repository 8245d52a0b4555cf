"""Ranges of the switch's parameters: what is accepted, and what was compared; `python -m cocotb_tests.cases.ranges`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel

from cocotb_tests.cases.covering.array import covering_cases
from cocotb_tests.cases.large import LARGE
from cocotb_tests.cases.shared import CASES
from cocotb_tests.cases.small import SMALL
from models.params import SwitchParams

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "compared.md"
PROVED = {
    "lpi.idle": "lpi: phases",
    "lpi.sleep": "lpi: phases",
    "lpi.wake": "lpi: phases",
    "lpi.refresh_interval": "lpi: phases, with long refresh",
    "lpi.refresh": "lpi: phases, with long refresh",
}
"""Parameters whose whole range is proved, by the name with which the properties begin."""
ENOUGH = 0.25
"""Least share of the greatest accepted value that must be compared, unless it is proved."""


class Range(NamedTuple):
    """A numeric parameter.

    Attributes
    ----------
    key : str
        Name, with its section except for `switch`.
    least, greatest : int
        Accepted.
    compared : tuple of int
        Least and greatest of the compared switches.
    """

    key: str
    least: int
    greatest: int
    compared: tuple[int, int]


def ranges() -> list[Range]:
    """Return all parameters with a range, in the order of `SwitchParams`."""
    cases = [case.params for case in (CASES | SMALL | LARGE | covering_cases()).values()]
    found = []
    for path, least, greatest in _fields(SwitchParams):
        values = [value for params in cases for value in _values(params, path)]
        found.append(Range(".".join(path), least, greatest, (min(values), max(values))))
    return found


def _fields(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Yield the path of each numeric field with its least and greatest value."""
    for name, field in model.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _fields(kind, (*path, name))
        limits = [*field.metadata, *_limits(field.annotation)]
        least = [
            _whole(each.ge) if isinstance(each, Ge) else _whole(each.gt) + 1
            for each in limits
            if isinstance(each, Ge | Gt)
        ]
        most = [
            _whole(each.le) if isinstance(each, Le) else _whole(each.lt) - 1
            for each in limits
            if isinstance(each, Le | Lt)
        ]
        if least and most:
            yield (*path, name), least[0], most[0]


def _whole(limit: object) -> int:
    assert isinstance(limit, int)
    return limit


def _limits(kind: Any) -> list[Any]:
    """Return the limits within a type such as `Annotated[int, Field(ge=1)] | None` or a tuple of it."""
    if get_origin(kind) is Literal:
        return []
    own = [each for meta in getattr(kind, "__metadata__", ()) for each in getattr(meta, "metadata", [meta])]
    return own + [limit for part in get_args(kind) for limit in _limits(part)]


def _values(params: BaseModel, path: tuple[str, ...]) -> list[int]:
    """Return the values that a switch has for a field: none if it is not set, several if it is a tuple."""
    value: Any = params
    for name in path:
        value = getattr(value, name, None)
    if value is None:
        return []
    return list(value) if isinstance(value, tuple) else [int(value)]


def page() -> str:
    """Return the page of all ranges."""
    lines = [
        "# Ranges accepted and compared",
        "",
        "Written by `python -m cocotb_tests.cases.ranges`; do not edit. Numeric parameters of a switch: the range that",
        "configurations may use, and the least and greatest value of the whole switches whose RTL and model are",
        "compared in every cycle ([verification.md](../explanation/verification.md)): those of the benches, of",
        "`make soak`, and of the covering array. `python -m cocotb_tests.soak --set key=value` compares other values.",
        "",
        "| key | accepted | compared | proved for all values ([proofs.md](proofs.md)) |",
        "| --- | --- | --- | --- |",
    ]
    for each in ranges():
        key = each.key if "." in each.key else f"switch.{each.key}"
        proof = f"`{PROVED[each.key]}`" if each.key in PROVED else ""
        least, most = each.compared
        lines.append(f"| `{key}` | {each.least}–{each.greatest} | {least}–{most} | {proof} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
