"""Paper E: throughput of hyper-crossbars against the length of messages (figures 2 and 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.config import load
from sim.papers.axes import dress, figure, line
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Record,
    Row,
    Study,
    Tables,
    claim,
    compare_at,
    found,
)
from sim.simulation import simulate

COMMON = {
    "topology.kind": "hyper_crossbar",
    "switch.routing": "hyper_crossbar",
    "link.latency": 0,
    "traffic.load": 1.0,
    "measure.warmup_periods": 1,
    "measure.max_warmup_periods": 1,
    "measure.max_drain_periods": 1,
}
STEP = {"adaptive.kind": "step", "adaptive.lookahead": "true"}
ROUTINGS: dict[str, dict[str, Any]] = {
    "adaptive": STEP | {"adaptive.selection": "order", "switch.vcs": 3},
    "adaptive, reserved": STEP | {"adaptive.reservation": "true", "adaptive.selection": "order", "switch.vcs": 3},
    "fixed, VC by step": STEP | {"adaptive.selection": "route", "switch.vcs": 3},
    "fixed, 1 VC": {"switch.vcs": 1},
    "fixed, 3 free VCs": {"switch.vcs": 3},
}
"""Fixed routing, whose VCs the paper does not give: otherwise as adaptive; with one VC; with three VCs, any of them."""


def throughput(settings: dict[str, Any], label: dict[str, Any], periods: int) -> list[Record]:
    """Return the accepted traffic of a hyper-crossbar whose nodes always have messages to send, flits/node/cycle."""
    phases = {"measure.measure_periods": periods, "measure.max_measure_periods": periods}
    given = [f"{key}={value}" for key, value in (COMMON | phases | settings).items()]
    figures = simulate(load(None, given)).figures
    return [label | {"throughput": figures.accepted_traffic, "latency": figures.network_latency.mean}]


def _routing_parts(options: Options) -> list[Part]:
    """Return one part per routing, bandwidth and length."""
    radix = [4, 4, 4] if options.quick else [16, 16, 16]
    lengths = (10, 50, 200) if options.quick else (10, 20, 50, 100, 200)
    made = []
    for routing, keys in ROUTINGS.items():
        for bandwidth in (1, 2, 3):
            for length in lengths:
                at_once = min(3, bandwidth * keys["switch.vcs"])
                settings = keys | {
                    "topology.radix": radix,
                    "switch.depth": 8,
                    "switch.node_ports": bandwidth,
                    "traffic.packet_size": length,
                    "traffic.packets_at_once": at_once,
                    "traffic.think_time": 50,
                    "measure.period": 500 if options.quick else 1000,
                }
                label = {
                    "routing": routing,
                    "bandwidth": bandwidth,
                    "length": length,
                    "radix": "×".join(map(str, radix)),
                }
                made.append(
                    Part(
                        "fig2", throughput, {"settings": settings, "label": label, "periods": 4 if options.quick else 9}
                    )
                )
    return made


QUEUES = (1, 4)
"""Flits of a queue per VC at each output; paper E has its buffers there, of a size that it does not give."""


def _queue_parts(options: Options) -> list[Part]:
    """Return adaptive and fixed routing with output queues, at the lengths between which adaptive routing falls."""
    every = [part.params for part in _routing_parts(options)]
    base = {one["label"]["routing"]: one for one in every if one["label"]["bandwidth"] == 1}
    lengths = (50, 200)
    made = []
    for routing in ("adaptive", "fixed, 1 VC"):
        one = base[routing]
        for flits in QUEUES:
            for length in lengths:
                settings = one["settings"] | {"switch.output_buffer": flits, "traffic.packet_size": length}
                label = one["label"] | {"length": length, "queue": flits}
                made.append(Part("queues", throughput, {**one, "settings": settings, "label": label}))
    return made


def fig2_parts(options: Options) -> list[Part]:
    """Return one part per routing, bandwidth and length, and those with queues at outputs."""
    return _routing_parts(options) + _queue_parts(options)


def _most(frame: pd.DataFrame, **where: Any) -> float:
    """Return the greatest throughput over the lengths."""
    for key, wanted in where.items():
        frame = frame[frame[key] == wanted]
    return float(frame["throughput"].max())


def fig2(tables: Tables) -> Findings:
    """Throughput of adaptive and fixed routing."""
    frame = tables["fig2"]
    radix = frame["radix"].iloc[0]
    same = radix == "16×16×16"
    fixed, adaptive = "fixed, 1 VC", "adaptive"

    def gain(bandwidth: int) -> float:
        return 100 * (
            _most(frame, routing=adaptive, bandwidth=bandwidth) / _most(frame, routing=fixed, bandwidth=1) - 1
        )

    rows: list[Row] = []
    for bandwidth, printed in ((1, 20), (2, 30)):
        both = frame[((frame["routing"] == adaptive) & (frame["bandwidth"] == bandwidth))].set_index("length")
        plain = frame[((frame["routing"] == fixed) & (frame["bandwidth"] == 1))].set_index("length")
        each = 100 * (both["throughput"] / plain["throughput"] - 1)
        by_length = ", ".join(f"{length} flits {each[length]:.0f} %" for length in sorted(each.index))
        rows.append(
            compare_at(
                same,
                f"adaptive ×{bandwidth} over fixed ×1 (1 VC), {radix}, %",
                printed,
                gain(bandwidth),
                f"Greatest throughputs over the lengths; by length {by_length}. {FIXED}",
                "more",
            )
        )
    more = gain(3) - gain(2)
    rows.append(
        claim(
            "adaptive ×3 over ×2, percentage points more",
            "little",
            more,
            more < gain(2) - gain(1),
            "Less than ×2 over ×1.",
        )
    )
    for name in ("fixed, 1 VC", "fixed, VC by step", "fixed, 3 free VCs"):
        more = 100 * (_most(frame, routing=name, bandwidth=3) / _most(frame, routing=name, bandwidth=1) - 1)
        quantity = f"{name}: ×3 over ×1, %"
        if name == fixed and same:
            rows.append(claim(quantity, "hardly any", more, more < 10))
        else:
            rows.append(found(quantity, more, "VCs of fixed routing are not given; one of three readings."))
    for bandwidth in (1, 2, 3):
        both = (_most(frame, routing=name, bandwidth=bandwidth) for name in (adaptive, "fixed, 3 free VCs"))
        rows.append(found(f"adaptive over fixed with 3 free VCs, ×{bandwidth}, %", 100 * (next(both) / next(both) - 1)))
    reserved = 100 * (
        _most(frame, routing="adaptive, reserved", bandwidth=1) / _most(frame, routing=adaptive, bandwidth=1) - 1
    )
    rows.append(
        found(
            "adaptive ×1: paths reserved over heads that race, %",
            reserved,
            "A reservation takes 3 clocks per crossbar.",
        )
    )
    for name in ROUTINGS:
        each = ", ".join(f"×{b} {_most(frame, routing=name, bandwidth=b):.3f}" for b in (1, 2, 3))
        rows.append(found(f"{name}: greatest throughput", each))
    rows += _queue_rows(frame, tables["queues"])
    drawn, (axes,) = figure(width=7.2)
    for number, name in enumerate(ROUTINGS):
        for bandwidth in (1, 2, 3):
            mine = frame[(frame["routing"] == name) & (frame["bandwidth"] == bandwidth)].sort_values("length")
            line(
                axes,
                mine["length"],
                mine["throughput"],
                number,
                f"{name}, ×{bandwidth}",
                linestyle=("-", "--", ":")[bandwidth - 1],
            )
    axes.set_ylim(0, 1)
    dress(
        axes, f"throughput, {radix} hyper-crossbar, wormhole", "message length, flits", "flits/node/cycle", beside=True
    )
    text = (
        "A node begins a message 50 clocks after the one before at the earliest, beside its transfer, with up to "
        "three under way; "
        "10,000 clocks, the first 1,000 not counted; buffers of 8 flits, links without delay, X before Y before Z. "
        "Open in the paper: "
        "buffers, and the VCs of fixed routing, of which three readings are shown."
    )
    return Findings(rows, drawn, text)


def _queue_rows(frame: pd.DataFrame, queues: pd.DataFrame) -> list[Row]:
    """Return how throughput changes from 50 to 200 flits, without and with queues at outputs."""
    rows = []
    for routing in queues["routing"].unique():
        plain = frame[(frame["routing"] == routing) & (frame["bandwidth"] == 1)]
        by_queue = {0: plain, **dict(list(queues[queues["routing"] == routing].groupby("queue")))}
        for flits, mine in by_queue.items():
            at = mine.set_index("length")["throughput"]
            quantity = f"{routing} ×1, {f'output queues of {flits}' if flits else 'no output queues'}: 50 and 200 flits"
            rows.append(found(quantity, f"{at[50]:.3f}, {at[200]:.3f}", LONGER if routing == "adaptive" else ""))
    return rows


LONGER = (
    "The paper's throughput rises with length. Of a blocked message, 8 flits wait in each buffer of its path: 50 flits "
    "fill it, and 200 hold it four times as long. A node has up to three messages under way, so the pause of 50 clocks "
    "does not limit short ones."
)
FIXED = (
    "The paper does not say what VCs fixed routing has. Tried: one VC, the adaptive exchanger that always takes the "
    "fixed route, and three VCs that any message may take: their throughput and gain from bandwidth are in the rows "
    "below."
)


def fig3_parts(options: Options) -> list[Part]:
    """Return one part per buffering, buffer and length."""
    radix = [4, 4, 4] if options.quick else [8, 8, 16]
    sizes = (100,) if options.quick else (100, 300)
    made = []

    def add(buffering: str, depth: int, length: int, keys: dict[str, Any]) -> None:
        settings = keys | {
            "topology.radix": radix,
            "switch.vcs": 1,
            "switch.depth": depth,
            "traffic.packet_size": length,
            "traffic.packets_at_once": 1,
            "measure.period": 500 if options.quick else 1000,
        }
        label = {"buffering": buffering, "buffer": depth, "length": length, "radix": "×".join(map(str, radix))}
        made.append(
            Part("fig3", throughput, {"settings": settings, "label": label, "periods": 4 if options.quick else 9})
        )

    for depth in sizes:
        shares = (0.25, 0.5, 0.75, 1.0) if options.quick else (0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0)
        for share in shares:
            length = round(share * depth)
            for buffering in ("static", "dynamic"):
                add(buffering, depth, length, {"switch.buffering": buffering, "switch.max_packet": length})
            add("flexible", depth, length, {"switch.buffering": "flexible"})
        for share in (2.0,) if options.quick else (1.5, 2.0, 3.0):
            add("flexible", depth, round(share * depth), {"switch.buffering": "flexible"})
    for length in (25, 50, 100, 200) if options.quick else (10, 25, 50, 100, 200, 300):
        add("wormhole", WORMHOLE, length, {"switch.buffering": "wormhole"})
    for depth in OTHERS:
        for length in sizes:
            add("wormhole", depth, length, {"switch.buffering": "wormhole"})
    return made


WORMHOLE = 8
OTHERS = (4, 16, 32)
"""Buffers of wormhole, flits, which the paper does not give; the others are tried."""


def fig3(tables: Tables) -> Findings:
    """Throughput of the buffering schemes."""
    frame = tables["fig3"]
    radix = frame["radix"].iloc[0]
    same = radix == "8×8×16"

    def at(buffering: str, buffer: int, share: float) -> float:
        mine = frame[
            (frame["buffering"] == buffering) & (frame["buffer"] == buffer) & (frame["length"] == round(share * buffer))
        ]
        return float(mine["throughput"].iloc[0])

    every = frame[frame["buffering"] == "wormhole"].sort_values("length")
    wormhole = every[every["buffer"] == WORMHOLE]

    def worm(length: int) -> float:
        return float(np.interp(length, wormhole["length"], wormhole["throughput"]))

    rows: list[Row] = []
    for buffer in sorted(frame[frame["buffering"] == "static"]["buffer"].unique()):
        low, half, full = (at("static", buffer, share) for share in (0.75, 0.5, 1.0))
        rows.append(
            claim(
                f"static, {buffer} flits, {radix}: the V (at 0.5, 0.75 and 1 of the buffer)",
                "falls past half the buffer, recovers at its full length",
                f"{half:.3f}, {low:.3f}, {full:.3f}",
                low < half and full > low,
            )
        )
        shares = [share for share in (0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0) if _has(frame, "dynamic", buffer, share)]
        least = min(at("dynamic", buffer, share) / worm(round(share * buffer)) for share in shares)
        rows.append(
            claim(f"dynamic ÷ wormhole, {buffer} flits, least over lengths", "≥ 1 everywhere", least, least >= 1)
        )
        full_dynamic = 100 * (at("dynamic", buffer, 1.0) / worm(buffer) - 1)
        full_flexible = 100 * (at("flexible", buffer, 1.0) / worm(buffer) - 1)
        others = [
            f"{depth} flits {100 * (at('dynamic', buffer, 1.0) / one - 1):.0f} and "
            f"{100 * (at('flexible', buffer, 1.0) / one - 1):.0f} %"
            for depth in OTHERS
            for one in every[(every["buffer"] == depth) & (every["length"] == buffer)]["throughput"]
        ]
        note = f"{BUFFER} Tried, dynamic and flexible over wormhole of {', '.join(others)}."
        over = [100 * (at("flexible", buffer, share) / at("dynamic", buffer, share) - 1) for share in shares]
        mean_over = float(np.mean([one for one, share in zip(over, shares, strict=True) if share >= 0.5]))
        rows.append(
            compare_at(same, f"dynamic over wormhole at message = buffer = {buffer}, %", 15, full_dynamic, note, "more")
        )
        rows.append(
            compare_at(
                same, f"flexible over wormhole at message = buffer = {buffer}, %", 40, full_flexible, note, "more"
            )
        )
        rows.append(
            claim(
                f"flexible over dynamic, {buffer} flits, mean over lengths from half the buffer on, %",
                "another 10 to 20 %",
                mean_over,
                10 <= mean_over <= 20,
                f"{min(over):.0f} to {max(over):.0f} % over all lengths: nothing where messages are short.",
            )
        )
        beyond = frame[(frame["buffering"] == "flexible") & (frame["buffer"] == buffer) & (frame["length"] > buffer)]
        least_beyond, wormhole_at = float(beyond["throughput"].min()), float(wormhole["throughput"].min())
        rows.append(
            claim(
                f"flexible past the buffer of {buffer}, least throughput",
                "works",
                least_beyond,
                least_beyond >= wormhole_at,
                f"Not less than wormhole's least, {wormhole_at:.3f}.",
            )
        )
    spread = float(wormhole["throughput"].max() / wormhole["throughput"].min())
    rows.append(
        claim(
            "wormhole, greatest ÷ least over lengths",
            "nearly flat",
            spread,
            spread < 1.25,
            "",
        )
    )
    mean = float(wormhole["throughput"].mean())
    rows.append(
        found("wormhole, mean throughput over lengths", mean, "The paper prints no number; its figure is flat.")
    )
    drawn, (axes,) = figure(width=7.2)
    for number, (buffering, marker) in enumerate((("flexible", "s"), ("dynamic", "^"), ("static", "D"))):
        for buffer, style in ((300, "-"), (100, ":")):
            mine = frame[(frame["buffering"] == buffering) & (frame["buffer"] == buffer)].sort_values("length")
            if len(mine):
                line(
                    axes,
                    mine["length"],
                    mine["throughput"],
                    number,
                    f"{buffering}, {buffer} flits",
                    linestyle=style,
                    marker=marker,
                )
    line(axes, wormhole["length"], wormhole["throughput"], 3, "wormhole", linestyle="-.", marker="")
    axes.set_ylim(0, 1)
    dress(axes, f"throughput, {radix} hyper-crossbar, fixed routing", "message length, flits", "flits/node/cycle")
    text = (
        "A node is idle until all of a message is in its exchanger. One VC; the buffers of wormhole are not given: 8 "
        "flits. 10,000 "
        "clocks, the first 1,000 not counted."
    )
    return Findings(rows, drawn, text)


BUFFER = f"Wormhole's buffer is open: ours is {WORMHOLE} flits. A node sends one message at a time (§ 4.2)."


def _has(frame: pd.DataFrame, buffering: str, buffer: int, share: float) -> bool:
    at = frame["length"] == round(share * buffer)
    return bool((at & (frame["buffering"] == buffering) & (frame["buffer"] == buffer)).any())


for key, title, parts, conclude in (
    ("hxb.fig2", "throughput, fixed and adaptive routing, PU bandwidth ×1, ×2, ×3", fig2_parts, fig2),
    ("hxb.fig3", "throughput of wormhole, static, dynamic and flexible buffering", fig3_parts, fig3),
):
    CATALOGUE.enter(Study(key, "E", title, parts, conclude))
