"""Small files of the energy account, as docs/how_to/power.md describes them, with known numbers."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.config import load_network
from sim.power.meter import STATES
from sim.topology.base import NOBODY

CYCLES, CYCLE_NS = 1000, 10.0  # of a chunk
ACTIVE_W, LPI_W, BASE_W = 1.0, 0.1, 17.8


def lpi_cycles(chunk: int, links: int) -> np.ndarray:
    """Return the sleep cycles of each link in a chunk: link k of chunk c slept for (k + 100 c) % 1001."""
    return (np.arange(links) + 100 * chunk) % (CYCLES + 1)


def lpi_share(chunk: int, links: int) -> np.ndarray:
    return lpi_cycles(chunk, links) / CYCLES


def link_w(chunk: int, links: int) -> np.ndarray:
    return ACTIVE_W + (LPI_W - ACTIVE_W) * lpi_share(chunk, links)


def write_power(path: Path, settings: list[str], chunks: int, ranks: bool = True, chunks_a_group: int = 3) -> Path:
    """Write both files of a network; the last chunk has half the cycles of the others."""
    family = load_network(None, settings).family
    topology = family.build()
    switch, port, peer, peer_port = topology.links.T
    links, switches = len(switch), topology.switches
    grid = family.kind in ("torus", "mesh")
    dimension = port // 2 if grid else np.full(links, NOBODY)
    direction = np.where(port % 2, -1, 1) if grid else np.zeros(links)
    section = {"kind": family.kind, **family.model_dump(mode="json")}
    about = {
        "format": "power",
        "format_version": 1,
        "version": "1.2.3",
        "source": ["some/where/ring.py"],
        "config": {"topology": section},
        "cycle_ns": CYCLE_NS,
        "chunk_cycles": CYCLES,
        "power": {},
        "states": list(STATES),
        "topology": {
            "name": topology.name,
            "kind": family.kind,
            "radix": section.get("radix"),
            "wrap": getattr(topology, "wrap", None),
            "switches": switches,
            "nodes": topology.nodes,
            "planes": 1,
            "coordinates": topology.coordinates.tolist(),
            "positions": None if topology.positions is None else topology.positions.tolist(),
            "node_switch": topology.node_switch.tolist(),
        },
        "rank_nodes": list(range(topology.nodes))[::-1] if ranks else None,
    }
    of_links, of_switches = [], []
    for chunk in range(chunks):
        cycles = CYCLES if chunk < chunks - 1 else CYCLES // 2
        slept = lpi_cycles(chunk, links) * cycles // CYCLES
        utilisation = (1 - slept / cycles) / 2
        watts = ACTIVE_W + (LPI_W - ACTIVE_W) * lpi_share(chunk, links)

        def time(rows: int, chunk: int = chunk, cycles: int = cycles) -> dict[str, object]:
            begin = chunk * CYCLES * CYCLE_NS
            return {
                "chunk": pa.array(np.full(rows, chunk), pa.int32()),
                "start_ns": np.full(rows, begin),
                "end_ns": np.full(rows, begin + cycles * CYCLE_NS),
            }

        nothing = np.zeros(links, np.int64)
        states = {"active": cycles - slept, "sleep": nothing, "lpi": slept, "refresh": nothing, "wake": nothing}
        of_links.append(
            pa.table({
                **time(links),
                "switch": pa.array(switch, pa.int32()),
                "port": pa.array(port, pa.int16()),
                "to_switch": pa.array(peer, pa.int32()),
                "to_port": pa.array(peer_port, pa.int16()),
                "to_node": pa.nulls(links, pa.int32()),
                "dimension": pa.array(dimension, pa.int8(), mask=dimension == NOBODY),
                "direction": pa.array(direction, pa.int8(), mask=dimension == NOBODY),
                **{f"{state}_cycles": states[state] for state in STATES},
                "lpi_share": lpi_share(chunk, links),
                "utilisation": utilisation,
                "mean_w": watts,
            })
        )  # fmt: skip
        count = np.maximum(np.bincount(switch, minlength=switches), 1)
        of_switches.append(
            pa.table({
                **time(switches),
                "switch": pa.array(np.arange(switches), pa.int32()),
                "lpi_share": np.bincount(switch, lpi_share(chunk, links), switches) / count,
                "utilisation": np.bincount(switch, utilisation, switches) / count,
                "mean_w": BASE_W + np.bincount(switch, watts, switches),
            })
        )  # fmt: skip
    metadata = {"tsuji": json.dumps(about)}
    for name, tables in ((path, of_links), (path.with_suffix(".switches.parquet"), of_switches)):
        whole = pa.concat_tables(tables).replace_schema_metadata(metadata)
        pq.write_table(whole, name, row_group_size=chunks_a_group * len(tables[0]))
    return path
