"""Paper A, sections 1 and 4: sizes of jobs, and conflicts in the route cache (figures 1, 5 and 6)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from models.params import CacheParams
from sim.papers.axes import bars, dress, figure, line
from sim.papers.study import CATALOGUE, Findings, Options, Part, Record, Study, Tables, claim, compare, found
from sim.papers.traces import trace_file, trace_folder
from sim.routing.cache_conflicts import (
    POLYNOMIALS,
    crc_indices,
    expected_evictions,
    expected_misses,
    random_tags,
    stream,
)
from sim.workload.files import open_schedule
from sim.workload.route_lookups import look_up, messages_of
from sim.workload.swf import read_swf
from sim.workload.ti.trace import TraceOptions

ENTRIES = 2048
WAYS = (1, 2, 4, 8, 16, 32)
INSERTED = (256, 512, 1024, 2048)
SYNTHETIC = "synthetic"


def job_sizes(log: str, jobs: int) -> list[Record]:
    """Return the distribution of sizes of a log of jobs, or of a synthetic one."""
    if log == SYNTHETIC:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "synthetic.swf"
            path.write_text(synthetic_log(jobs), encoding="utf-8")
            read = read_swf(path)
    else:
        read = read_swf(Path(log))
    name = "SYNTHETIC, no real log" if log == SYNTHETIC else Path(log).stem
    entries = {f"entries_{round(1000 * share)}": read.cache_entries(share) for share in (0.9, 0.99, 0.999)}
    return [{"log": name, **row, **entries} for row in read.cdf().to_dict("records")]


def synthetic_log(jobs: int, seed: int = 1) -> str:
    """Return a log in the Standard Workload Format that was drawn, not recorded: sizes near powers of two, most small.

    For trying the reader, the figure and the recommendation where no log is at hand. It says nothing of any machine.
    """
    drawn = np.random.default_rng(seed)
    sizes = 2 ** np.minimum(drawn.geometric(0.3, jobs) - 1, 13)
    odd = drawn.random(jobs) < 0.2
    sizes = np.where(odd, np.maximum(1, (sizes * drawn.uniform(0.5, 1.0, jobs)).astype(int)), sizes)
    submit = np.cumsum(drawn.exponential(60.0, jobs)).astype(int)
    lines = ["; Note: SYNTHETIC log, drawn from random numbers", "; MaxNodes: 8192", "; MaxProcs: 8192"]
    for job, (size, when) in enumerate(zip(sizes, submit, strict=True), 1):
        fields = [job, when, 0, 600, size, -1, -1, size, -1, -1, 1, 1, 1, -1, 1, -1, -1, -1]
        lines.append(" ".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def fig1_parts(options: Options) -> list[Part]:
    """Return a part a log."""
    jobs = 2_000 if options.quick else 20_000
    logs = [str(path) for path in options.swf] or [SYNTHETIC]
    return [Part("jobs", job_sizes, {"log": log, "jobs": jobs if log == SYNTHETIC else 0}) for log in logs]


def fig1(tables: Tables) -> Findings:
    """Distribution of the sizes of jobs."""
    frame = tables["jobs"]
    drawn, (axes,) = figure()
    rows = []
    for number, (log, mine) in enumerate(frame.groupby("log")):
        line(axes, mine["nodes"], 100 * mine["share"], number, str(log), marker="", drawstyle="steps-post")
        rows += [
            found(f"{log}: jobs of at most {nodes} nodes, %", 100 * mine[mine["nodes"] <= nodes]["share"].max())
            for nodes in (32, 128, 1024, 2048)
        ]
        rows += [
            found(f"{log}: recommended entries for {share / 10:g} % of jobs", float(mine[f"entries_{share}"].iloc[0]))
            for share in (900, 990, 999)
        ]
    axes.set_xscale("log", base=2)
    dress(axes, "cumulative distribution of the sizes of jobs", "nodes", "% of jobs")
    text = (
        "Reader of the Standard Workload Format (sim/workload/swf.py). The paper's four logs are not at hand, so the "
        "log here "
        "is SYNTHETIC, and there is nothing to compare; `tsuji papers run cache.fig1 --swf FILE` takes real ones. The "
        "recommended entries are the power of two that holds all nodes of that share of jobs."
    )
    return Findings(rows, drawn, text)


def closed_conflicts(entries: int) -> list[Record]:
    """Return the balls-in-bins form for all cases."""
    return [
        {
            "ways": ways,
            "inserted": inserted,
            "share": expected_evictions(entries, ways, inserted) / entries,
            "miss": expected_misses(entries, ways, inserted),
        }
        for inserted in INSERTED
        for ways in WAYS
    ]


def crc_conflicts(polynomial: str, tags: str, trials: int, entries: int) -> list[Record]:
    """Return the evictions of destinations that are entered once, with a CRC: mean, greatest, and standard error."""
    rows = []
    for inserted in INSERTED:
        counts = np.zeros((trials, len(WAYS)))
        for trial in range(trials):
            drawn = random_tags(inserted, trial) if tags == "random" else np.arange(inserted) + trial * inserted
            indices = crc_indices(drawn, POLYNOMIALS[polynomial])
            for column, ways in enumerate(WAYS):
                sets = entries // ways
                counts[trial, column] = np.maximum(np.bincount(indices % sets, minlength=sets) - ways, 0).sum()
        for column, ways in enumerate(WAYS):
            mine = counts[:, column] / entries
            rows.append(
                {
                    "polynomial": polynomial,
                    "tags": tags,
                    "ways": ways,
                    "inserted": inserted,
                    "share": mine.mean(),
                    "most": mine.max(),
                    "error": mine.std() / np.sqrt(trials),
                }
            )
    return rows


def policy_misses(policy: str, ways: int, destinations: int, references: int, seeds: int) -> list[Record]:
    """Return miss rate and evictions of uniform traffic through the model's cache, after each destination came once."""
    misses, evicted = [], []
    cache = CacheParams.model_validate({"entries": ENTRIES, "ways": ways, "policy": policy})
    for seed in range(seeds):
        tags = random_tags(destinations, seed)
        first = stream(tags, cache)
        drawn = np.random.default_rng(seed).choice(tags, references * destinations)
        both = stream(np.concatenate([tags, drawn]), cache)
        misses.append(1 - both.hits[len(tags) :].mean())
        evicted.append(first.evictions / ENTRIES)
    return [
        {
            "policy": policy,
            "ways": ways,
            "destinations": destinations,
            "miss": float(np.mean(misses)),
            "error": float(np.std(misses) / np.sqrt(seeds)),
            "share": float(np.mean(evicted)),
        }
    ]


