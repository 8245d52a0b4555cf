"""`tsuji engines`: compiles the engines of the usual kinds before they are needed."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.console import Console

from tsuji.progress import Points


def engines(
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of processes; one per processor by default.", show_default=False),
    ] = None,
) -> None:
    """Compile the engines of the usual kinds, so that the first run of each begins at once.

    `make .venv` ends with it. Engines that are compiled already are only loaded. Ctrl-C ends it; finished engines are
    kept, and the same command goes on. Other kinds, and specialised engines, are compiled when they are needed.

    [bold]Examples[/]

      tsuji engines

      tsuji engines --workers 1
    """
    from models.jit import disk_cache
    from sim.lib.array_check import check_int
    from tsuji.usual_engines import USUAL, compile_usual

    count = (os.cpu_count() or 1) if workers is None else check_int("workers", workers, 1)
    count = min(count, len(USUAL))
    disk_cache.check_writable()
    console = Console(stderr=True, highlight=False)
    console.print(
        f"Compiling {len(USUAL)} engines in {count} {'process' if count == 1 else 'processes'}, once for this version: "
        "about 30 s of CPU time each. Ctrl-C ends it; tsuji engines goes on later.",
        soft_wrap=True,
    )
    with Points(console, len(USUAL), disk_cache.folder(), "engines") as points:
        for each in compile_usual(USUAL, count):
            points.finished({"": each.name})
    Console(highlight=False).print(f"{len(USUAL)} engines are in {disk_cache.folder()}", soft_wrap=True)
