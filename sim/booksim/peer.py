"""Runs a BookSim2 executable on the same file and overrides, and reads the figures that it prints."""

from __future__ import annotations

import re
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

from models.errors import TsujiError
from sim.booksim.measure import Outcome
from sim.booksim.tally import Spread

_FIGURE = re.compile(
    r"^(?P<name>[A-Z][a-z]+(?: [a-z]+)*) average\s*=\s*(?P<average>\S+).*"
    r"(?:\n\s+minimum = (?P<minimum>\S+).*\n\s+maximum = (?P<maximum>\S+).*)?$",
    re.MULTILINE,
)
MOST_WARNINGS = 50  # deadlock warnings: one after each deadlock_warn_timeout cycles in which no flit arrives

_CYCLES = re.compile(r"^Time taken is (\d+) cycles", re.MULTILINE)
_UNSTABLE = re.compile(r"^(Average latency .*) Aborting simulation|^(Too many sample periods.*)", re.MULTILINE)


def run(executable: Path, config: Path, overrides: Sequence[str], nodes: int) -> Outcome:
    """Run BookSim2 and return its figures.

    Parameters
    ----------
    executable, config : Path
        BookSim2's executable, and the configuration file.
    overrides : sequence of str
        Overrides `key=value`, passed on.
    nodes : int
        Nodes of the network, to compute flit-hops.

    Raises
    ------
    TsujiError
        If BookSim2 cannot be run, stalls, or prints no figures. Its exit code is ignored (255 on success).
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(executable.resolve()), str(config), *overrides]
    with TemporaryFile("w+", errors="replace") as errors:
        try:
            done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace")
        except OSError as error:
            raise TsujiError(f"{executable}: cannot be run: {error.strerror}") from error
        try:
            with done:
                text = _text(done, executable)
        except BaseException:
            done.kill()
            raise
        errors.seek(0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return read(text, errors.read(), spent, nodes, executable)


def _text(running: subprocess.Popen[str], executable: Path) -> str:
    """Return the output of BookSim2; stop it when it stalls, because it would repeat its warning for ever."""
    lines: list[str] = []
    warnings = 0
    assert running.stdout is not None
    for line in running.stdout:
        lines.append(line)
        warnings += "Possible network deadlock" in line
        if warnings == MOST_WARNINGS:
            running.kill()
            raise TsujiError(f"{executable}: stopped: it warned {warnings} times of a network deadlock")
    return "".join(lines)


def read(text: str, errors: str, cpu_s: float, nodes: int, executable: Path) -> Outcome:
    """Return the figures that BookSim2 printed last: those of all simulations, or of the sample at which it aborted.

    Flit-hops are accepted flits/node/cycle · nodes · cycles · (hops − 1), because its hops count routers.

    Raises
    ------
    TsujiError
        If there are none; the message quotes the last line of the output.
    """
    figures = {}
    for match in _FIGURE.finditer(text):
        name = match["name"].replace("packet length", "packet size")
        figures[name] = Spread(*(_number(match[each]) for each in ("average", "minimum", "maximum")))
    if "Packet latency" not in figures:
        said = (errors.strip() or text.strip() or "nothing").splitlines()[-1]
        raise TsujiError(f"{executable}: printed no figures; it said: {said}")
    given_up = _UNSTABLE.search(text)
    unstable = "" if given_up is None else given_up[1] or given_up[2]
    cycles = sum(int(each) for each in _CYCLES.findall(text))
    accepted, hops = figures["Accepted flit rate"].average, figures.get("Hops", Spread(None)).average
    flit_hops = 0 if accepted is None or hops is None else round(accepted * nodes * cycles * (hops - 1))
    return Outcome(figures, unstable, cycles, flit_hops, cpu_s)


def _number(text: str | None) -> float | None:
    """Return a number that BookSim2 printed; None for not-a-number."""
    if text is None or "nan" in text:
        return None
    return float(text)
