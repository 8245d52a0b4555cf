"""Environment of the route unit of one input port: a link, a buffer, and a CAM."""

from __future__ import annotations

import random
from collections import deque

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.cam import Cam
from cocotb_tests.bfm.link import Flit, Source, packet
from cocotb_tests.bfm.lockstep import Values
from cocotb_tests.bfm.stall import stalls
from cocotb_tests.unit.route.route_unit.model import RouteUnit
from models import formats
from models.params import SwitchParams
from models.route.dimension_order import encode
from models.state.registers import WAIT


class Traffic:
    """Random packets to few destinations, which change with time.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch.
    model : RouteUnit
        Tells which routes are ready, and whether an answer of the CAM is outstanding.
    draw : random.Random
        Random choices.
    """

    def __init__(self, params: SwitchParams, model: RouteUnit, draw: random.Random) -> None:
        self._params, self._model, self._random = params, model, draw
        self._pauses = {name: stalls("mixed", draw) for name in ("leave", "grant")}
        self._source = Source(params, "link", stalls("mixed", draw), draw)
        self._cam = Cam(params, draw)
        self._position = 0
        bits = params.address_bits if params.radix else params.tag_width
        self._tags = [draw.getrandbits(bits) for _ in range(60 if params.radix else 8 + params.cache.entries * 3 // 2)]
        if params.linear:
            self._tags = [draw.randrange(params.programmed_entries) for _ in range(20)] + self._tags[:4]
        self.reset()

    def reset(self) -> None:
        """Forget all packets."""
        self._source.reset()
        # With each flit to be sent: the tag of the header that it completes.
        self._completes: list[deque[int | None]] = [deque() for _ in range(self._params.vcs)]
        self._buffers: list[deque[int]] = [deque() for _ in range(self._params.vcs)]
        self._credit: Values = {}

    def __call__(self, cycle: int) -> Values:
        """Return the inputs of a cycle."""
        params, draw = self._params, self._random
        self._source.observe(self._credit)
        inputs = self._leave()
        for vc, queue in enumerate(self._source.queues):
            if not queue:
                self._packet(cycle, vc)
        tag = None
        sent = self._source.drive()
        if sent:
            inputs |= {"flit_valid": 1, "flit_payload": sent["link_flit_payload"]}
            flit = Flit.read(params, inputs["flit_payload"])
            self._buffers[flit.vc].append(flit.tail)
            tag = self._completes[flit.vc].popleft()
        if params.has_cam:
            # Answers often come just as another header requests the same tag: too late for the cache, in time for the
            # walk.
            asked = golden.unsigned(self._model.snapshot().active_tag, params.tag_width)
            delay = 2 if tag == asked else draw.choice([2, 3, draw.randint(2, 30), 40 if self._few(cycle) else 2])
            inputs |= self._cam.drive(self._model.phase == WAIT, not next(self._pauses["grant"]), delay)
        if params.linear and (cycle < 4 * len(self._tags) or draw.random() < 0.1):
            inputs |= {"program_valid": 1, "entry": self._route()}
        if params.computed and params.crossbar is None:
            if cycle % 200 == 0:
                here = tuple(draw.randrange(k) for k in params.position_radix)
                self._position = encode(here, 0, params.position_bits)
            inputs["position"] = self._position
        return inputs

    def _route(self) -> int:
        """Return a programming operation, often with a valid route."""
        layout, draw = formats.program(self._params), self._random
        values = {field.name: draw.getrandbits(field.width) for field in layout} | {"tag": draw.choice(self._tags)}
        if draw.random() < 0.8:
            values |= {"found": 1, "out": draw.randrange(self._params.ports), "vc_first": 0}
        return formats.pack(layout, values)

    def _leave(self) -> Values:
        """Remove a flit of a packet with a ready route from the buffer."""
        ready = [vc for vc, tails in enumerate(self._buffers) if tails and self._model.front(vc)]
        self._credit = {}
        if not ready or next(self._pauses["leave"]):
            return {}
        vc = self._random.choice(ready)
        self._credit = {"link_credit_valid": 1, "link_credit_payload": vc}
        return {"releases": 1 << vc} if self._buffers[vc].popleft() else {}

    def _packet(self, cycle: int, vc: int) -> None:
        """Queue a packet: often just a header, sometimes shorter."""
        params, draw = self._params, self._random
        header = params.header_flits
        flits = draw.choice([header, header, draw.randint(1, header), header + draw.randint(0, 5)])
        tag = draw.choice(self._tags[cycle // 400 % 3 :][: 2 if self._few(cycle) else None])
        self._source.push(packet(params, vc, tag, flits, draw))
        self._completes[vc].extend(tag if number == header - 1 else None for number in range(flits))

    def _few(self, cycle: int) -> bool:
        """Return whether destinations are few, so that headers wait for one answer; else many, so that caches evict."""
        return cycle // 100 % 3 == 1
