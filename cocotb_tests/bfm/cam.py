"""Bus model of the CAM as one input port sees it (microarchitecture.md, section 7)."""

from __future__ import annotations

import random

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Values
from models import formats
from models.params import SwitchParams


class Cam:
    """The CAM as one port sees it: an answer some cycles after a grant, at least two.

    Parameters
    ----------
    params : SwitchParams
        Widths.
    draw : random.Random
        Answers.
    """

    def __init__(self, params: SwitchParams, draw: random.Random) -> None:
        self._random = draw
        self._layout = golden.port_answer(params)
        self._waited = 0

    def drive(self, waiting: bool, willing: bool, delay: int) -> Values:
        """Return the inputs of a cycle.

        Parameters
        ----------
        waiting : bool
            Whether a request was granted in a cycle before, and not answered.
        willing : bool
            Whether a request would be granted.
        delay : int
            Cycles from a grant to its answer.
        """
        inputs: Values = {"granted": int(willing)}
        self._waited = self._waited + 1 if waiting else 0
        if self._waited >= max(2, delay):
            values = {field.name: self._random.getrandbits(field.width) for field in self._layout}
            values["found"] = int(self._random.random() < 0.75)
            inputs |= {"answer_valid": 1, "answer": formats.pack(self._layout, values)}
        return inputs
