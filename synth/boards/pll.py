"""Clock generator of an ECP5 (EHXPLLL): its dividers for a clock, in an instance and in a placed design.

The second output is the feedback, divided so that it has the frequency of the board's oscillator; the generator's own
oscillator (VCO) then runs at a multiple of that, and the first output, the clock, at any fraction of the VCO. Limits:
Lattice FPGA-DS-02012, "sysCLOCK PLL timing".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from amaranth.hdl import Instance, Signal, Value

from models.errors import TsujiError

LOWEST_VCO, HIGHEST_VCO = 400.0, 800.0
MOST_DIVIDED = 128


@dataclass(frozen=True)
class Dividers:
    """Dividers of a clock generator.

    Attributes
    ----------
    feedback, output : int
        Of the VCO: for the feedback, and for the clock.
    mhz : float
        The clock.
    """

    feedback: int
    output: int
    mhz: float


def dividers(oscillator_mhz: float, most_mhz: float) -> Dividers:
    """Return the dividers of the highest clock that does not exceed `most_mhz`.

    Raises
    ------
    TsujiError
        If there is none.
    """
    found = []
    for feedback in range(1, MOST_DIVIDED + 1):
        vco = oscillator_mhz * feedback
        output = -int(-vco // (most_mhz * (1 + 1e-12)))
        if LOWEST_VCO <= vco <= HIGHEST_VCO and output <= MOST_DIVIDED:
            found.append(Dividers(feedback, output, vco / output))
    if not found:
        raise TsujiError(f"{most_mhz:g} MHz: no such clock can be made of an oscillator of {oscillator_mhz:g} MHz")
    return max(found, key=lambda each: (each.mhz, -each.feedback))


def instance(chosen: Dividers, oscillator_mhz: float, oscillator: Value, clock: Signal, locked: Signal) -> Instance:
    """Return the instance that makes `clock` of `oscillator`."""
    off = dict.fromkeys(("p_PLLRST_ENA", "p_INTFB_WAKE", "p_STDBY_ENABLE", "p_DPHASE_SOURCE"), "DISABLED")
    zero = dict.fromkeys(("i_RST", "i_STDBY", "i_PHASESEL0", "i_PHASESEL1", "i_PLLWAKESYNC"), 0)
    one = dict.fromkeys(("i_PHASEDIR", "i_PHASESTEP", "i_PHASELOADREG"), 1)
    feedback = Signal()
    return Instance(
        "EHXPLLL",
        a_FREQUENCY_PIN_CLKI=f"{oscillator_mhz:g}",
        a_FREQUENCY_PIN_CLKOP=f"{chosen.mhz:g}",
        a_FREQUENCY_PIN_CLKOS=f"{oscillator_mhz:g}",
        a_ICP_CURRENT="12",
        a_LPF_RESISTOR="8",
        a_MFG_ENABLE_FILTEROPAMP="1",
        a_MFG_GMCREF_SEL="2",
        p_CLKI_DIV=1,
        p_CLKFB_DIV=1,
        p_CLKOP_DIV=chosen.output,
        p_CLKOS_DIV=chosen.feedback,
        p_CLKOP_ENABLE="ENABLED",
        p_CLKOS_ENABLE="ENABLED",
        p_FEEDBK_PATH="CLKOS",
        **{f"p_{name}_{phase}": 0 for name in ("CLKOP", "CLKOS") for phase in ("CPHASE", "FPHASE")},
        **{f"p_OUTDIVIDER_MUX{letter}": f"DIV{letter}" for letter in "ABCD"},
        **off,
        **zero,
        **one,
        i_CLKI=oscillator,
        i_CLKFB=feedback,
        o_CLKOP=clock,
        o_CLKOS=feedback,
        o_LOCK=locked,
    )


def with_clock(config: str, chosen: Dividers) -> str:
    """Return a placed design, in the text form of Project Trellis, with the dividers of its clock generator changed.

    Placement and routes do not depend on them, so a design can get the clock that it met.

    Raises
    ------
    TsujiError
        If the text does not have one clock generator.
    """
    for name, value in (("CLKOP_DIV", chosen.output), ("CLKOS_DIV", chosen.feedback)):
        word = re.compile(rf"^word: {name} [01]+$", re.MULTILINE)
        config, count = word.subn(f"word: {name} {value - 1:07b}", config)
        if count != 1:
            raise TsujiError(f"placed design: {count} words {name}; a design with one clock generator has one")
    return config
