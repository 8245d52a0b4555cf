"""Computes missing parts of ids in parallel, and keeps each as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context

from models.errors import TsujiError
from sim.lib.array_check import check_int
from sim.lib.clock import cpu_s
from sim.papers.framework.parts import Parts
from sim.papers.framework.study import CATALOGUE, Options, Part, Record, Study
from sim.papers.traces import check_traces
from sim.sweep.worker import prepare

Told = Callable[[str, int, int], None]
"""Called with the part that is done, the number of parts done, and their total."""

Job = tuple[Study, Part]
Wanted = tuple[Study, Options]
QUICK = ":quick"
LOGS = "cache.fig1"
"""The id whose parts depend on logs that a command names."""


def chosen(names: Sequence[str], options: Options) -> list[Wanted]:
    """Return the ids of `names`, with the options of each.

    Parameters
    ----------
    names : sequence of str
        Ids, a paper's letter, `beyond`, or `all`; the suffix `:quick` selects reduced size. The last name of an id
        counts.
    options : Options

    Raises
    ------
    TsujiError
        If there is no such id.
    """
    from sim.papers import every  # noqa: F401  # enters all ids

    papers = ("A", "B", "C", "D", "E", "beyond")
    studies = sorted(CATALOGUE.studies.values(), key=lambda study: papers.index(study.paper))
    quick: dict[str, bool] = {}
    for name in names:
        plain = name.removesuffix(QUICK)
        found = [study.id for study in studies if plain in ("all", study.id, study.paper)]
        if not found:
            raise TsujiError(f"{name}: no id; must be all, {', '.join(papers)}, or one of `tsuji papers list`")
        quick |= dict.fromkeys(found, options.quick or name != plain)
    return [(study, replace(options, quick=quick[study.id])) for study in studies if study.id in quick]


def with_kept(wanted: Sequence[Wanted], parts: Parts, options: Options) -> tuple[list[Wanted], list[str]]:
    """Return the ids of a folder's report: the requested ones, and others whose parts are kept there.

    Parameters
    ----------
    wanted : sequence of Wanted
        Requested ids.
    parts : Parts
        Parts of the folder; for other ids, parts of older code count if `parts` allows them.
    options : Options
        Options of other ids; they are in full size if all these parts are kept, else in reduced size.

    Returns
    -------
    all ids in the order of the papers, and one line per id that is kept but cannot be reported
    """
    named = {study.id: (study, own) for study, own in wanted}
    studies = [study for study, _ in chosen(["all"], options)]
    full = {part.key for study in studies for part in study.parts(replace(options, quick=False))}
    joined, failed = [], []
    for study in studies:
        if study.id in named:
            joined.append(named[study.id])
            continue
        try:
            size = _kept_size(study, parts, options, full)
        except TsujiError as error:
            failed.append(f"{study.id}: {error}")
            continue
        if size:
            joined.append((study, size))
        elif study.id == LOGS and any(parts.file(study, part).exists() for part in study.parts(options)):
            failed.append(f"{study.id}: what is kept is of other logs; name it, with --swf for each")
    return joined, failed


def without_traces(wanted: Sequence[Wanted], names: Sequence[str], parts: Parts) -> tuple[list[Wanted], str]:
    """Return the ids that can be computed without traces that are absent, and why the others are left out.

    An id is left out only where `all` or its paper asked for it; one that was named by itself is refused by `run`.

    Parameters
    ----------
    wanted : sequence of Wanted
        As of `chosen`.
    names : sequence of str
        What was asked for, as `chosen` takes it.
    parts : Parts
        What is kept needs no traces any more.

    Returns
    -------
    ids with their options, and one line, empty where none is left out
    """
    named = {name.removesuffix(QUICK) for name in names}
    kept, left_out, why = [], [], ""
    for study, options in wanted:
        missing = [part for part in study.parts(options) if parts.stored(study, part) is None]
        try:
            check_traces(missing)
        except TsujiError as error:
            if study.id not in named:
                left_out.append(study.id)
                why = str(error)
                continue
        kept.append((study, options))
    return kept, f"left out: {', '.join(sorted(left_out))}: {why}" if left_out else ""


def _kept_size(study: Study, parts: Parts, options: Options, full: set[str]) -> Options | None:
    """Return the size in which all parts of an id are kept; parts in `full` do not count as reduced ones."""
    for quick in (False, True):
        own = replace(options, quick=quick)
        todo = study.parts(own)
        if all(parts.stored(study, part) is not None for part in todo) and (
            not quick or any(part.key not in full for part in todo)
        ):
            return own
    return None


def drop_unknown(wanted: Sequence[Wanted], parts: Parts) -> None:
    """Drop kept parts that none of the ids uses any more in either size, except those of logs of jobs."""
    every = [
        (study, part)
        for study, own in wanted
        if study.id != LOGS
        for quick in (False, True)
        for part in study.parts(replace(own, quick=quick))
    ]
    parts.drop_others(every)


def run(wanted: Sequence[Wanted], parts: Parts, jobs: int = 1, told: Told | None = None) -> dict[str, str]:
    """Compute missing parts; return the ids that cannot be computed on this machine, with what they lack.

    Parameters
    ----------
    wanted : sequence of Wanted
        As returned by `chosen`.
    parts : Parts
        Folder of kept parts.
    jobs : int
        Number of processes; 1: compute in this process.
    told : callable or None
        Called for each part, existing ones first.

    Raises
    ------
    TsujiError
        If a part cannot be computed; the others are kept. If no wanted id can be computed on this machine.
    """
    check_int("jobs", jobs, 1)
    lacking = {
        study.id: reason
        for study, options in wanted
        if (reason := study.lacking()) and any(parts.stored(study, part) is None for part in study.parts(options))
    }
    if lacking and all(study.id in lacking for study, _ in wanted):
        raise TsujiError("; ".join(f"{name}: {reason}" for name, reason in lacking.items()))
    wanted = [(study, options) for study, options in wanted if study.id not in lacking]
    jobs_by_key = {part.key: (study, part) for study, options in wanted for part in study.parts(options)}
    every = list(jobs_by_key.values())
    missing = [job for job in every if parts.stored(*job) is None]
    check_traces(part for _, part in missing)
    done = len(every) - len(missing)
    if told and done:
        told("kept from before", done, len(every))
    for (study, part), (rows, seconds) in _computed(missing, jobs):
        parts.keep(study, part, rows, seconds)
        done += 1
        if told:
            told(f"{study.id}: {part.name}", done, len(every))
    return lacking


def _computed(missing: list[Job], jobs: int) -> Iterator[tuple[Job, tuple[list[Record], float]]]:
    if jobs == 1 or len(missing) < 2:
        for job in missing:
            yield job, _compute(job[1])
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=prepare) as pool:
        futures = {pool.submit(_compute, job[1]): job for job in missing}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool as error:
            raise TsujiError("a worker process ended unexpectedly; finished parts are kept") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _compute(part: Part) -> tuple[list[Record], float]:
    started = cpu_s()
    return part.run(**part.params), cpu_s() - started
