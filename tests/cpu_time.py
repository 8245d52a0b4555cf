"""CPU seconds of tests, with all processes they start: recorded, and used to order and select tests.

On a busy machine wall time means little. `tests/cpu_seconds.tsv` has the mean of each test function that takes half a
second or more. `make test` writes a new table to `build/`; copy it over the old one when that has become wrong.
"""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

import pytest

TABLE = Path(__file__).with_name("cpu_seconds.tsv")
QUICK = 6.0  # limit of a function for `make check`
LISTED = 0.5  # limit from which a function is in the table


def cpu_s() -> float:
    """Return the CPU seconds of this process and of its finished children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def function_of(test: str) -> str:
    """Return the name of a test without its parameters."""
    return test.partition("[")[0]


def read_table(file: Path = TABLE) -> dict[str, float]:
    """Return CPU seconds by test function; functions not in the table take little time."""
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return {function: float(seconds) for seconds, function in rows}


def write_table(file: Path, spent: Mapping[str, float]) -> None:
    """Write the mean CPU seconds of each test function, longest first."""
    by_function: defaultdict[str, list[float]] = defaultdict(list)
    for test, seconds in spent.items():
        by_function[function_of(test)].append(seconds)
    means = {function: sum(seconds) / len(seconds) for function, seconds in by_function.items()}
    listed = sorted((-mean, function) for function, mean in means.items() if mean >= LISTED)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{-mean:.1f}\t{function}\n" for mean, function in listed), encoding="utf-8")


def by_folder(spent: Mapping[str, float]) -> dict[str, tuple[int, float]]:
    """Return the number of tests and their CPU seconds by folder, those of benches by stage."""
    found: dict[str, tuple[int, float]] = {}
    for test, seconds in sorted(spent.items()):
        folder = "/".join(PurePosixPath(test.partition("::")[0]).parent.parts[:3])
        count, total = found.get(folder, (0, 0.0))
        found[folder] = count + 1, total + seconds
    return found


def longest_first(functions: Sequence[str], seconds: Mapping[str, float], workers: int) -> list[int]:
    """Return an order in which workers that take equal parts of a list all begin with long tests.

    Parameters
    ----------
    functions : sequence of str
        Function of each test.
    seconds : mapping
        CPU seconds of the functions that take long.
    workers : int
        Number of workers. Each begins with an equal part of the tests, in order (xdist's `worksteal`), and then takes
        the last test of another worker.

    Returns
    -------
    list of int
        Indices in `functions`. Tests of a long function stay together: they share what is compiled and built.
    """
    places: dict[str, list[int]] = {}
    for place, function in enumerate(functions):
        places.setdefault(function, []).append(place)
    shares: list[list[int]] = [[] for _ in range(workers)]
    load = [0.0] * workers
    heavy = sorted((name for name in places if name in seconds), key=lambda name: -seconds[name])
    for name in heavy:
        least = load.index(min(load))
        shares[least] += places[name]
        load[least] += seconds[name] * len(places[name])
    light = [place for name, there in places.items() if name not in seconds for place in there]
    end = 0
    for worker, share in enumerate(shares):
        room = max(0, len(functions) * (worker + 1) // workers - end - len(share))
        share += light[:room]
        del light[:room]
        end += len(share)
    shares[-1] += light
    return [place for share in shares for place in share]


class Recorder:
    """Pytest plugin that records the CPU seconds of each test.

    Parameters
    ----------
    file : Path, optional
        File for the table, also written from time to time in case the run is ended early.

    Attributes
    ----------
    spent : dict of str to float
        CPU seconds by test; complete only in the process as which pytest was started, where reports arrive.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.spent: dict[str, float] = {}
        self._file = file
        self._begun = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Start measuring."""
        self._begun = cpu_s()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Put the CPU seconds of a test into its last report."""
        report = yield
        if call.when == "teardown":
            report.cpu_s = cpu_s() - self._begun
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Read the CPU seconds from the report."""
        if report.when == "teardown":
            self.spent[report.nodeid] = report.cpu_s
            if len(self.spent) % 50 == 0:
                self.write()

    def write(self) -> None:
        """Write the table, if there is a file for it."""
        if self._file:
            write_table(self._file, self.spent)
