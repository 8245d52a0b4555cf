"""The golden model compiled and as plain Python: one behaviour."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from cocotb_tests.cases.shared import CASES
from models.jit.bits import popcount
from models.jit.compiled import entry_point
from models.params import SwitchParams
from models.power_up import new_state

PROGRAM = """
import hashlib, sys
import numpy as np
from cocotb_tests.soak.stimulus import Stimulus
from models.params import CacheParams, CamParams, SwitchParams

cases = {
    "default": dict(cam=CamParams(entries=64, latency=9, occupancy=4), cache=CacheParams(entries=16)),
    "plru": dict(vcs=3, depth=5, cam=CamParams(entries=64, latency=5, occupancy=1),
                 cache=CacheParams(entries=8, ways=4, policy="plru"), arbiter="matrix", u_turn=True),
    "header": dict(data_width=8, tag_width=64, depth=9, vcs=16, cam=CamParams(entries=64, latency=4, occupancy=1),
                   cache=CacheParams(entries=8, ways=8, policy="fifo")),
    "rows": dict(vcs=4, depth=2, routing="dimension_order", radix=(5, 4), wrap=True, allocator="output_first",
                 vc_stage=True, hold_packets=False, head_delay=1),
    "computed": dict(routing="dimension_order", radix=(5, 4), wrap=True, buffering="dynamic", max_packet=3),
}
stimulus = Stimulus(SwitchParams(**cases[sys.argv[1]]), seed=7, reset_odds=1 << 14,
                    position=(2, 1) if sys.argv[1] in ("computed", "rows") else ())
with np.errstate(over="ignore"):
    blocks = stimulus.block(900)
print(hashlib.sha256(b"".join(block.tobytes() for block in blocks)).hexdigest(), int(blocks[2][:, :, 0].sum()))
"""


@pytest.mark.parametrize("case", ["default", "plru", "header", "computed", "rows"])
def test_plain_python_agrees(case):
    runs = [
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, case],
            env=os.environ | {"NUMBA_DISABLE_JIT": disable},
            capture_output=True,
            text=True,
            check=False,
        )
        for disable in ("0", "1")
    ]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout == runs[1].stdout
    assert int(runs[0].stdout.split()[1]) > 300, "too little traffic to mean anything"


def test_way_in() -> None:
    """What calls a function without asking for types does the same; it keeps to the types it is made for."""
    table = np.arange(5)
    way = entry_point(popcount, 7)
    assert way(0b1011) == popcount(0b1011) == 3
    with pytest.raises(TypeError):
        way(table)
    assert entry_point(sum, [1]) is sum


def test_switches_of_any_kind_and_number_are_one_type() -> None:
    """What is compiled for one serves all."""
    kinds = {numba.typeof(new_state(case.params, switches)).name for case in CASES.values() for switches in (1, 3)}
    plain = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
    kinds.add(numba.typeof(new_state(SwitchParams(**plain, ports=9, vcs=9), 3, batched=True)).name)  # the widest rows
    assert len(kinds) == 1
