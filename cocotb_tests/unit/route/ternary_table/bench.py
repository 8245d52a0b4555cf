"""Ternary table: requests at the full rate; programming at any time, also of the entry that a lookup under way matched.

Compared: `ready`; each answer with its cycle and port, whether it is found, and then its route.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.stall import stalls
from cocotb_tests.unit.route.route_table.model import RouteTable
from models import formats
from models.params import SwitchParams


class Traffic:
    """Requests for, and programming of, few tags, and masks under which several of them match.

    Parameters
    ----------
    bench : Bench
        Random numbers and coverage.
    params : SwitchParams
        With cam.match = "ternary".
    model : RouteTable
        Tells whether a request will be accepted.
    """

    def __init__(self, bench: Bench, params: SwitchParams, model: RouteTable) -> None:
        self._params, self._model, self._random, self._cover = params, model, bench.random, bench.coverage
        self._pauses = {name: stalls("mixed", bench.random) for name in ("request", "program")}
        self._request: int | None = None  # waiting for the table
        self._every = (1 << params.tag_width) - 1
        base = [self._random.getrandbits(params.tag_width) for _ in range(3)]
        near = [tag ^ 1 << self._random.randrange(params.tag_width) for tag in base for _ in range(3)]
        self._tags = [*base, *near, 0, self._every]
        self._entries: dict[int, tuple[int, int]] = {}  # tag and mask of the entries in use, by number
        self._ever: set[int] = set()  # numbers of entries that were in use
        self._before_reset: set[int] = set()  # entries in use since before the last reset
        self._matched: list[int] = []  # entries that lookups accepted in the last two cycles matched, newest first
        self._asked = False  # a request was accepted in the cycle before
        self._require()

    def _require(self) -> None:
        cover, cam = self._cover, self._params.cam
        cover.require(["found", "not found", "not found, once entered", "several match", "no tag but some bits equal"])
        cover.require(["the longer mask at the higher number", "all tags match", "highest entry", "lowest entry"])
        cover.require(["entry of the request's cycle", "matched entry, 1 cycle later", "matched entry, 2 cycles later"])
        cover.require(["found, entered before a reset", "programmed in reset", "reset with an answer under way"])
        cover.require(["two answers under way"] if cam.latency - 3 > cam.occupancy else [])
        cover.require(["requests in a row"] if cam.occupancy == 1 else ["not ready"])

    def __call__(self, cycle: int, seen: Values) -> Values:
        """Return the inputs of a cycle."""
        draw, cover, params, ready = self._random, self._cover, self._params, self._model.ready
        if self._request is None and not next(self._pauses["request"]):
            self._request = draw.choice(self._tags)
        inputs: Values = {}
        matched = -1
        accepted = self._request is not None and ready
        if params.cam.occupancy > 1:
            cover.hit("not ready", not ready)
        elif accepted:
            cover.hit("requests in a row", self._asked)
        if self._request is not None:
            fields = {"port": draw.randrange(params.ports), "tag": self._request}
            inputs |= {"request_valid": 1, "request_payload": formats.pack(formats.cam_request(params), fields)}
            if accepted:
                matched = self._judge(self._request)
                self._request = None
        self._asked = accepted
        if not next(self._pauses["program"]):
            self._program(inputs, matched)
        self._matched = [matched, *self._matched[:1]]
        if params.cam.latency - 3 > params.cam.occupancy:
            cover.hit("two answers under way", len(self._model.answers) > 1)
        if draw.random() < (0.04 if self._model.answers else 0.005):
            inputs["rst"] = 1
            cover.hit("reset with an answer under way", len(self._model.answers) > 0)
            cover.hit("programmed in reset", "program_valid" in inputs)
            self._request = None
            self._before_reset = set(self._entries)
        return inputs

    def _judge(self, wanted: int) -> int:
        """Evaluate a request that is accepted; return the entry that it matches, −1 if none."""
        cover, last = self._cover, self._params.cam.entries - 1
        found = sorted(k for k, (tag, mask) in self._entries.items() if not (tag ^ wanted) & mask)
        if not found:
            cover.hit("not found")
            cover.hit("not found, once entered", bool(self._ever))
            return -1
        tag, mask = self._entries[found[0]]
        cover.hit("found")
        cover.hit("several match", len(found) > 1)
        cover.hit("no tag but some bits equal", tag != wanted)
        longest = max(found, key=lambda k: self._entries[k][1].bit_count())
        cover.hit("the longer mask at the higher number", self._entries[longest][1].bit_count() > mask.bit_count())
        cover.hit("all tags match", mask == 0)
        cover.hit("highest entry", found[0] == last)
        cover.hit("lowest entry", found[0] == 0)
        cover.hit("found, entered before a reset", found[0] in self._before_reset)
        return found[0]

    def _program(self, inputs: Values, matched: int) -> None:
        """Write an entry: mostly any, often one that a lookup under way has matched."""
        draw, layout, width = self._random, formats.program(self._params), self._params.tag_width
        recent = [number for number in (matched, *self._matched) if number >= 0]
        number = draw.choice(recent) if recent and draw.random() < 0.5 else draw.randrange(self._params.cam.entries)
        mask = draw.choice((self._every, self._every & -1 << draw.randrange(width), draw.getrandbits(width)))
        mask = 0 if draw.random() < 0.05 else mask
        tag = draw.choice(self._tags)
        values = {field.name: draw.getrandbits(field.width) for field in layout}
        values |= {"tag": tag, "mask": mask, "entry": number, "found": int(draw.random() < 0.6)}
        inputs |= {"program_valid": 1, "program_payload": formats.pack(layout, values)}
        self._cover.hit("entry of the request's cycle", number == matched)
        for cycles, before in enumerate(self._matched, 1):
            self._cover.hit(f"matched entry, {cycles} cycle{'s' if cycles > 1 else ''} later", number == before)
        self._before_reset.discard(number)
        self._entries.pop(number, None)
        if values["found"]:
            self._entries[number] = tag, mask
            self._ever.add(number)


@cocotb.test()
async def requests(dut: Any) -> None:
    """Random requests and programming, each with pauses of its own, and resets."""
    bench = Bench(dut, "requests")
    params = SwitchParams(**bench.parameters)
    model = RouteTable(params)
    await bench.start()
    await bench.random_traffic(Traffic(bench, params, model), model)
