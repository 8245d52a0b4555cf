"""`make bench`: every benchmark, and its figures as JSON in build/bench.json."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import tsuji  # its first import refuses other packages with our names
from benchmarks import booksim, engine, saturation

OUTPUT = Path("build/bench.json")


def main() -> None:
    """Run all benchmarks; with --peer, also a BookSim2 executable."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    arguments.add_argument("--peer", type=Path, metavar="PATH", help="BookSim2 executable to compare with")
    peer = arguments.parse_args().peer
    print("Simulator, one core\n")
    speeds = engine.main()
    print("\nSaturation of one switch, 5 ports, 4-flit packets\n")
    throughput = saturation.main()
    figures: dict[str, object] = {"version": tsuji.__version__, "engine": speeds, "saturation": throughput}
    if peer:
        print("\nBeside BookSim2, same configurations\n")
        figures["booksim"] = booksim.main(peer)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(figures, indent=2))
    print(f"\n{OUTPUT}")


main()
