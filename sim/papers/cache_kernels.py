"""Paper A, figure 6: conflicts in route caches under the NAS Parallel Benchmarks."""

from __future__ import annotations

import numpy as np

from models.params import CacheParams
from sim.analysis.cache_conflicts import expected_evictions, random_tags
from sim.analysis.route_lookups import look_up, messages_of
from sim.papers.axes import bars, dress, figure
from sim.papers.cache_statistics import ENTRIES
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Study, Tables, claim, compare, found
from sim.papers.traces import trace_file, trace_folder
from sim.schedule.files import open_schedule
from sim.schedule.ti.trace import TraceOptions

KERNELS_256 = {
    "BT": "bt.A.256.5it",
    "CG": "cg.A.256.3it",
    "DT": "dt-sh.A.80.1it",
    "EP": "ep.A.256.1it",
    "FT": "ft.A.256.6it",
    "IS": "is.A.256.3it",
    "LU": "lu.A.256.5it",
    "MG": "mg.A.256.4it",
    "SP": "sp.A.256.5it",
}
ITERATIONS = {"BT": (5, 200), "CG": (3, 15), "FT": (6, 6), "IS": (3, 10), "LU": (5, 250), "MG": (4, 4), "SP": (5, 400)}
"""Iterations of the trace and of the benchmark, class A; EP and DT have none."""
WARM_UP = ("BT", "CG", "IS", "LU", "SP")
"""Kernels that begin with a pass that is not counted."""
TORUS = (4, 4, 4)
PACKET = 2048


def trace_lookups(kernel: str, trace: str, folder: str, ways: list[int]) -> list[Record]:
    """Return lookups and hits of the caches of a 4×4×4 torus for a kernel, by associativity and kind of address."""
    messages = messages_of(open_schedule(trace_file(folder, trace), TraceOptions(compute=0.0)))
    rows = []
    ranks = 1 + int(max(messages.source.max(), messages.destination.max()))
    for tags in ("numbered", "random"):
        addresses = np.arange(ranks) if tags == "numbered" else random_tags(ranks, 1)
        for each in ways:
            cache = CacheParams(entries=ENTRIES, ways=each)
            found_ = look_up(messages, TORUS, 4, cache, addresses, PACKET)
            rows.append(
                {
                    "kernel": kernel,
                    "tags": tags,
                    "ways": each,
                    "messages": len(messages.size),
                    "share": found_.evictions / (found_.ports * ENTRIES),
                    "evictions": found_.evictions,
                    "conflict_misses": found_.lookups - found_.hits - found_.compulsory,
                    "hit_message": found_.hits / found_.lookups,
                    "hit_packet": found_.packet_hits / found_.packets,
                }
            )
    return rows


EXPLAINED = {
    "EP": " EP sends a few small messages, nearly each of them to a new destination, so the size of packets does not "
    "matter.",
    "IS": " IS runs an all-to-all in each of its few iterations: each pair of nodes meets once, and ten more times.",
    "MG": " MG has few iterations, and messages of many distances in each.",
}
"""Explanations for kernels with lower hit rates than the paper's, class A, 256 ranks."""


def fig6_parts(options: Options) -> list[Part]:
    """Return one part per kernel."""
    names = ("DT", "EP") if options.quick else KERNELS_256
    return [
        Part(
            "kernels",
            trace_lookups,
            {"kernel": name, "trace": KERNELS_256[name], "folder": trace_folder(options), "ways": [1, 2, 4]},
        )
        for name in names
    ]


def fig6(tables: Tables) -> Findings:
    """Share of entries evicted by conflicts under NAS kernels."""
    frame = tables["kernels"]
    rows = []
    numbered = frame[frame["tags"] == "numbered"]
    for ways in (2, 4):
        mine = numbered[numbered["ways"] == ways]
        conflicts = float(mine["conflict_misses"].sum())
        rows.append(
            claim(f"conflict misses at {ways} ways, all kernels, numbered nodes", "none", conflicts, conflicts == 0)
        )
    random = frame[(frame["tags"] == "random") & (frame["ways"] == 4)]
    rows.append(
        found(
            "conflict misses at 4 ways, all kernels, nodes of random addresses",
            float(random["conflict_misses"].sum()),
            "Random addresses may collide: 256 in 512 sets of 4 ways, by balls in bins "
            f"{expected_evictions(ENTRIES, 4, 256):.2g} per port that sees all of them.",
        )
    )
    for kernel, mine in numbered[numbered["ways"] == 4].groupby("kernel"):
        ours = 100 * float(mine["hit_packet"].iloc[0])
        one = 100 * float(mine["hit_message"].iloc[0])
        note = f"Packets of {PACKET} B: the paper leaves their size open. Tried: one lookup per message, see below."
        quantity = f"{kernel}, whole run: hits with compulsory misses, one lookup per packet, %"
        cut, whole = ITERATIONS.get(str(kernel), (1, 1))
        passes = int(kernel in WARM_UP)
        every, one_every = (100 - (100 - each) * (cut + passes) / (whole + passes) for each in (ours, one))
        if cut < whole:
            note += (
                f" Extrapolated: the trace has {cut} of {whole} iterations, {ours:.2f} %, and the others miss nothing."
            )
        if kernel == "DT":
            note += " SH, class A, 80 ranks; the misses compared, as rates near 100 % always agree."
            rows.append(compare("DT: compulsory misses, one lookup per packet, %", 4.4, 100 - ours, note))
        else:
            rows.append(
                claim(quantity, "99.7 to 100.0 %", every, every >= 99.65, note + EXPLAINED.get(str(kernel), ""))
            )
        rows.append(found(f"{kernel}, whole run: hits with compulsory misses, one lookup per message, %", one_every))
    drawn, (left, right) = figure(2, width=5.6)
    kernels = sorted(frame["kernel"].unique())
    for axes, tags, title in (
        (left, "numbered", "(a) numbered nodes"),
        (right, "random", "(b) nodes of random addresses"),
    ):
        mine = frame[frame["tags"] == tags]
        series = {
            f"{ways} way{'s' if ways > 1 else ''}": [
                100 * float(mine[(mine["kernel"] == k) & (mine["ways"] == ways)]["share"].iloc[0]) for k in kernels
            ]
            for ways in (1, 2, 4)
        }
        bars(axes, kernels, series)
        dress(axes, f"{title}: entries evicted by conflicts", "", "% of 2,048 entries per port")
    right.set_ylim(left.get_ylim() if left.get_ylim()[1] > right.get_ylim()[1] else right.get_ylim())
    left.set_ylim(right.get_ylim())
    text = (
        "Class A, 256 ranks (DT: 80), a 4×4×4 torus with four nodes per switch, ranks in order; the messages of the "
        "traces along "
        "their dimension-order ways through the caches of the golden model (sim/analysis/route_lookups.py). Most "
        "traces have their iterations cut, so that compulsory misses weigh more than in whole runs."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(Study("cache.fig6", "A", "the same under NAS Parallel Benchmarks, 4×4×4 torus", fig6_parts, fig6))
