"""Route table: requests at the full rate; programming at any time, also of the entry being requested.

Compared: `ready`; each answer with its cycle, port, and route, even if not found.
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
    """Requests for, and programming of, few tags, some of which share an entry.

    Parameters
    ----------
    bench : Bench
        Random numbers and coverage.
    params : SwitchParams
        With routing = "table".
    model : RouteTable
        Tells whether a request will be accepted, and whether the last one was found.
    """

    def __init__(self, bench: Bench, params: SwitchParams, model: RouteTable) -> None:
        self._params, self._model, self._random, self._cover = params, model, bench.random, bench.coverage
        self._pauses = {name: stalls("mixed", bench.random) for name in ("request", "program")}
        self._request: int | None = None  # waiting for the table
        self._asked: int | None = None  # tag accepted in the cycle before
        self._removed: set[int] = set()
        self._before_reset: set[int] = set()  # written before the last reset, not changed since
        self._entered: set[int] = set()
        self._tags = self._some_tags()
        self._require()

    def _some_tags(self) -> list[int]:
        """Return tags of which some share an entry: they differ just above the index, or in the highest bit."""
        width, entries = self._params.tag_width, self._params.cam.entries
        tags = [self._random.getrandbits(width) for _ in range(min(8, entries))] + [0, (1 << width) - 1]
        if entries < 1 << width:
            tags += [tag ^ entries for tag in tags] + [tag ^ 1 << (width - 1) for tag in tags]
        return tags

    def _require(self) -> None:
        cover, cam = self._cover, self._params.cam
        cover.require(["found", "not found", "removed", "programmed in the request's cycle", "programmed in reset"])
        cover.require(["found, entered before a reset", "reset with an answer under way"])
        cover.require(["two answers under way"] if cam.latency - 3 > cam.occupancy else [])
        cover.require(["requests in a row"] if cam.occupancy == 1 else ["not ready"])

    def __call__(self, cycle: int, seen: Values) -> Values:
        """Return the inputs of a cycle."""
        draw, cover, params, ready = self._random, self._cover, self._params, self._model.ready
        asked_before = self._asked is not None
        self._judge()
        if self._request is None and not next(self._pauses["request"]):
            fields = {"port": draw.randrange(params.ports), "tag": draw.choice(self._tags)}
            self._request = formats.pack(formats.cam_request(params), fields)
        inputs: Values = {}
        if self._request is not None:
            inputs |= {"request_valid": 1, "request_payload": self._request}
            if ready:
                self._asked = formats.unpack(formats.cam_request(params), self._request)["tag"]
                self._request = None
            if params.cam.occupancy == 1:
                cover.hit("requests in a row", asked_before)
            else:
                cover.hit("not ready", not ready)
        if not next(self._pauses["program"]):
            self._program(inputs)
        if params.cam.latency - 3 > params.cam.occupancy:
            cover.hit("two answers under way", len(self._model.answers) > 1)
        if draw.random() < (0.04 if self._model.answers else 0.005):
            self._reset(inputs)
        return inputs

    def _judge(self) -> None:
        """Evaluate the request that was accepted in the cycle before."""
        if self._asked is None:
            return
        found = self._model.found
        self._cover.hit("found" if found else "not found")
        self._cover.hit("removed", not found and self._asked in self._removed)
        self._cover.hit("found, entered before a reset", found and self._asked in self._before_reset)
        self._asked = None

    def _program(self, inputs: Values) -> None:
        draw, layout = self._random, formats.program(self._params)
        tag = draw.choice(self._tags)
        if self._asked is not None and draw.random() < 0.5:
            tag = self._asked
        values = {field.name: draw.getrandbits(field.width) for field in layout} | {"tag": tag}
        inputs |= {"program_valid": 1, "program_payload": formats.pack(layout, values)}
        self._cover.hit("programmed in the request's cycle", tag == self._asked)
        if tag != self._asked:  # its request still sees the old entry
            self._before_reset.discard(tag)
            self._removed.discard(tag)
        (self._entered if values["found"] else self._removed).add(tag)

    def _reset(self, inputs: Values) -> None:
        inputs["rst"] = 1
        self._cover.hit("reset with an answer under way", len(self._model.answers) > 0)
        self._cover.hit("programmed in reset", "program_valid" in inputs)
        self._request = self._asked = None
        self._before_reset, self._entered = self._entered, set()


@cocotb.test()
async def requests(dut: Any) -> None:
    """Random requests and programming, each with pauses of its own, and resets."""
    bench = Bench(dut, "requests")
    params = SwitchParams(**bench.parameters)
    model = RouteTable(params)
    await bench.start()
    await bench.random_traffic(Traffic(bench, params, model), model)
