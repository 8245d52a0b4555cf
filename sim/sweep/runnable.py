"""What a sweep runs: points, each with its settings, its configuration and the name of its result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from models.errors import TsujiError
from sim.config import Config
from sim.engine.payback import expect_runs
from sim.measure.result import Documented, write_json

R_co = TypeVar("R_co", bound=Documented, covariant=True)


class Runnable(Protocol[R_co]):
    """A point: of traffic by a pattern (`sim.sweep.sweep.Point`), or of ranks (`sim.sweep.workload`)."""

    @property
    def values(self) -> dict[str, str]:
        """Settings of the sweep."""

    @property
    def config(self) -> Config:
        """The whole configuration."""

    @property
    def name(self) -> str:
        """Name of the result's file, without folder."""

    def simulate(self) -> R_co:
        """Simulate the point."""

    def read(self, document: Mapping[str, Any]) -> R_co:
        """Return the result of a document."""

    def compile(self) -> None:
        """Compile, if needed, the engine that workers then load."""


def label(values: dict[str, str]) -> str:
    """Return a point's settings, on one line."""
    return ", ".join(f"{key}={value}" for key, value in values.items())


def document_of(point: Runnable[Any]) -> dict[str, Any]:
    """Simulate a point and return its result as a document.

    Raises
    ------
    TsujiError
        If it cannot be simulated; the message names the point.
    """
    try:
        document: dict[str, Any] = point.simulate().document()
    except TsujiError as error:
        raise type(error)(f"{error}\nin the point {label(point.values)}") from error
    return document


def simulate_into(point: Runnable[Any], directory: Path, more: int = 0) -> None:
    """Simulate a point and write its result; `more` points are still to come."""
    expect_runs(more)
    write_json(document_of(point), directory / point.name)
