"""Shared functions: dense and sparse random masks, all starts; all numbers and all codes of the ring."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from hdl.lib.logic import ring
from models.allocate.arbiter import order_from, pointer_of, round_robin, round_robin_next
from models.jit.sets import popcount


class Functions:
    """Model: the definitions, for `count` bits, values or codes."""

    def __init__(self, count: int, codes: list[int]) -> None:
        self._count = count
        self._codes = codes

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        bits, number = inputs["bits"], inputs["number"]
        value = inputs[f"values_{number}"]
        return {
            "found": int(bits != 0),
            "first": int(round_robin(bits, order_from(number))) if bits else None,
            "next_number": int(pointer_of(round_robin_next(number), self._count)),
            "next_code": self._codes[(self._codes.index(inputs["code"]) + 1) % self._count],
            "hot": 1 << number,
            "any": int(bits != 0),
            "weight": int(popcount(bits)),
            "encoded": number,
            "by_index": value,
            "by_hot": value,
            "selected": bits >> number & 1,
        }


@cocotb.test()
async def functions(dut: Any) -> None:
    """Random arguments."""
    bench = Bench(dut, "functions")
    count = bench.parameters["count"]
    codes = ring(count)
    assert codes[0] == 0, "a ring begins at 0"
    assert len(set(codes)) == count, "the codes of a ring differ"
    draw = bench.random
    cover = bench.coverage
    cover.require(["nothing found", "found at the start"])
    cover.require(["all bits"] if count < 9 else [])
    cover.require(["found beyond the end"] if count > 1 else [])
    cover.require(f"number {number}" for number in range(count))
    cover.require(f"place {place} in the ring" for place in range(count))

    def stimulus(cycle: int, seen: Values) -> Values:
        bits = draw.getrandbits(count)
        for _ in range(cycle % 4):
            bits &= draw.getrandbits(count)
        number, place = draw.randrange(count), draw.randrange(count)
        cover.hit("nothing found", not bits)
        if count < 9:
            cover.hit("all bits", bits == (1 << count) - 1)
        cover.hit("found at the start", bits >> number & 1)
        if count > 1:
            cover.hit("found beyond the end", bits and not bits >> number)
        cover.hit(f"number {number}")
        cover.hit(f"place {place} in the ring")
        values = {f"values_{k}": draw.getrandbits(5) for k in range(count)}
        return {"bits": bits, "number": number, "code": codes[place], **values}

    await bench.start()
    await bench.random_traffic(stimulus, Functions(count, codes))
