"""Paper A, sections 1 and 4: sizes of jobs, and conflicts in the route cache (figures 1 and 5)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from models.params import CacheParams
from sim.analysis.cache_conflicts import (
    POLYNOMIALS,
    crc_indices,
    expected_evictions,
    expected_misses,
    random_tags,
    stream,
)
from sim.papers.axes import bars, dress, figure, line
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Study, Tables, claim, compare, found
from sim.schedule.swf import read_swf

ENTRIES = 2048
WAYS = (1, 2, 4, 8, 16, 32)
INSERTED = (256, 512, 1024, 2048)
SYNTHETIC = "synthetic"


def job_sizes(log: str, jobs: int) -> list[Record]:
    """Return the distribution of job sizes of a log, or of a synthetic one."""
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
    """Return a synthetic log in the Standard Workload Format: sizes near powers of two, most of them small.

    It is for trying the reader, the figure and the recommendation without a real log, and describes no machine.
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
    """Return one part per log."""
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
        "Reader of the Standard Workload Format (sim/schedule/swf.py). The paper's four logs are not at hand, so the "
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
    """Return the evictions of destinations entered once each, with a CRC: mean, greatest, and standard error."""
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
    """Return the closed form, one part per polynomial and kind of tag, and one part per policy."""
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
                ours < 0.11,
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
        "2,048 entries. Destinations are entered once each; one that finds its set full evicts. Closed form: balls in "
        "bins. "
        "Points: random 63-bit tags through the switch's CRC. The paper names no polynomial; five in use do not "
        "differ. "
        "Policies: uniform traffic through the cache of the golden model."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(Study("cache.fig1", "A", "sizes of jobs, and the entries that a site needs", fig1_parts, fig1))
CATALOGUE.enter(Study("cache.fig5", "A", "entries evicted by conflicts against associativity", fig5_parts, fig5))