def fig5_parts(options: Options) -> list[Part]:
    """Return the closed form, a part a polynomial and kind of tag, and a part a policy."""
    trials = 20 if options.quick else 200
    parts = [Part("closed", closed_conflicts, {"entries": ENTRIES})]
    parts += [
        Part("crc", crc_conflicts, {"polynomial": polynomial, "tags": tags, "trials": trials, "entries": ENTRIES})
        for polynomial in POLYNOMIALS
        for tags in ("random", "numbered")
    ]
    for policy in ("lru", "plru", "fifo"):
        for ways, destinations in ((2, 1024), (4, 1024), (4, 2048)):
            parts.append(
                Part(
                    "policy",
                    policy_misses,
                    {
                        "policy": policy,
                        "ways": ways,
                        "destinations": destinations,
                        "references": 10,
                        "seeds": 4 if options.quick else 20,
                    },
                )
            )
    return parts


def fig5(tables: Tables) -> Findings:
    """Share of entries evicted by conflicts against associativity."""
    closed, crc, policy = tables["closed"], tables["crc"], tables["policy"]
    rows = []

    def share(inserted: int, ways: int) -> float:
        return 100 * float(closed[(closed["inserted"] == inserted) & (closed["ways"] == ways)]["share"].iloc[0])

    measured = crc[crc["tags"] == "random"].groupby(["inserted", "ways"])["share"].mean() * 100
    for inserted, ways in ((512, 4), (1024, 16)):
        ours = share(inserted, ways)
        rows.append(
            claim(
                f"evicted, {inserted} inserted, {ways} ways, closed form, % of entries",
                "≤ 0.1 %",
                ours,
                round(ours, 1) <= 0.1,
                "0.107 % for 512 at 4 ways: ≤ 0.1 % with one digit, as printed. Share of all 2,048 entries; of the "
                "inserted "
                "destinations it would be four times as much."
                if ways == 4
                else "",
            )
        )
        rows.append(
            compare(
                f"evicted, {inserted} inserted, {ways} ways, random tags through the CRCs, % (closed form as the "
                f"paper)",
                ours,
                float(measured[inserted, ways]),
                "Mean over all polynomials; a difference is that of few rare events.",
            )
        )
    numbered = crc[crc["tags"] == "numbered"]
    rows.append(
        found(
            "evicted, consecutively numbered nodes, all polynomials, any ways, up to 2,048 inserted, % (greatest)",
            100 * float(numbered["most"].max()),
            "A CRC is linear: consecutive numbers from a multiple of the cache's sets spread evenly, without "
            "conflicts.",
        )
    )
    for destinations, ways in ((1024, 2), (1024, 4), (2048, 4)):
        mine = policy[(policy["destinations"] == destinations) & (policy["ways"] == ways)]
        form = expected_misses(ENTRIES, ways, destinations)
        spread = 100 * float(mine["miss"].max() - mine["miss"].min())
        rows.append(
            compare(
                f"miss rate in the steady state, {destinations} destinations, {ways} ways, mean of policies, % "
                f"(closed form as the paper)",
                100 * form,
                100 * float(mine["miss"].mean()),
                f"LRU, PLRU and FIFO differ by {spread:.2g} percentage points.",
            )
        )
    drawn, (left, right) = figure(2, width=5.6)
    for number, inserted in enumerate(INSERTED):
        mine = closed[closed["inserted"] == inserted]
        line(left, mine["ways"], 100 * mine["share"], number, f"{inserted} inserted, closed form", marker="")
        points = measured[inserted]
        left.plot(points.index, points, "o", color=left.lines[-1].get_color(), markersize=5, label="random tags, CRC")
    left.axhline(0.1, color="#777777", linewidth=0.8, linestyle=":")
    left.set_yscale("symlog", linthresh=0.01)
    left.set_xscale("log", base=2)
    left.set_ylim(bottom=0)
    left.set_xticks(WAYS, [str(ways) for ways in WAYS])
    dress(left, "(a) entries evicted by conflicts", "ways", "% of 2,048 entries", zero=False)
    mine = crc[(crc["tags"] == "random") & (crc["inserted"] == 1024)]
    series = {str(name): list(100 * one.sort_values("ways")["share"]) for name, one in mine.groupby("polynomial")}
    bars(right, [str(ways) for ways in WAYS], series)
    right.set_yscale("symlog", linthresh=0.01)
    dress(right, "(b) 1,024 random destinations, by polynomial", "ways", "% of 2,048 entries", zero=False)
    text = (
        "2,048 entries. Destinations are entered once each; whoever finds the set full evicts. Closed form: balls in "
        "bins. "
        "Points: random 63-bit tags through the switch's CRC. The paper names no polynomial; five in use do not "
        "differ. "
        "Policies: uniform traffic through the cache of the golden model."
    )
    return Findings(rows, drawn, text)


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
"""Of the trace and of the benchmark, class A; EP and DT have none."""
WARM_UP = ("BT", "CG", "IS", "LU", "SP")
"""Kernels that begin with a pass that is not counted."""
TORUS = (4, 4, 4)
PACKET = 2048


