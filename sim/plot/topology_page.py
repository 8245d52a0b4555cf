"""`python -m sim.plot.topology_page`: draws the pictures of docs/reference/topologies.md, one per family."""

from __future__ import annotations

from pathlib import Path

from sim.config import load_network
from sim.plot.topology import draw
from sim.topology.base import Topology
from sim.topology.family import FAMILIES

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "topologies"

# Networks small enough to follow a cable; other families are drawn with their defaults.
SETTINGS: dict[str, list[str]] = {
    "fat_tree": ["topology.arity=2", "topology.levels=4"],
    "graph": [f"topology.file={ROOT / 'examples' / 'petersen.txt'}"],
    "hyper_crossbar": ["topology.radix=[4, 4]"],
    "hypercube": ["topology.dimensions=4"],
    "hyperx": ["topology.radix=[4, 4]"],
    "mesh": ["topology.radix=[4, 3]"],
    "random_regular": ["topology.switches=20", "topology.degree=3"],
    "torus": ["topology.radix=[4, 4]"],
}


def picture(kind: str) -> Path:
    """Return the path of a family's picture."""
    return PICTURES / f"{kind}.svg"


def pictured(kind: str) -> Topology:
    """Return the network that the picture of a family shows."""
    return load_network(None, [f"topology.kind={kind}", *SETTINGS.get(kind, [])]).topologies()[0]


def main() -> None:
    """Draw every family."""
    for kind in FAMILIES.names():
        draw(pictured(kind), picture(kind))
        print(picture(kind).relative_to(ROOT))


if __name__ == "__main__":
    main()
