import pytest

from models.errors import TsujiError
from synth.boards.pll import HIGHEST_VCO, LOWEST_VCO, Dividers, dividers, with_clock

PLACED = """\
.tile MIB_R95C3:PLL0_LL
enum: PLLC0.MODE EHXPLLL
word: CLKOP_DIV 0001011
word: CLKOS_DIV 0010111
.tile R2C3:PLC2
word: SLICEA.K0.INIT 0000000011111111
"""


@pytest.mark.parametrize("oscillator", [25.0, 50.0])
@pytest.mark.parametrize("met", [12.6, 25.0, 33.4, 47.31, 50.0, 66.9, 99.99])
def test_the_clock_is_hardly_below_what_was_met(oscillator, met):
    chosen = dividers(oscillator, met)
    vco = oscillator * chosen.feedback
    assert chosen.mhz == vco / chosen.output
    assert 0.93 * met < chosen.mhz <= met + 1e-9
    assert LOWEST_VCO <= vco <= HIGHEST_VCO


def test_a_clock_that_an_oscillator_makes_exactly_is_exact():
    assert dividers(25.0, 50.0) == Dividers(16, 8, 50.0)
    assert dividers(25.0, 37.5).mhz == 37.5


def test_a_clock_below_all_is_refused():
    with pytest.raises(TsujiError, match="2 MHz: no such clock can be made of an oscillator of 25 MHz"):
        dividers(25.0, 2.0)


def test_a_placed_design_gets_the_clock():
    text = with_clock(PLACED, Dividers(23, 12, 575 / 12))
    wanted = PLACED.replace("CLKOP_DIV 0001011", "CLKOP_DIV 0001011").replace("CLKOS_DIV 0010111", "CLKOS_DIV 0010110")
    assert text == wanted
    assert with_clock(text, Dividers(24, 12, 50.0)) == PLACED


@pytest.mark.parametrize("text", [".tile R2C3:PLC2\n", PLACED + PLACED])
def test_a_design_without_one_clock_generator_is_refused(text):
    with pytest.raises(TsujiError, match=r"placed design: [02] words CLKOP_DIV; a design with one clock generator has"):
        with_clock(text, Dividers(16, 8, 50.0))
