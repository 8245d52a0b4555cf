"""Linear table: random tags; programming at any time, also of the entry being read, and of tags beyond the table.

Compared: the whole route, unless it is dropped.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models import formats
from models.params import SwitchParams
from models.route.linear_table import linear_route


class LinearTable:
    """Model: the table of one port."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        route = golden.if_followed(self._params, int(linear_route(self._state, 0, golden.signed(inputs["tag"]))))
        if inputs["program_valid"]:
            golden.program(self._params, self._state, inputs["program_payload"])
        return {"route": route}


@cocotb.test()
async def tags(dut: Any) -> None:
    """Read and write a few entries, and tags beyond the table with the same index; entries survive resets."""
    bench = Bench(dut, "tags")
    params = SwitchParams(**bench.parameters)
    draw, cover, layout = bench.random, bench.coverage, formats.program(params)
    entries, width = params.programmed_entries, params.tag_width
    inside = [draw.randrange(entries) for _ in range(min(entries, 12))] + [0, entries - 1]
    beyond = [tag ^ 1 << bit for bit in range(entries.bit_length() - 1, width) for tag in inside]
    cover.require(["found", "empty", "written as it is read", "removed", "found after a reset"])
    cover.require(["beyond, its entry full", "beyond, written"] if beyond else [])
    model, full = LinearTable(params), set[int]()
    survived = set[int]()

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal survived
        tag = draw.choice(inside + beyond)
        inputs: Values = {"tag": tag}
        cover.hit("found" if tag in full else "empty", tag < entries)
        cover.hit("found after a reset", tag in survived)
        if beyond:
            cover.hit("beyond, its entry full", tag >= entries and tag % entries in full)
        if draw.random() < 0.3:
            changed = tag if draw.random() < 0.5 else draw.choice(inside + beyond)
            values = {field.name: draw.getrandbits(field.width) for field in layout} | {"tag": changed}
            inputs |= {"program_valid": 1, "program_payload": formats.pack(layout, values)}
            cover.hit("written as it is read", changed == tag and tag < entries)
            cover.hit("removed", not values["found"] and changed in full)
            if beyond:
                cover.hit("beyond, written", changed >= entries)
            if changed < entries:
                (full.add if values["found"] else full.discard)(changed)
                survived.discard(changed)
        if draw.random() < 0.005:
            inputs["rst"] = 1
            survived = set(full)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
