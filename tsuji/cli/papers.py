"""`tsuji papers`: tables and figures of the papers, from our own runs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from models.errors import TsujiError
from sim.files.output_file import check_folder
from sim.files.shared_folder import TRACES, VARIABLE, shared_folder
from tsuji.cli.points import CPUS
from tsuji.progress import Points, Stages

FULL, QUICK = Path("docs/results"), Path("build/papers")

papers = typer.Typer(
    name="papers", help="Tables and figures of the five papers, from our own runs.", no_args_is_help=True
)


@papers.command(name="list")
def list_ids() -> None:
    """List the ids with their paper and subject."""
    from sim.papers.framework.runner import chosen
    from sim.papers.framework.study import Options
    from tsuji import combination_cost, hardware_cost  # noqa: F401  # enter their ids

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("paper", "id", "what"):
        table.add_column(name)
    for study, _ in chosen(["all"], Options(quick=True, traces=shared_folder(TRACES))):
        table.add_row(study.paper, study.id, study.title)
    Console(width=100).print(table)


@papers.command(name="run")
def run_ids(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID…", help="Ids, a paper (A, B, C, D, E, beyond), or all; ID:quick in reduced size."),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Reduced sizes.")] = False,
    jobs: Annotated[int, typer.Option(metavar="N", help="Parts that are computed in parallel.")] = CPUS,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help=f"Output folder;  {FULL}, with --quick {QUICK}.")
    ] = None,
    traces: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help=f"Traces of the NAS Parallel Benchmarks, for cache.fig6 to fig9; {TRACES}/ in the folder that "
            f"{VARIABLE} names, or in ../shared beside the clone.",
            show_default=False,
        ),
    ] = None,
    swf: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Log of jobs for cache.fig1 instead of a synthetic one.")
    ] = None,
    old_code: Annotated[
        bool, typer.Option("--old-code", help="Use parts computed by other code; the report lists them.")
    ] = False,
    redraw: Annotated[bool, typer.Option(help="Redraw existing figures.")] = True,
) -> None:
    """Compute ids, and write data, figures, the comparison table and the report.

    Parts are kept when done: the same command, after an interruption or a change of code, computes only missing or
    outdated parts. The report covers all ids whose parts are in the folder.

    [bold]Examples[/]

      tsuji papers run all --quick

      tsuji papers run predict.fig2 cache.fig5

      tsuji papers run D --jobs 1 --out my_results

    All but one in full size:

      tsuji papers run all hxb.fig2:quick
    """
    from sim.papers.framework.parts import Parts
    from sim.papers.framework.report import write_report
    from sim.papers.framework.runner import LOGS, chosen, drop_unknown, run, with_kept, without_traces
    from sim.papers.framework.study import Options
    from sim.papers.framework.table import number
    from tsuji import combination_cost, hardware_cost  # noqa: F401  # enter their ids

    out = out or (QUICK if quick else FULL)
    check_folder(out, f"--out {out}")
    options = Options(quick, traces.absolute() if traces else shared_folder(TRACES), tuple(swf or ()))
    wanted = chosen(ids, options)
    stems = [path.stem for path in swf or ()]
    if swf and LOGS not in (study.id for study, _ in wanted):
        raise TsujiError(f"--swf {swf[0]}: only {LOGS} reads logs of jobs; name it, too, or leave the option out")
    if len(set(stems)) < len(stems):
        raise TsujiError(f"--swf {swf[-1] if swf else ''}: two logs of one name; rename one of them")
    parts = Parts(out / "data", old_code=old_code)
    console = Console(stderr=True)
    every = wanted
    if not traces:
        wanted, left_out = without_traces(wanted, ids, parts)
        if left_out:
            console.print(left_out, highlight=False, markup=False)
    with Points(console, None, out / "data") as progress:

        def told(name: str, done: int, total: int) -> None:
            progress.reach({"": name}, done, total)

        lacking = run(wanted, parts, jobs, told)
    for name, reason in lacking.items():
        console.print(f"not computed: {name}: {reason}", highlight=False)
    wanted = [each for each in wanted if each[0].id not in lacking]
    if "all" in ids:
        drop_unknown(every, parts)
    command = " ".join(["tsuji", *sys.argv[1:]])
    kept = Parts(out / "data", old_code=True)
    with Stages(console):
        joined, failed = with_kept(wanted, kept, replace(options, quick=False))
        asked = frozenset(study.id for study, _ in wanted)
        report = write_report(joined, kept, out, command, redraw=redraw, asked=asked)
    for line in [*failed, *report.failed]:
        console.print(f"not in the report: {line}", highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("id", "quantity", "paper", "ours", "ratio", "verdict"):
        table.add_column(name, justify="right" if name in ("paper", "ours", "ratio") else "left")
    for row in report.table[report.table["id"].isin(asked)].itertuples(index=False):
        table.add_row(row.id, row.quantity, *map(number, (row.paper, row.ours, row.ratio)), row.verdict)
    Console(width=120).print(table)
    print(f"report: {out / 'report.html'}")


@papers.command(name="restamp")
def restamp_parts(
    commit: Annotated[str, typer.Argument(metavar="COMMIT", help="Commit at which the kept parts were valid.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the report whose parts are kept.")] = FULL,
    traces: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of traces that the kept parts name.", show_default=False)
    ] = None,
) -> None:
    """Keep computed parts valid after their code was moved to other files.

    A part is given its new digest only if the code that it runs is the same in COMMIT as now, definition by definition.
    Parts whose code has changed are listed; `tsuji papers run` computes them anew.

    [bold]Example[/]

      tsuji papers restamp HEAD~3
    """
    from sim.papers.framework.restamp import restamp
    from sim.papers.framework.runner import chosen
    from sim.papers.framework.study import Options
    from sim.papers.traces import trace_folder
    from tsuji import combination_cost, hardware_cost  # noqa: F401  # enter their ids

    given = traces.absolute() if traces else shared_folder(TRACES)
    relative = Path(trace_folder(Options(True, given)))  # to the clone, and so to the tree of COMMIT
    wanted = [each for quick in (False, True) for each in chosen(["all"], Options(quick, relative))]
    with Stages(Console(stderr=True)):
        found = restamp(commit, wanted, out / "data")
    print(f"{found.same} kept parts have the digests of today's code")
    for line in found.changed:
        print(f"code has changed: {line}")
