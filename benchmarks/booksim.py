"""Agreement with BookSim2, and the speed of both simulators, on the same configurations in the same run.

Our engine is specialised for each switch (`run.specialise`); times exclude its compilation and include BookSim2's
start-up. Both run alternately, and the fastest run of each counts: other load on the machine can only slow them down.

`python -m benchmarks.booksim PATH` runs this alone; PATH is a BookSim2 executable, built from its public repository.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from sim.booksim import mapping, parser, settings
from sim.booksim.mapping import Plan
from sim.booksim.measure import Outcome, measure
from sim.booksim.peer import run

EXAMPLES = Path(__file__).parents[1] / "examples" / "booksim"
LONG, SHORT = "sample_period=3000", "sample_period=500"
THROUGHPUT = ("sample_period=1000", "sim_type=throughput")
SECONDS = 2  # of CPU time
ROUNDS = 2
FASTEST = ("routing_delay=0", "speculative=1")  # two cycles per hop, as ours, with separate allocators
CASES = (
    ("8×8 mesh, 1 flit", "mesh88.cfg", (LONG,), (0.05, 0.1, 0.2, 0.3, 0.4, 0.42)),
    ("the same, routing_delay=0", "mesh88.cfg", (LONG, "routing_delay=0"), (0.1, 0.2, 0.3, 0.4)),
    ("the same, and speculative=1", "mesh88.cfg", (LONG, *FASTEST), (0.1, 0.2, 0.3, 0.4, 0.42)),
    ("the same, buffers of 1 flit", "mesh88.cfg", (LONG, "vc_buf_size=1"), (0.1,)),
    ("8×8 torus, 4 flits", "torus88.cfg", (LONG,), (0.1, 0.2, 0.3, 0.4, 0.5, 0.53)),
    ("routing_delay=0, speculative=1", "torus88.cfg", (LONG, *FASTEST), (0.1, 0.3, 0.5, 0.53)),
    ("buffers of 4 flits, credit_delay=3", "torus88.cfg", (LONG, "vc_buf_size=4", "credit_delay=3"), (0.2, 0.3)),
    ("8×8 mesh, 1 flit, throughput", "mesh88.cfg", THROUGHPUT, (0.5, 0.7)),
    ("8×8 torus, 4 flits, throughput", "torus88.cfg", THROUGHPUT, (0.6, 0.8)),
    ("8×8×8 torus, 4 flits", "torus88.cfg", (SHORT, "n=3"), (0.1, 0.3, 0.5)),
    ("32×32 torus, 4 flits", "torus88.cfg", (SHORT, "k=32"), (0.02, 0.06, 0.11)),
    ("hypercube of 256, 4 flits", "torus88.cfg", (SHORT, "topology=mesh", "k=2", "n=8"), (0.1, 0.3, 0.6)),
    ("4×4 cmesh of 64 nodes, 1 flit", "cmesh64.cfg", (LONG, "use_noc_latency=0"), (0.1, 0.18)),
    ("flattened butterfly of 64, 1 flit", "flatfly64.cfg", (LONG,), (0.1, 0.3, 0.6)),
    ("4-ary 3-tree, 1 flit", "fattree64.cfg", (LONG,), (0.1, 0.4, 0.6)),
    ("dragonfly of 1,056, 4 flits", "dragonfly72.cfg", (SHORT, "k=4"), (0.1, 0.4)),
)
OWN = ", own switch"  # names with this ending run with `--own-switch`
NAMED = {
    "8×8 mesh, 1 flit",
    "8×8 torus, 4 flits",
    "8×8×8 torus, 4 flits",
    "32×32 torus, 4 flits",
    "hypercube of 256, 4 flits",
}
COLUMNS = (
    "cycles: tsuji",
    "BookSim2",
    "ratio",
    "accepted: tsuji",
    "BookSim2",
    "M flit-hops/s: tsuji",
    "BookSim2",
    "ratio",
)


def compare(file: Path, overrides: tuple[str, ...], peer: Path, own_switch: bool) -> dict[str, object]:
    """Run one configuration on both; return their figures side by side."""
    plan = mapping.on_our_switches(settings.settings(parser.read(file, overrides)), own_switch).specialising(True)
    row: dict[str, object] = {}
    nodes = plan.config.topology.build().nodes
    rounds = [(_ours(plan), run(peer, file, overrides, nodes)) for _ in range(ROUNDS)]
    for name, outcomes in zip(("tsuji", "peer"), zip(*rounds, strict=True), strict=True):
        outcome = min(outcomes, key=lambda each: each.cpu_s / max(1, each.flit_hops))
        row[f"{name}_latency"] = outcome.figures["Packet latency"].average
        row[f"{name}_accepted"] = outcome.figures["Accepted flit rate"].average
        row[f"{name}_unstable"] = bool(outcome.unstable)
        row[f"{name}_flit_hops_per_s"] = outcome.flit_hops / outcome.cpu_s if outcome.flit_hops else None
    return row


def _ours(plan: Plan) -> Outcome:
    """Measure repeatedly, because a run may take only 0.1 s; the speed is that of all runs together."""
    runs = [measure(plan)]
    while sum(run.cpu_s for run in runs) < SECONDS:
        runs.append(measure(plan))
    return replace(runs[0], flit_hops=sum(run.flit_hops for run in runs), cpu_s=sum(run.cpu_s for run in runs))


def main(peer: Path) -> list[dict[str, object]]:
    """Print the table and return its rows. A saturated network's latency depends on when it was stopped."""
    print(f"| network | injected | {' | '.join(COLUMNS)} |")
    print(f"| ---{' | ---:' * (len(COLUMNS) + 1)} |")
    rows = []
    own = [(f"{name}{OWN}", file, more, rates) for name, file, more, rates in CASES if name in NAMED]
    for name, file, overrides, rates in (*CASES, *own):
        for rate in rates:
            given = (*overrides, f"injection_rate={rate}")
            row = compare(EXAMPLES / file, given, peer, name.endswith(OWN))
            rows.append({"network": name, "injection_rate": rate, **row})
            print(_line(rows[-1]), flush=True)
    return rows


def _line(row: dict[str, object]) -> str:
    """Return a row of the table, with a ratio of latencies only if neither network is saturated."""
    saturated = row["tsuji_unstable"] or row["peer_unstable"] or "throughput" in str(row["network"])
    cells = [str(row["network"]), str(row["injection_rate"])]
    figures = (("latency", 1, 2, 3), ("accepted", 1, 4, 0), ("flit_hops_per_s", 1e6, 2, 1))
    for figure, unit, digits, ratio_digits in figures:
        ours, theirs = (_plain(row[f"{name}_{figure}"], unit) for name in ("tsuji", "peer"))
        cells += ["–" if each is None else f"{each:.{digits}f}" for each in (ours, theirs)]
        if ratio_digits:
            hidden = saturated and figure == "latency"
            cells.append("–" if hidden or not ours or not theirs else f"{ours / theirs:.{ratio_digits}f}")
    return f"| {' | '.join(cells)} |"


def _plain(value: object, unit: float) -> float | None:
    return value / unit if isinstance(value, int | float) else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
