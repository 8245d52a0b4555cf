import re

import pytest

from models.errors import TsujiError
from synth.boards.pll import HIGHEST_VCO, LOWEST_VCO, Dividers, dividers, with_clock

PLACED = """\
.tile MIB_R95C3:PLL0_LL
enum: PLLC0.MODE EHXPLLL
word: CLKFB_DIV 0000001
word: CLKOP_DIV 0001011
word: CLKOP_CPHASE 0000101
.tile R2C3:PLC2
word: SLICEA.K0.INIT 0000000011111111
"""


@pytest.mark.parametrize("oscillator", [25.0, 50.0])
@pytest.mark.parametrize("met", [12.6, 25.0, 33.4, 47.31, 50.0, 66.9, 99.99])
def test_the_clock_is_the_highest_that_was_met(oscillator, met):
    chosen = dividers(oscillator, met)
    assert chosen.mhz == pytest.approx(oscillator * chosen.feedback / chosen.reference)
    assert met - oscillator / 2 < chosen.mhz <= met + 1e-9
    assert LOWEST_VCO <= chosen.mhz * chosen.output <= HIGHEST_VCO
    assert oscillator / chosen.reference >= 10


def test_a_clock_that_an_oscillator_makes_exactly_is_exact():
    assert dividers(25.0, 50.0) == Dividers(1, 2, 12, 50.0)
    assert dividers(25.0, 37.5).mhz == 37.5


def test_a_clock_below_all_is_refused():
    with pytest.raises(TsujiError, match="2 MHz: no such clock can be made of an oscillator of 25 MHz"):
        dividers(25.0, 2.0)


@pytest.mark.parametrize("chosen", [Dividers(2, 3, 21, 37.5), Dividers(1, 1, 32, 25.0)])
def test_a_placed_design_gets_the_clock(chosen):
    text = with_clock(PLACED, chosen)
    words = dict(re.findall(r"^word: (CLK\w+) ([01]{7})$", text, re.MULTILINE))
    assert int(words["CLKI_DIV"], 2) + 1 == chosen.reference
    assert int(words["CLKFB_DIV"], 2) + 1 == chosen.feedback
    assert int(words["CLKOP_DIV"], 2) + 1 == chosen.output
    assert with_clock(text, Dividers(1, 2, 12, 50.0)).count("word: CLKFB_DIV") == 1
    assert text.startswith(PLACED[:50])
    assert text.endswith(PLACED[-50:])


def test_a_design_without_clock_generator_is_refused():
    with pytest.raises(TsujiError, match="must have one clock generator"):
        with_clock(".tile R2C3:PLC2\n", Dividers(1, 2, 12, 50.0))
