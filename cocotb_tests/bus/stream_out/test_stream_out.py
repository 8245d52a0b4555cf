from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.bus.stream_out import StreamOut
from models.params import SwitchParams

CUT_THROUGH = {"buffering": "dynamic", "depth": 8, "max_packet": 6}
# Widths of words, and what else the switch has.
CASES: dict[str, dict[str, Any]] = {
    f"{width} bits": {"data_width": width, "vcs": vcs, "depth": depth}
    for width, vcs, depth in ((8, 2, 3), (16, 1, 4), (24, 3, 5), (64, 2, 4), (128, 16, 2), (256, 4, 8), (512, 2, 4))
}
WHOLE: dict[str, dict[str, Any]] = {
    "8 bits, tag of 20": {"data_width": 8, "tag_width": 20, "vcs": 3, **CUT_THROUGH},
    "16 bits, one VC": {"data_width": 16, "vcs": 1, "buffering": "static", "depth": 2, "max_packet": 2},
    "64 bits": {"data_width": 64, "vcs": 4, **CUT_THROUGH},
    "512 bits": {"data_width": 512, "vcs": 2, "buffering": "static", "depth": 9, "max_packet": 9},
}


def run(case: str, settings: dict[str, Any], whole: bool) -> None:
    design = StreamOut(SwitchParams.model_validate(settings), whole=whole)
    parameters = {**settings, "whole": whole}
    run_bench(design, "cocotb_tests.bus.stream_out.bench", case, parameters, cycles=2000, by_name=True)


@pytest.mark.parametrize("case", tiered(CASES, ["8 bits", "64 bits"]))
def test_alternating(case: str) -> None:
    run(case, CASES[case], whole=False)


@pytest.mark.parametrize("case", tiered(WHOLE, ["8 bits, tag of 20"]))
def test_whole(case: str) -> None:
    run(f"whole, {case}", WHOLE[case], whole=True)


def test_whole_packets_without_a_longest_are_refused() -> None:
    with pytest.raises(ValueError, match=r'switch.buffering = "wormhole" has no longest one; use "static"'):
        StreamOut(SwitchParams(), whole=True)
