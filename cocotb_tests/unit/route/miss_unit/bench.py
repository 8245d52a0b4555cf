"""Miss unit: headers handed over in every phase, with a CAM that grants and answers at random times.

Compared in every cycle: requests and their tags, routes written and their slots, merges and fills.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cocotb

from cocotb_tests.bfm.cam import Cam
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.stall import stalls
from cocotb_tests.unit.route.miss_unit.corners import scenes
from cocotb_tests.unit.route.miss_unit.coverage import Watched
from cocotb_tests.unit.route.miss_unit.model import MissUnit
from models.params import SwitchParams
from models.state.registers import IDLE, WAIT


@cocotb.test()
async def corners(dut: Any) -> None:
    """Directed sequences, each until all headers have their routes."""
    bench = Bench(dut, "corners")
    params = SwitchParams(**bench.parameters)
    model = MissUnit(params)
    cam = Cam(params, bench.random)
    tag = bench.random.getrandbits(params.tag_width)
    finished = False

    def sequence() -> Iterator[Values]:
        nonlocal finished
        # As many runs as a tag has bits: each with two tags that differ only in that bit.
        played = list(scenes())
        for base in range(max(len(played), params.tag_width)):
            scene, tags = played[base % len(played)], [tag, tag ^ 1 << base % params.tag_width]
            cycle = 0
            while cycle <= max(scene.misses) or cycle <= scene.reset or model.pending or model.phase != IDLE:
                inputs = cam.drive(model.phase == WAIT, cycle >= scene.granted, scene.delay)
                inputs |= {"direct_write": int(cycle in scene.direct), "flush": int(cycle in scene.flush)}
                inputs["rst"] = int(cycle == scene.reset)
                if cycle in scene.misses:
                    number, which = scene.misses[cycle]
                    slot = (base + number) % params.slots
                    if slot not in model.pending:  # with few slots the slot may still be waiting
                        inputs |= {"miss_valid": 1, "miss_slot": slot, "miss_tag": tags[which]}
                yield inputs
                cycle += 1
        finished = True

    running = sequence()
    watched = Watched(model, bench.coverage, params)
    await bench.start()
    while not finished:
        await bench.lockstep(100, lambda cycle, seen: next(running, {}), watched)


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Random misses, direct writes, flushes and resets; a CAM that is fast for a while, then slow."""
    bench = Bench(dut, "traffic")
    params = SwitchParams(**bench.parameters)
    model = MissUnit(params)
    draw = bench.random
    cam = Cam(params, draw)
    pauses = {name: stalls("mixed", draw) for name in ("miss", "grant", "direct")}
    tags = [draw.getrandbits(params.tag_width) for _ in range(12)]

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs = cam.drive(model.phase == WAIT, not next(pauses["grant"]), draw.choice([2, 3, draw.randint(2, 40)]))
        free = [slot for slot in range(params.slots) if slot not in model.pending]
        if free and not next(pauses["miss"]) and draw.random() < (0.05, 0.3, 1.0)[cycle // 300 % 3]:
            tag = draw.choice(tags[: (2, 4, 12)[cycle // 500 % 3]])
            inputs |= {"miss_valid": 1, "miss_slot": draw.choice(free), "miss_tag": tag}
        # Without a cache, direct writes come from malformed headers, at most one per cycle.
        if params.has_cache or "miss_valid" not in inputs:
            inputs["direct_write"] = int(next(pauses["direct"]))
        inputs["flush"] = int(draw.random() < (0.2 if "answer_valid" in inputs else 0.03))
        inputs["rst"] = int(draw.random() < 0.01)
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, Watched(model, bench.coverage, params))
