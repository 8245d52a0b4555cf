"""CAM interface: any set of ports requests, keeps requesting or gives up; the CAM takes requests at random times.

Compared in every cycle: the grant, the request register, and the port to which an answer goes.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from cocotb_tests.bfm.stall import stalls
from models import formats
from models.params import SwitchParams
from models.reset import reset
from models.route.route_unit import advance_route_units
from models.state.registers import ASK, IDLE, NEVER, WAIT


class Cam:
    """Model: the CAM interface of a switch whose miss units request as the inputs say."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self.state = golden.power_up(params)
        self._cycle = 0

    @property
    def full(self) -> bool:
        """Whether the request register holds a request in the next cycle."""
        return bool(self.state.switch[0].cam_full)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, state, cycle = self._params, self.state, self._cycle
        sw = state.switch[0]
        outputs: dict[str, Expected] = {"request_valid": int(sw.cam_full), "request_payload": None}
        if sw.cam_full:
            fields = {"port": int(sw.cam_port), "tag": golden.unsigned(sw.cam_tag, params.tag_width)}
            outputs["request_payload"] = formats.pack(formats.cam_request(params), fields)
        sw.table_ready = cycle if inputs["request_ready"] else NEVER
        sw.waiting = inputs["port_request_valid"]
        for port in range(params.ports):
            unit = state.miss[0, port]
            unit.phase = ASK if inputs["port_request_valid"] >> port & 1 else IDLE
            unit.active_tag = golden.signed(inputs[f"port_request_tag_{port}"])
            unit.asked_at = cycle
        advance_route_units(state, 0, cycle, False)
        outputs["granted"] = sum(1 << port for port in range(params.ports) if state.miss[0, port].phase == WAIT)

        answer = formats.unpack(formats.cam_answer(params), inputs["answer"])
        port = answer.pop("port")
        outputs["port_answer_valid"] = inputs["answer_valid"] << port
        packed = formats.pack(golden.port_answer(params), answer)
        outputs["port_answer"] = packed if inputs["answer_valid"] else None
        if inputs["rst"]:
            reset(state, 0, cycle)
        self._cycle += 1
        return outputs


class Traffic:
    """Ports that request, a CAM that accepts, and answers unrelated to both.

    Parameters
    ----------
    bench : Bench
        Random numbers and coverage.
    params : SwitchParams
        `cam.occupancy` is the least number of cycles between two acceptances.
    model : Cam
        Tells whether the request register is full.
    """

    def __init__(self, bench: Bench, params: SwitchParams, model: Cam) -> None:
        self._params, self._model, self._random, self._cover = params, model, bench.random, bench.coverage
        self._slow = stalls("mixed", bench.random)
        self._asking: dict[int, int] = {}
        self._ready_at = 0
        self._cover.require(f"granted {port}" for port in range(params.ports))
        self._cover.require(["all ask", "none asks", "granted while accepted", "refused", "register empty", "answer"])
        self._cover.require(["gave up", "reset with a request"])
        self._cover.require(["accepted in a row"] if params.cam.occupancy == 1 else [])
        self._accepted = False

    def __call__(self, cycle: int, seen: Values) -> Values:
        """Return the inputs of a cycle."""
        draw, cover, params = self._random, self._cover, self._params
        granted = seen.get("granted", 0)
        for port in range(params.ports):
            cover.hit(f"granted {port}", granted >> port & 1)
            if granted >> port & 1:
                del self._asking[port]
            if port not in self._asking and draw.random() < (0.02, 0.3, 0.9)[cycle // 128 % 3]:
                self._asking[port] = draw.getrandbits(params.tag_width)
        if self._asking and draw.random() < 0.02:  # as after a reset of the port alone
            del self._asking[draw.choice(list(self._asking))]
            cover.hit("gave up")
        requests = sum(1 << port for port in self._asking)
        ready = cycle >= self._ready_at and not next(self._slow)
        accepted = ready and self._model.full
        if accepted:
            self._ready_at = cycle + params.cam.occupancy
        cover.hit("all ask", len(self._asking) == params.ports)
        cover.hit("none asks", not requests)
        cover.hit("granted while accepted", accepted and requests)
        cover.hit("refused", self._model.full and not ready and requests)
        cover.hit("register empty", not self._model.full and requests)
        if params.cam.occupancy == 1:
            cover.hit("accepted in a row", accepted and self._accepted)
        self._accepted = accepted

        inputs = {"port_request_valid": requests, "request_ready": int(ready)}
        for port in range(params.ports):
            # The tag of a port without a request is random.
            inputs[f"port_request_tag_{port}"] = self._asking.get(port, draw.getrandbits(params.tag_width))
        answer = {field.name: draw.getrandbits(field.width) for field in formats.cam_answer(params)}
        answer["port"] = draw.randrange(params.ports)
        inputs["answer"] = formats.pack(formats.cam_answer(params), answer)
        inputs["answer_valid"] = int(draw.random() < 0.3)
        cover.hit("answer", inputs["answer_valid"])
        if draw.random() < 0.01:
            cover.hit("reset with a request", self._model.full)
            inputs["rst"] = 1
            self._asking.clear()
        return inputs


@cocotb.test()
async def requests(dut: Any) -> None:
    """Few, some and many requests; a CAM that is fast, slow, and stalled for a while."""
    bench = Bench(dut, "requests")
    params = SwitchParams(**bench.parameters)
    model = Cam(params)
    await bench.start()
    await bench.random_traffic(Traffic(bench, params, model), model)
