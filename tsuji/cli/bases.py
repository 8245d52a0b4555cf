"""`tsuji bases`: the second plane of two isomorphic hypercubes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.output import output_file
from tsuji.progress import Stages


def bases(
    dimensions: Annotated[int, typer.Argument(metavar="N", help="Dimensions of the hypercubes, 2 to 12.")],
    folded: Annotated[bool, typer.Option("--folded", help="Search for folded hypercubes.")] = False,
    cables: Annotated[
        bool, typer.Option("--cables", help="Minimise the mean latency with cables instead of the mean distance.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="CPU time of annealing, 60 by default; an annealing that has begun is finished.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed of the search, 1 by default; with --keep the table's next one."),
    ] = None,
    keep: Annotated[
        Path | None,
        output_file("Continue from the basis in this table (CSV), and store a better one.", ".csv"),
    ] = None,
) -> None:
    """Search for generators of a second hypercube that shorten paths and spread traffic (paper D).

    Up to 7 dimensions, with --cables up to 6, all bases are tried, which takes minutes; beyond, annealing is used.

    [bold]Examples[/]

      tsuji bases 6

      tsuji bases 8 --cables --seconds 600

      tsuji bases 12 --folded --keep sim/topology/bases/bases.csv
    """
    from sim.lib.array_check import check_int
    from sim.topology.bases.search import LEAST, MOST, all_are_tried, search
    from sim.topology.bases.store import improve

    if keep and seed is not None:
        raise TsujiError(
            f"--seed {seed}: with --keep the seed is the one after that of the table; leave one of them out"
        )
    check_int("dimensions", dimensions, LEAST, MOST)
    for option, value in (("seconds", seconds), ("seed", seed)):
        if value is not None and all_are_tried(dimensions, cables=cables):
            raise TsujiError(f"--{option} {value}: all bases of {dimensions} dimensions are tried; leave it out")
    seconds = 60.0 if seconds is None else seconds
    with Stages(Console(stderr=True)):
        if keep:
            found = improve((dimensions, folded, cables), seconds, keep).found
        else:
            found = search(dimensions, folded=folded, cables=cables, seconds=seconds, seed=1 if seed is None else seed)
    best = found.best
    print(f"generators      {list(best.generators)}")
    print(f"mean distance   {best.mean_distance:.4f}")
    print(f"traffic         {best.traffic:.4f} with one node per switch,  {best.traffic / 4:.4f} with four")
    print(f"cables          {best.cable_m:.2f} m, mean")
    print(f"mean latency    {best.latency_ns:.1f} ns")
    if found.bounds:
        distance, traffic = found.bounds
        print(f"all bases       {found.tried:,}: no mean distance below {distance:.4f}, no traffic above {traffic:.4f}")
    else:
        every = ", all searches of the table together" if keep else ""
        print(f"annealing       {found.tried:,} bases in {found.seconds:.0f} s{every}")
