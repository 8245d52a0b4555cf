"""Model of the miss unit as a component."""

from __future__ import annotations

import numpy as np

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Expected, Values
from models import formats
from models.formats import Counter
from models.params import SwitchParams
from models.reset import reset
from models.route.miss_unit import EXAM, PEND, miss_step
from models.route.route_queue import route_at
from models.state.registers import NEVER, WAIT
from models.state.route_word import route_drop


class MissUnit:
    """Miss unit of input port 0; it writes to an empty route queue, from which its writes are read back."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)
        self._unit = self._state.miss[0, 0]
        self._cycle = 0

    @property
    def phase(self) -> int:
        """Phase of the next cycle."""
        return int(self._unit.phase)

    @property
    def walked(self) -> int:
        """Number of WALK cycles so far; 2 for more."""
        return int(self._unit.walked)

    @property
    def pointer(self) -> int:
        """Slot at which the search starts."""
        return int(self._unit.pointer)

    @property
    def pending(self) -> set[int]:
        """Slots whose headers wait."""
        return self._slots(PEND)

    @property
    def examined(self) -> set[int]:
        """Slots that the walk has not examined yet."""
        return self._slots(EXAM)

    def _slots(self, bit: int) -> set[int]:
        return {int(slot) for slot in np.flatnonzero(self._state.slot[0, 0] & bit)}

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, state, unit, cycle = self._params, self._state, self._unit, self._cycle
        unit.handed = inputs["miss_valid"]
        unit.handed_slot = inputs["miss_slot"]
        unit.handed_tag = golden.signed(inputs["miss_tag"])
        if inputs["answer_valid"]:
            answer = formats.unpack(golden.port_answer(params), inputs["answer"])
            found = answer.pop("found")
            unit.answer = golden.word(params, formats.pack(formats.route(params), answer), 1 - found)
            unit.answer_at = cycle
        state.routes[0, 0] = 0
        state.vc[0, 0].route = 0
        merged = state.counters[0, 0, Counter.CAM_MERGED]
        result = int(miss_step(state, 0, 0, cycle, bool(inputs["flush"]), bool(inputs["direct_write"])))
        words = [int(route_at(state, 0, 0, v, d)) for v in range(params.vcs) for d in range(params.depth)]
        written = np.flatnonzero(words)
        outputs: dict[str, Expected] = {
            "request_valid": result & 1,
            "request_tag": golden.unsigned(unit.active_tag, params.tag_width) if result & 1 else None,
            "walk_valid": len(written),
            "walk_slot": int(written[0]) if len(written) else None,
            "walk_route": golden.route(params, words[written[0]]) if len(written) else None,
            "walk_drop": int(route_drop(int(unit.answer))) if len(written) else None,
            "merged": int(state.counters[0, 0, Counter.CAM_MERGED] - merged),
            # Without a cache fills have no receiver.
            "fill_valid": result >> 2 if params.has_cache else None,
            "fill_tag": golden.unsigned(unit.active_tag, params.tag_width) if result & 4 else None,
            "fill_route": golden.route(params, unit.answer) if result & 4 else None,
        }
        if result & 1 and inputs["granted"]:
            unit.phase = WAIT
            unit.answer_at = NEVER
        if inputs["rst"]:
            reset(state, 0, cycle)
        self._cycle += 1
        return outputs
