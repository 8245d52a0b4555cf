"""Model of a table that stands in for the CAM, as a component: of the route table, and of the ternary table."""

from __future__ import annotations

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Expected, Partly, Values
from models import formats
from models.params import SwitchParams
from models.reset import reset
from models.route.route_table import table_accept, table_answer_cycle
from models.state.route_word import route_drop


class RouteTable:
    """Model of the table; of a ternary answer that is not found, the route is undefined."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self.state = golden.power_up(params)
        self.answers: dict[int, Expected] = {}  # outstanding answers, by cycle
        self.found = False
        self._cycle = 0

    @property
    def ready(self) -> bool:
        """Whether a request is accepted in the next cycle."""
        return bool(self._cycle >= self.state.switch[0].table_ready)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, state, cycle = self._params, self.state, self._cycle
        outputs: dict[str, Expected] = {"request_ready": int(self.ready)}
        if inputs["request_valid"] and self.ready:
            request = formats.unpack(formats.cam_request(params), inputs["request_payload"])
            word = int(table_accept(state, 0, golden.signed(request["tag"]), cycle))
            self.found = not route_drop(word)
            answer = {"port": request["port"], "found": int(self.found), **golden.fields(params, word)}
            packed: Expected = formats.pack(formats.cam_answer(params), answer)
            if params.ternary and not self.found:
                packed = Partly(request["port"], (2 << params.port_bits) - 1)
            self.answers[int(table_answer_cycle(state, cycle))] = packed
        answered = self.answers.pop(cycle, None)
        outputs |= {"answer_valid": int(answered is not None), "answer": answered}
        if inputs["program_valid"]:
            golden.program(params, state, inputs["program_payload"])
        if inputs["rst"]:
            reset(state, 0, cycle)
            self.answers.clear()
        self._cycle += 1
        return outputs
