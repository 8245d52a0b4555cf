"""Speculation: all sets of requested VCs and of VCs with a credit, and all results of VA, where feasible."""

from __future__ import annotations

from itertools import product
from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from models.allocate.speculation import misspeculated, speculate
from models.params import SwitchParams
from models.state.vc_set import contains

ALL = 4  # number of VCs up to which all combinations are tested


class Speculation:
    """Model: head of input VC (1, 0) that requests VCs of output 0."""

    def __init__(self, params: SwitchParams) -> None:
        self._state = power_up(params)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """Return the outputs for the inputs of a cycle."""
        st = self._state
        vc = st.vc[0, 1, 0]
        st.output[0, 0].credited = inputs["has_credit"]
        vc.claimed, vc.out_vc = inputs["claims"], inputs["claimed_vc"]
        st.speculating[:] = 0
        speculate(st, 0, 1, 0, 0, inputs["ask"])
        speculates = bool(contains(st, st.speculating, 0, 1, 0))
        return {"speculates": int(speculates), "misspeculated": int(speculates and misspeculated(st, 0, 1, 0, 0))}


@cocotb.test()
async def answers(dut: Any) -> None:
    """All combinations in turn, or random ones; only a requested VC is allocated."""
    bench = Bench(dut, "answers")
    params = SwitchParams(**bench.parameters["switch"])
    vcs, draw = params.vcs, bench.random
    masks = range(1 << vcs)
    every = [
        (ask, credit, given)
        for ask, credit in product(masks, masks if vcs <= ALL else ())
        for given in (None, *(w for w in range(vcs) if ask >> w & 1))
    ]
    cover = bench.coverage
    cover.require(["no VC", "a VC with a credit", "asks for nothing that has a credit"])
    cover.require(["a VC without a credit"] if vcs > 1 else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        if every:
            ask, credit, given = every[cycle % len(every)]
        else:
            ask, credit = draw.choice(masks), draw.choice(masks) & draw.choice(masks)
            given = draw.choice([None, *(w for w in range(vcs) if ask >> w & 1)])
        cover.hit("no VC", ask & credit and given is None)
        cover.hit("asks for nothing that has a credit", ask and not ask & credit)
        cover.hit("a VC with a credit", given is not None and credit >> given & 1)
        if vcs > 1:
            cover.hit("a VC without a credit", given is not None and ask & credit and not credit >> given & 1)
        claimed = draw.randrange(vcs) if given is None else given
        return {"ask": ask, "has_credit": credit, "claims": int(given is not None), "claimed_vc": claimed}

    await bench.start()
    await bench.lockstep(max(bench.cycles, len(every)), stimulus, Speculation(params))
