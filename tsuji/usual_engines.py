"""Engines of the usual kinds, compiled before they are needed: each by a tiny run, in processes side by side.

A run loads the engine of its kind from the user's cache, or compiles it first. What these runs compile is keyed as all
compiled code is (`models.jit.disk_cache`), so a change of the source, of numba or of the processor leaves it unused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from models.errors import TsujiError
from sim.config import load
from sim.simulation import simulate
from sim.sweep.worker import prepare

TORUS = ("topology.kind=torus", "topology.radix=[4,4]", "switch.vcs=4", "run.specialise=false")
SHORT = (
    "traffic.load=0.1",
    "measure.period=10",
    "measure.fill_periods=0",
    "measure.warmup_periods=1",
    "measure.measure_periods=1",
)
GOAL = """num_ranks 2
rank 0 {
l1: send 8b to 1 tag 1
}
rank 1 {
l1: recv 8b from 0 tag 1
}
"""


class UsualEngine(NamedTuple):
    """A kind of engine.

    Attributes
    ----------
    name : str
        What it is for.
    settings : tuple of str
        Settings `key=value` of a tiny run.
    messages : bool
        Whether the run is one of ranks that send messages.
    """

    name: str
    settings: tuple[str, ...]
    messages: bool = False


OF_RANKS = ("switch.routing=dimension_order", "workload.cycle_ns=1")
IN_BATCHES = ("switch.routing=dimension_order", "run.simd=true")
USUAL = (
    UsualEngine("traffic, any switch without rare features", (*TORUS, *SHORT)),
    UsualEngine("traffic, switches in batches", (*TORUS, *IN_BATCHES, *SHORT)),
    UsualEngine("messages", (*TORUS, *OF_RANKS), messages=True),
    UsualEngine(
        "traffic, low-power idle and other rare features, in batches", (*TORUS, *IN_BATCHES, *SHORT, "lpi.idle=20")
    ),
    UsualEngine("traffic, low-power idle and other rare features", (*TORUS, *SHORT, "lpi.idle=20")),
    UsualEngine("messages, low-power idle and other rare features", (*TORUS, *OF_RANKS, "lpi.idle=20"), messages=True),
)


def compile_usual(engines: Sequence[UsualEngine], workers: int) -> Iterator[UsualEngine]:
    """Compile engines that are not on disk; yield each when it is there.

    What is finished when this is interrupted is kept.

    Parameters
    ----------
    engines : sequence of UsualEngine
        The engines, longest first.
    workers : int
        Number of processes.

    Raises
    ------
    TsujiError
        If a process ends unexpectedly.
    """
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=prepare)
    try:
        futures = {pool.submit(_run, each): each for each in engines}
        for future in as_completed(futures):
            future.result()
            yield futures[future]
    except BrokenProcessPool as error:
        raise TsujiError("a process that compiled an engine ended unexpectedly; run the command again") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _run(engine: UsualEngine) -> None:
    """Run what needs the engine."""
    config = load(None, engine.settings)
    if not engine.messages:
        simulate(config)
        return
    from sim.sweep.workload import Work

    with TemporaryDirectory() as folder:
        path = Path(folder) / "two_ranks.goal"
        path.write_text(GOAL, encoding="utf-8")
        Work(path, slow_down=False).run(config)
