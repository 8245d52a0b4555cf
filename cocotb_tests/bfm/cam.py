"""Bus model of the CAM as seen by one input port (microarchitecture.md, section 7)."""

from __future__ import annotations

import random

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Values
from models import formats
from models.params import SwitchParams


class Cam:
    """The CAM as seen by one port: an answer follows its grant after at least two cycles.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch, for widths.
    draw : random.Random
        Random numbers for the answers.
    """

    def __init__(self, params: SwitchParams, draw: random.Random) -> None:
        self._random = draw
        self._layout = golden.port_answer(params)
        self._waited = 0

    def drive(self, waiting: bool, willing: bool, delay: int) -> Values:
        """Return the inputs of one cycle.

        Parameters
        ----------
        waiting : bool
            Whether a request was granted in an earlier cycle and is not answered yet.
        willing : bool
            Whether the CAM would grant a request in this cycle.
        delay : int
            Cycles from a grant until its answer.
        """
        inputs: Values = {"granted": int(willing)}
        self._waited = self._waited + 1 if waiting else 0
        if self._waited >= max(2, delay):
            values = {field.name: self._random.getrandbits(field.width) for field in self._layout}
            values["found"] = int(self._random.random() < 0.75)
            inputs |= {"answer_valid": 1, "answer": formats.pack(self._layout, values)}
        return inputs
