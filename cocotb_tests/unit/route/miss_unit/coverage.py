"""Functional coverage of the miss unit: all phases with all events that can occur in them."""

from __future__ import annotations

from cocotb_tests.bfm.coverage import Coverage
from cocotb_tests.bfm.lockstep import Expected, Values
from cocotb_tests.unit.route.miss_unit.model import MissUnit
from models.params import SwitchParams
from models.state.registers import ASK, IDLE, WAIT, WALK

NAMES = {IDLE: "IDLE", ASK: "ASK", WAIT: "WAIT", WALK: "WALK"}

_ALWAYS = (
    "handed over, asked and granted at once",
    "granted later",
    "found",
    "not found",
    "all slots wait",
    "walk stalled",
)
_SEVERAL_SLOTS = (
    "handed over while another is picked",
    "handed over in ASK",
    "handed over in WAIT",
    "handed over in the answer's cycle",
    "handed over in WALK's first cycle",
    "handed over in WALK later",
    "handed over when the walk was to end",
    "merged",
    "merged, handed over in WALK",
    "another tag passed over",
    "search wraps around",
    "two answers in a row for one tag",
)
_CACHE = (
    "fill",
    "stale answer",
    "flush when picked",
    "flush in ASK",
    "flush in WAIT",
    "flush in the answer's cycle, filled",
    "flush in WALK",
    "second walk cycle with nothing to do",
)


class Watched:
    """The model, with coverage of each of its cycles.

    Parameters
    ----------
    model : MissUnit
        The model.
    cover : Coverage
        Coverage in which to count.
    params : SwitchParams
        Decides which bins can be hit.
    """

    def __init__(self, model: MissUnit, cover: Coverage, params: SwitchParams) -> None:
        self._model, self._cover, self._params = model, cover, params
        cover.require(_ALWAYS)
        cover.require(_SEVERAL_SLOTS if params.slots > 1 else ())
        cover.require(_CACHE if params.has_cache else ())
        cover.require(f"reset in {name}" for name in NAMES.values())
        self._flushed = False
        self._walk_handed: set[int] = set()
        self._last_tag: Expected = None

    def _hit(self, name: str, happened: object) -> None:
        """Count an event if it can happen with these parameters."""
        if happened and name in self._cover.bins:
            self._cover.hit(name)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        model = self._model
        phase, walked, before, examined = model.phase, model.walked, model.pending, model.examined
        pointer = model.pointer
        outputs = model(inputs)
        self._hit(f"reset in {NAMES[phase]}", inputs["rst"])
        if inputs["rst"]:
            return outputs
        self._hit("all slots wait", len(model.pending) == self._params.slots)
        handed = inputs["miss_valid"]
        if phase == IDLE:
            self._idle(inputs, outputs, before, pointer)
        elif phase == ASK:
            self._hit("granted later", inputs["granted"])
            self._hit("handed over in ASK", handed)
            self._hit("flush in ASK", inputs["flush"])
        elif phase == WAIT:
            self._wait(inputs, outputs)
        else:
            self._walk(inputs, outputs, walked, examined)
        self._flushed |= bool(inputs["flush"]) and phase in (ASK, WAIT)
        return outputs

    def _idle(self, inputs: Values, outputs: dict[str, Expected], before: set[int], pointer: int) -> None:
        if not outputs["request_valid"]:
            return
        self._hit("handed over, asked and granted at once", not before and inputs["granted"])
        self._hit("handed over while another is picked", before and inputs["miss_valid"])
        self._hit("search wraps around", self._model.pointer < pointer)
        self._hit("two answers in a row for one tag", outputs["request_tag"] == self._last_tag)
        self._hit("flush when picked", inputs["flush"])
        self._last_tag = outputs["request_tag"]
        self._flushed = bool(inputs["flush"])

    def _wait(self, inputs: Values, outputs: dict[str, Expected]) -> None:
        answered, handed = self._model.phase == WALK, inputs["miss_valid"]
        self._hit("handed over in the answer's cycle" if answered else "handed over in WAIT", handed)
        self._hit("flush in WAIT", inputs["flush"] and not answered)
        if answered:
            found = inputs["answer"] & 1
            self._hit("found" if found else "not found", True)
            self._hit("fill", outputs["fill_valid"])
            self._hit("stale answer", found and self._flushed)
            self._hit("flush in the answer's cycle, filled", inputs["flush"] and outputs["fill_valid"])
            self._walk_handed = set()

    def _walk(self, inputs: Values, outputs: dict[str, Expected], walked: int, examined: set[int]) -> None:
        handed = inputs["miss_valid"]
        self._hit("handed over in WALK later" if walked else "handed over in WALK's first cycle", handed)
        self._hit("handed over when the walk was to end", handed and len(self._model.examined) == 1)
        self._hit("walk stalled", inputs["direct_write"] and examined)
        self._hit("merged", outputs["merged"])
        self._hit("merged, handed over in WALK", outputs["merged"] and outputs["walk_slot"] in self._walk_handed)
        self._hit("another tag passed over", examined and not inputs["direct_write"] and not outputs["walk_valid"])
        self._hit("second walk cycle with nothing to do", not examined and walked == 1)
        self._hit("flush in WALK", inputs["flush"])
        if handed:
            self._walk_handed.add(inputs["miss_slot"])
