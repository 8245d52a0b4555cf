from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.bus.stream_in import StreamIn
from models.params import SwitchParams

CUT_THROUGH = {"buffering": "dynamic", "depth": 8, "max_packet": 6}
# Widths of words, and what else the switch has.
CASES: dict[str, dict[str, Any]] = {
    f"{width} bits": {"data_width": width, "vcs": vcs, "depth": depth}
    for width, vcs, depth in ((8, 2, 3), (16, 1, 4), (24, 3, 5), (64, 2, 4), (128, 16, 2), (256, 4, 8), (512, 2, 4))
}
CASES |= {
    "8 bits, tag of 20, packets of 6": {"data_width": 8, "tag_width": 20, "vcs": 3, **CUT_THROUGH},
    "16 bits, packets of 2": {"data_width": 16, "vcs": 2, "buffering": "static", "depth": 2, "max_packet": 2},
    "64 bits, packets of 6": {"data_width": 64, "vcs": 2, **CUT_THROUGH},
    "512 bits, tag of 64, packets of 6": {"data_width": 512, "tag_width": 64, "vcs": 2, **CUT_THROUGH},
    "one flit": {"data_width": 32, "vcs": 4, "depth": 1},
}
USUAL = ["8 bits, tag of 20, packets of 6", "64 bits", "512 bits, tag of 64, packets of 6"]


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_packets(case: str) -> None:
    design = StreamIn(SwitchParams.model_validate(CASES[case]))
    run_bench(design, "cocotb_tests.bus.stream_in.bench", case, CASES[case], cycles=2000, by_name=True)


def test_widths_that_are_no_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"switch.data_width = 20: must be a multiple of 8"):
        StreamIn(SwitchParams(data_width=20))


def test_packets_without_room_for_a_word_are_refused() -> None:
    params = SwitchParams(data_width=8, buffering="static", max_packet=2)
    with pytest.raises(ValueError, match=r"switch.max_packet = 2: must be at least 3, as the header takes 2"):
        StreamIn(params)
