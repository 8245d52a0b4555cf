"""Output buffer: `departure` asks when a flit would be on the link, without effect; `depart` sends it."""

import pytest

from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.transfer.output_buffer import any_buffered, buffered, depart, departure, link_clear


@pytest.mark.parametrize(("speedup", "stage_delay"), [(1, 0), (1, 2), (3, 0), (2, 1)])
def test_flits_leave_one_every_speedup_cycles(speedup, stage_delay):
    st = new_state(SwitchParams(ports=3, vcs=2, depth=4, speedup=speedup, stage_delay=stage_delay))
    reset(st, 0, -1)
    first = departure(st, 0, 1, 10)
    assert first == departure(st, 0, 1, 10) == 11 + stage_delay
    assert not buffered(st, 0, 1, 10)
    depart(st, 0, 1, 10)
    assert departure(st, 0, 1, 10) == first + (speedup if speedup > 1 else 0)
    assert link_clear(st, 0, 1, 10) == (speedup == 1)
    assert link_clear(st, 0, 1, 10 + speedup)
    assert buffered(st, 0, 1, 10) == any_buffered(st, 0, 10) == (speedup > 1)
    assert departure(st, 0, 2, 10) == first, "another output"
