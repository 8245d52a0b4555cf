"""Paper E's future work: adaptive routing and virtual cut-through together."""

from __future__ import annotations

import pandas as pd

from sim.papers.axes import dress, figure, line
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Row, Study, Tables, found
from sim.papers.hxb import ROUTINGS, throughput

COMBINED: dict[str, tuple[str, str]] = {
    "fixed, wormhole": ("fixed, 1 VC", "wormhole"),
    "fixed, flexible": ("fixed, 1 VC", "flexible"),
    "fixed, dynamic": ("fixed, 1 VC", "dynamic"),
    "adaptive, wormhole": ("adaptive", "wormhole"),
    "adaptive, dynamic": ("adaptive", "dynamic"),
    "adaptive, flexible": ("adaptive", "flexible"),
}


def combined_parts(options: Options) -> list[Part]:
    """Return one part per combination and length."""
    radix = [4, 4, 4] if options.quick else [8, 8, 16]
    depth = 100
    made = []
    for name, (routing, buffering) in COMBINED.items():
        for length in (25, 100) if options.quick else (10, 25, 50, 75, 100):
            keys = ROUTINGS[routing] | {
                "topology.radix": radix,
                "switch.buffering": buffering,
                "switch.depth": 8 if buffering == "wormhole" else depth,
                "switch.node_ports": 2,
                "traffic.packet_size": length,
                "traffic.packets_at_once": min(3, 2 * ROUTINGS[routing]["switch.vcs"]),
                "traffic.think_time": 50,
                "measure.period": 500 if options.quick else 1000,
            }
            if buffering == "dynamic":
                keys["switch.max_packet"] = length
            label = {
                "combination": name,
                "length": length,
                "radix": "×".join(map(str, radix)),
                "vcs": keys["switch.vcs"],
                "depth": keys["switch.depth"],
            }
            made.append(
                Part("combined", throughput, {"settings": keys, "label": label, "periods": 4 if options.quick else 9})
            )
    return made


def combined(tables: Tables) -> Findings:
    """Adaptive routing and virtual cut-through together."""
    frame = tables["combined"]
    longest = int(frame["length"].max())

    def value(name: str) -> float:
        return float(frame[(frame["combination"] == name) & (frame["length"] == longest)]["throughput"].iloc[0])

    base = value("fixed, wormhole")
    rows: list[Row] = [
        found(
            f"{name} over fixed, wormhole, {longest} flits, ×2, %", 100 * (value(name) / base - 1), _cost(frame, name)
        )
        for name in COMBINED
        if name != "fixed, wormhole"
    ]
    alone = max(value("adaptive, wormhole"), value("fixed, flexible"))
    rows.append(
        found("adaptive and flexible over the better of both alone, %", 100 * (value("adaptive, flexible") / alone - 1))
    )
    drawn, (axes,) = figure(width=7.2)
    for number, name in enumerate(COMBINED):
        mine = frame[frame["combination"] == name].sort_values("length")
        line(axes, mine["length"], mine["throughput"], number, name)
    axes.set_ylim(0, 1.2)
    dress(
        axes,
        f"throughput, {frame['radix'].iloc[0]} hyper-crossbar, PU ↔ exchanger ×2",
        "message length, flits",
        "flits/node/cycle",
    )
    text = (
        "The paper's future work: both methods at once, with the nodes of figure 2 at ×2. Buffers of 100 flits per VC "
        "(wormhole: 8), "
        "so adaptive routing has three times the storage of fixed routing with one VC."
    )
    return Findings(rows, drawn, text)


def _cost(frame: pd.DataFrame, name: str) -> str:
    mine = frame[frame["combination"] == name].iloc[0]
    return f"{int(mine['vcs'] * mine['depth'])} flits of buffer per input port."


CATALOGUE.enter(
    Study("hxb.combined", "E", "adaptive routing and virtual cut-through together", combined_parts, combined)
)
