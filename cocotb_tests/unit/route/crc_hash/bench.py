"""CRC hash: random tags, single bits, all ones; against the model's rows and against polynomial division."""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np

from cocotb_tests.bfm.lockstep import Bench, Values
from models.route.crc_hash import crc_by_division, crc_hash, crc_rows


@cocotb.test()
async def tags(dut: Any) -> None:
    """Every single bit, the extremes, then random tags."""
    bench = Bench(dut, "tags")
    width, polynomial, bits = (bench.parameters[name] for name in ("width", "polynomial", "bits"))
    rows = crc_rows(width, polynomial)
    corners = [0, (1 << width) - 1, *(1 << bit for bit in range(width))]
    cover = bench.coverage
    cover.require(["corner", "random", "top bit set"])
    cover.require(f"crc bit {bit}" for bit in range(bits))

    def stimulus(cycle: int, seen: Values) -> Values:
        tag = corners[cycle] if cycle < len(corners) else bench.random.getrandbits(width)
        cover.hit("corner", cycle < len(corners))
        cover.hit("random", cycle >= len(corners))
        cover.hit("top bit set", tag >> (width - 1))
        for bit in range(bits):
            cover.hit(f"crc bit {bit}", seen.get("crc", 0) >> bit & 1)
        return {"tag": tag}

    def model(inputs: Values) -> Values:
        crc = int(crc_hash(int(np.uint64(inputs["tag"]).astype(np.int64)), rows))
        assert crc == crc_by_division(inputs["tag"], width, polynomial), "the model disagrees with the definition"
        return {"crc": crc & ((1 << bits) - 1)}

    await bench.start()
    await bench.random_traffic(stimulus, model)
