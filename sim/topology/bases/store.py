"""Bases found by searches, stored in `bases.csv` beside this file, one row per kind of pair of planes."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.topology.bases.metrics import Generators
from sim.topology.bases.search import LEAST, MOST, Found, better, laid_out, pair, search

BASES = Path(__file__).with_name("bases.csv")
COLUMNS = (
    "dimensions",
    "folded",
    "cables",
    "method",
    "generators",
    "mean_distance",
    "traffic",
    "cable_m",
    "latency_ns",
    "gain",
    "least_mean_distance",
    "greatest_traffic",
    "tried",
    "seconds",
    "seed",
)
ALL, ANNEALING = "all bases", "annealing"
FLAGS = {"true": True, "false": False}

Kind = tuple[int, bool, bool]
"""Dimensions, whether folded, whether the search counts cables."""


@dataclass(frozen=True)
class Kept:
    """A stored basis, and how it was found.

    Attributes
    ----------
    kind : Kind
    found : Found
        Result; seconds and bases tried are sums over all searches.
    seed : int
        Seed of the last search; the next one takes another.
    """

    kind: Kind
    found: Found
    seed: int

    @property
    def generators(self) -> Generators:
        """The second plane's generators."""
        return self.found.best.generators


def read_bases(path: Path = BASES) -> dict[Kind, Kept]:
    """Return the bases of a file; their figures are recomputed.

    Raises
    ------
    TsujiError
        If a row is not readable.
    """
    if not path.exists():
        return {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise TsujiError(f"{path}: cannot be read: {error}; expected a table of bases") from error
    return dict(_read(path, text))


@lru_cache(maxsize=4)
def _read(path: Path, text: str) -> dict[Kind, Kept]:
    kept = {}
    for number, row in enumerate(csv.DictReader(text.splitlines()), 2):
        try:
            kind = int(row["dimensions"]), FLAGS[row["folded"]], FLAGS[row["cables"]]
            generators = tuple(map(int, row["generators"].split()))
            _check(kind, generators, row["method"])
            best = pair(kind[0], generators, cables=kind[2])
            every = row["method"] == ALL
            bounds = (_finite(row["least_mean_distance"]), _finite(row["greatest_traffic"])) if every else None
            kept[kind] = Kept(kind, Found(best, bounds, int(row["tried"]), _finite(row["seconds"])), int(row["seed"]))
        except (KeyError, TypeError, ValueError, TsujiError) as error:
            raise TsujiError(f"{path}:{number}: no row of bases: {error}") from error
    return kept


def _check(kind: Kind, generators: Generators, method: str) -> None:
    """Refuse a row of an invalid kind of pair."""
    bits, folded, _ = kind
    if not LEAST <= bits <= MOST:
        raise ValueError(f"dimensions = {bits}: must be {LEAST} to {MOST}")
    if len(generators) != bits + folded or not all(0 < each < 1 << bits for each in generators):
        raise ValueError(f"generators: must be {bits + folded} numbers from 1 to {(1 << bits) - 1}")
    if method not in (ALL, ANNEALING):
        raise ValueError(f"method = {method}: must be {ALL} or {ANNEALING}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text}: must be finite")
    return value


def write_bases(kept: dict[Kind, Kept], path: Path = BASES) -> None:
    """Write bases, in order of their kinds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for kind in sorted(kept):
        found, best = kept[kind].found, kept[kind].found.best
        writer.writerow(
            [
                kind[0],
                *(str(flag).lower() for flag in kind[1:]),
                ALL if found.bounds else ANNEALING,
                " ".join(map(str, best.generators)),
                *(f"{value:.9g}" for value in best[1:]),
                *(found.bounds or ("", "")),
                found.tried,
                f"{found.seconds:.1f}",
                kept[kind].seed,
            ]
        )
    write_output(path, text.getvalue())


def improve(kind: Kind, seconds: float, path: Path = BASES) -> Kept:
    """Search for a better basis than that in the file, for another `seconds` seconds, and store it.

    If all bases have been tried, nothing is searched. The file's basis of the same planes with cables, or without, is
    another candidate. A killed search leaves the file unchanged.

    Raises
    ------
    TsujiError
        As `search`.
    """
    table = read_bases(path)
    before = table.get(kind)
    bits, folded, cables = kind
    others = [table[each].generators for each in (kind, (bits, folded, not cables)) if each in table]
    candidates = [laid_out(bits, each, cables=cables) for each in others]
    if before and before.found.bounds:
        found, seed = before.found, before.seed
    else:
        seed = before.seed + 1 if before else 1
        found = search(bits, folded=folded, cables=cables, seconds=seconds, seed=seed)
        if before:  # of two equally good bases, the stored one stays
            candidates.append(found.best)
            tried, spent = before.found.tried + found.tried, before.found.seconds + found.seconds
            found = replace(found, best=before.found.best, tried=tried, seconds=spent)
    for candidate in candidates:
        if better(candidate, found.best):
            found = replace(found, best=candidate)
    now = Kept(kind, found, seed)
    write_bases(read_bases(path) | {kind: now}, path)  # read again: searches may run side by side
    return now


def kinds(bits: int) -> list[Kind]:
    """Return the four kinds of pairs of some dimensions."""
    return [(bits, folded, cables) for folded in (False, True) for cables in (False, True)]
