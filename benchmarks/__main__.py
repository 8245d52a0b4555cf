"""`make bench`: every benchmark, and its figures as JSON in build/bench.json."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import engine, saturation
from tsuji import __version__

OUTPUT = Path("build/bench.json")


def main() -> None:
    """Run all."""
    print("Simulator, one core\n")
    speeds = engine.main()
    print("\nSaturation of one switch, 5 ports, 4-flit packets\n")
    throughput = saturation.main()
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps({"version": __version__, "engine": speeds, "saturation": throughput}, indent=2))
    print(f"\n{OUTPUT}")


main()
