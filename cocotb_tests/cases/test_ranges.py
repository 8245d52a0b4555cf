import pytest

from cocotb_tests.cases.ranges import ENOUGH, PAGE, PROVED, Range, page, ranges
from synth.formal.registry import properties


def test_the_page_is_that_of_the_sets() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m cocotb_tests.cases.ranges writes it"


@pytest.mark.parametrize("each", ranges(), ids=lambda each: each.key)
def test_no_range_goes_far_beyond_what_is_compared(each: Range) -> None:
    least, greatest = each.compared
    assert each.least <= least <= greatest <= each.greatest
    assert each.key in PROVED or greatest >= ENOUGH * each.greatest


def test_what_is_said_to_be_proved_is_a_property() -> None:
    names = [item.name for item in properties()]
    for key, name in PROVED.items():
        assert any(each.startswith(name) for each in names), key


def test_keys_of_all_sections_are_there() -> None:
    keys = {each.key for each in ranges()}
    assert {"ports", "depth", "max_packet", "radix", "cache.ways", "cam.latency", "lpi.refresh", "lpi.hints"} <= keys
    assert {"prediction.order", "adaptive.escape_vcs", "output_buffer", "node_ports"} <= keys
