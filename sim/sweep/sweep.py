"""Sweeps: many simulations in parallel; finished ones are kept on disk, so that an interrupted sweep can resume.

A point's file is named by a digest of everything that its figures depend on: the whole configuration, the program, and
the libraries that draw random numbers. Sweeps with common points may share a directory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self, TypeVar

from models.errors import TsujiError
from models.params.config_file import Setting
from sim.config import Config, load
from sim.measure.result import Documented, Result
from sim.simulation import build, simulate
from sim.sweep.axes import Axis, combinations
from sim.sweep.executor import LOCAL, open_executor
from sim.sweep.program import program_digest
from sim.sweep.runnable import Runnable, label

LIBRARIES = ("networkx", "numpy")  # libraries that draw graphs and traffic: figures depend on their versions

Finished = Callable[[int], None]
"""Called with the number of each point whose result has become available."""


@dataclass(frozen=True)
class Point:
    """One simulation of a sweep.

    Attributes
    ----------
    values : dict of str to str
        Settings of the sweep.
    config : Config
        The whole configuration.
    """

    values: dict[str, str]
    config: Config

    @property
    def name(self) -> str:
        """Name of the result's file, without folder."""
        return name_of(self.config)

    def simulate(self) -> Result:
        """Simulate the point."""
        return simulate(self.config)

    def read(self, document: Mapping[str, Any]) -> Result:
        """Return the result of a document."""
        return Result.from_document(document)

    def compile(self) -> None:
        """Compile, if needed, the engine that workers then load, generic or specialised."""
        run = self.config.run.model_copy(update={"specialise": self.config.run.specialise is True})
        build(replace(self.config, run=run)).advance(0)


def name_of(config: Config, more: Any = None) -> str:
    """Return the name of a result's file: a digest of all that figures depend on; `more` holds further plain values."""
    files = [sha256(path.read_bytes()).hexdigest() for path in config.files]
    versions = [version(name) for name in ("tsuji", *LIBRARIES)]
    document = config.document()
    for key in ("specialise", "threads", "simd"):  # they do not affect figures
        document["run"].pop(key)
    content = json.dumps([document, files, versions, program_digest(), *([more] if more else [])], sort_keys=True)
    return f"{sha256(content.encode()).hexdigest()[:20]}.json"


R = TypeVar("R", bound=Documented)


def points(path: Path | None, overrides: Iterable[str], axes: list[Axis], *, power: bool = False) -> list[Point]:
    """Return the points of a sweep, all checked.

    Parameters
    ----------
    path : Path or None
        Configuration file.
    overrides : iterable of str
        Overrides `key=value` for all points.
    axes : list of Axis
        Axes; all combinations are swept.
    power : bool
        Whether to add a section [power] if there is none.

    Raises
    ------
    TsujiError
        If any point's configuration is refused.
    """
    fixed = list(overrides)
    return [point(path, fixed, values, power=power) for values in combinations(axes)]


def point(path: Path | None, overrides: Iterable[str], values: dict[str, str], *, power: bool = False) -> Point:
    """Return one point, checked; `power` as in `points`.

    Raises
    ------
    TsujiError
        If its configuration is refused.
    """
    try:
        settings = [*overrides, *(Setting(f"{key}={value}") for key, value in values.items())]
        return Point(values, load(path, settings, power=power))
    except TsujiError as error:
        raise TsujiError(f"{error}\nin the point {label(values)}" if values else str(error)) from error


def stored(point: Runnable[R], directory: Path) -> R | None:
    """Return the point's result if the directory has it."""
    try:
        return point.read(json.loads((directory / point.name).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def run(
    todo: Sequence[Runnable[R]],
    directory: Path,
    workers: int | None = None,
    finished: Finished | None = None,
    executor: str = LOCAL,
) -> list[R]:
    """Simulate the points that the directory has no result of; return the results of all, in order.

    Parameters and errors: see `Simulations` and `Simulations.run`.
    """
    with Simulations(directory, workers, executor) as simulations:
        return simulations.run(todo, finished)


class Simulations:
    """Runs points and keeps their results; its processes live until it is closed.

    Parameters
    ----------
    directory : Path
        Folder where each result is written as soon as it is available.
    workers : int or None
        Number of processes; 1 and None: simulate in this process. Results do not depend on it.
    executor : str
        Where points are computed, as in `sim.sweep.executor.open_executor`.

    Raises
    ------
    TsujiError
        If there are no workers, or no such executor.
    """

    def __init__(self, directory: Path, workers: int | None = None, executor: str = LOCAL) -> None:
        self._directory = directory
        self._executor = open_executor(executor, workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.close()

    def run(self, todo: Sequence[Runnable[R]], finished: Finished | None = None) -> list[R]:
        """Simulate the points that the directory has no result of; return the results of all, in order.

        Parameters
        ----------
        todo : sequence of Runnable
            Points.
        finished : callable or None
            Called with the number of each point as its result becomes available, stored ones first.

        Raises
        ------
        TsujiError
            If a point cannot be simulated; the results of the others are kept.
        """
        directory = self._directory
        results = {number: result for number, each in enumerate(todo) if (result := stored(each, directory))}
        open_points = [number for number in range(len(todo)) if number not in results]
        for number in results:
            if finished:
                finished(number)
        for number in self._executor.compute(todo, open_points, directory):
            result = stored(todo[number], directory)
            if result is None:
                raise TsujiError(f"{directory / todo[number].name}: the result just written cannot be read")
            results[number] = result
            if finished:
                finished(number)
        return [results[number] for number in range(len(todo))]
