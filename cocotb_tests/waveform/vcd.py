"""Values of signals per cycle, from a VCD."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from models.errors import TsujiError


def by_cycle(path: Path, clock: str, signals: Iterable[str]) -> dict[str, list[int]]:
    """Return the values of signals at each falling edge of the clock, when all signals are stable.

    Parameters
    ----------
    path : Path
        VCD file.
    clock : str
        Clock signal, by its path below the root: "bench.clk".
    signals : iterable of str
        Signals, by path as well.

    Raises
    ------
    TsujiError
        If the VCD has no such signal.
    """
    header, _, changes = path.read_text(encoding="utf-8").partition("$enddefinitions $end")
    codes = _codes(header)
    wanted = [clock, *signals]
    for signal in wanted:
        if signal not in codes:
            raise TsujiError(f"{path}: has no signal {signal}")
    values = {codes[signal]: 0 for signal in wanted}
    samples: dict[str, list[int]] = {signal: [] for signal in wanted[1:]}
    for line in changes.split("\n"):
        if not line or line[0] not in "01b":
            continue
        word, code = line[1:].split() if line[0] == "b" else (line[0], line[1:])
        if code not in values:
            continue
        if code == codes[clock] and word == "0" and values[code]:
            for signal, sampled in samples.items():
                sampled.append(values[codes[signal]])
        values[code] = int(word, 2)
    return samples


def _codes(header: str) -> dict[str, str]:
    """Return the identifier of each signal, by path."""
    codes = {}
    scopes: list[str] = []
    for line in header.splitlines():
        match line.split():
            case ["$scope", _, name, *_]:
                scopes.append(name)
            case ["$upscope", *_]:
                scopes.pop()
            case ["$var", _, _, code, name, *_]:
                codes[".".join([*filter(None, scopes), name])] = code
    return codes