def trace_lookups(kernel: str, trace: str, folder: str, ways: list[int]) -> list[Record]:
    """Return what the route caches of a 4×4×4 torus do for a kernel, by associativity and kind of address."""
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


def fig6_parts(options: Options) -> list[Part]:
    """Return a part a kernel."""
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
            f"{expected_evictions(ENTRIES, 4, 256):.2g} a port that sees all of them.",
        )
    )
    for kernel, mine in numbered[numbered["ways"] == 4].groupby("kernel"):
        ours = 100 * float(mine["hit_packet"].iloc[0])
        one = 100 * float(mine["hit_message"].iloc[0])
        note = f"One lookup a packet of {PACKET} B, whose size the paper leaves open; one a message gives {one:.2f} %."
        if kernel == "DT":
            rows.append(
                compare(
                    f"hit rate with compulsory misses, {kernel}, %", 95.6, ours, note + " DT: SH, class A, 80 ranks."
                )
            )
        else:
            cut, whole = ITERATIONS.get(str(kernel), (1, 1))
            if cut < whole:
                passes = int(kernel in WARM_UP)
                every = 100 - (100 - ours) * (cut + passes) / (whole + passes)
                note += (
                    f" Tried: all {whole} iterations, of which the trace has {cut}, and no more misses: {every:.2f} %."
                )
            else:
                note += " The trace has all iterations."
            holds = ours >= 99.65
            rows.append(claim(f"hit rate with compulsory misses, {kernel}, %", "99.7 to 100.0 %", ours, holds, note))
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
        dress(axes, f"{title}: entries evicted by conflicts", "", "% of 2,048 entries a port")
    right.set_ylim(left.get_ylim() if left.get_ylim()[1] > right.get_ylim()[1] else right.get_ylim())
    left.set_ylim(right.get_ylim())
    text = (
        "Class A, 256 ranks (DT: 80), a 4×4×4 torus with four nodes a switch, ranks in order; the messages of the "
        "traces along "
        "their dimension-order ways through the caches of the golden model (sim/workload/route_lookups.py). Most "
        "traces have their iterations cut, so that compulsory misses weigh more than in whole runs."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(Study("cache.fig1", "A", "sizes of jobs, and the entries a site needs", fig1_parts, fig1))
CATALOGUE.enter(Study("cache.fig5", "A", "entries evicted by conflicts against associativity", fig5_parts, fig5))
CATALOGUE.enter(Study("cache.fig6", "A", "the same under NAS Parallel Benchmarks, 4×4×4 torus", fig6_parts, fig6))
