"""Traffic hash: random seeds, nodes, thresholds and cycles, each draw after its latency.

A seed, a node and a threshold last for a block of cycles, at whose end nothing is drawn. Resets change nothing.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from hdl.node.traffic_hash import LATENCY
from models.node.traffic_hash import draw_destination, draws_packet, traffic_hash

BLOCK = 50  # cycles


class TrafficHash:
    """Model of the hash as a component."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._under_way: deque[Values | None] = deque([None] * LATENCY)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        self._under_way.append(inputs if inputs["draw"] else None)
        given = self._under_way.popleft()
        if given is None:
            return {"packet": 0, "destination": None}
        first, second = traffic_hash(given["seed"], given["node"], given["cycle"])
        if not draws_packet(first, given["threshold"]):
            return {"packet": 0, "destination": None}
        return {"packet": 1, "destination": int(draw_destination(second, given["node"], self._nodes))}


@cocotb.test()
async def draws(dut: Any) -> None:
    """Draws of cycles in order and in none; every node of a small network sends to each other one."""
    bench = Bench(dut, "draws")
    nodes = bench.parameters["nodes"]
    draw, cover = bench.random, bench.coverage
    few = nodes <= 16
    cover.require(["packet", "no packet", "not drawn", "threshold 0", "every cycle", "reset with draws under way"])
    cover.require(["any cycle", "cycles in order", "lowest node", "highest node", "at the threshold"])
    cover.require(["to a lower node", "to a higher node"])
    cover.require(f"to node {node}" for node in range(nodes) if few)
    given: Values = {}
    in_order = False

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal given, in_order
        if cycle % BLOCK == 0:
            node = draw.choice([0, nodes - 1, draw.randrange(nodes)])
            threshold = draw.choice([0, 1 << 24, draw.getrandbits(24), draw.getrandbits(24) >> 2])
            cycles = draw.choice([0, (1 << 24) - 20, (1 << 32) - 20, draw.getrandbits(32)])
            given = {"seed": draw.getrandbits(32), "node": node, "threshold": threshold, "cycle": cycles}
            in_order = draw.random() < 0.5
            if in_order and draw.random() < 0.5:
                met = (cycles + draw.randint(1, BLOCK - LATENCY)) % (1 << 32)
                given["threshold"] = int(traffic_hash(given["seed"], node, met)[0])
        given = given | {
            "draw": int(draw.random() < 0.9 and cycle % BLOCK < BLOCK - LATENCY),
            "rst": int(draw.random() < 0.1),
            "cycle": (given["cycle"] + 1) % (1 << 32) if in_order else draw.getrandbits(32),
        }
        cover.hit("cycles in order" if in_order else "any cycle")
        cover.hit("threshold 0", given["threshold"] == 0)
        cover.hit("every cycle", given["threshold"] == 1 << 24)
        first = traffic_hash(given["seed"], given["node"], given["cycle"])[0]
        cover.hit("at the threshold", given["draw"] and first == given["threshold"])
        cover.hit("lowest node", given["node"] == 0)
        cover.hit("highest node", given["node"] == nodes - 1)
        cover.hit("reset with draws under way", given["rst"])
        cover.hit("not drawn", not given["draw"])
        if seen:
            cover.hit("packet" if seen["packet"] else "no packet")
            cover.hit("to a lower node", seen["packet"] and seen["destination"] < given["node"])
            cover.hit("to a higher node", seen["packet"] and seen["destination"] > given["node"])
            if few and seen["packet"]:
                cover.hit(f"to node {seen['destination']}")
        return given

    await bench.start()
    await bench.random_traffic(stimulus, TrafficHash(nodes))
