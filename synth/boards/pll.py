"""Clock generator of an ECP5 (EHXPLLL): its dividers for a clock, in an instance and in a placed design.

Limits: Lattice FPGA-DS-02012, section 3.20. The output is the feedback: f = oscillator · feedback / reference, and the
oscillator inside runs at f · output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from amaranth.hdl import Instance, Signal, Value

from models.errors import TsujiError

LOWEST_VCO, BEST_VCO, HIGHEST_VCO = 400.0, 600.0, 800.0
LOWEST_PHASE_DETECTOR = 10.0
MOST_DIVIDED = 128


@dataclass(frozen=True)
class Dividers:
    """Dividers of a clock generator.

    Attributes
    ----------
    reference, feedback, output : int
        Of the oscillator, of the feedback, and of the generator's own oscillator.
    mhz : float
        The clock.
    """

    reference: int
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
    for reference in range(1, int(oscillator_mhz / LOWEST_PHASE_DETECTOR) + 1):
        feedback = min(MOST_DIVIDED, int(most_mhz * reference / oscillator_mhz + 1e-9))
        mhz = oscillator_mhz * feedback / reference
        output = min(MOST_DIVIDED, round(BEST_VCO / mhz)) if feedback else 0
        if LOWEST_VCO <= mhz * output <= HIGHEST_VCO:
            found.append(Dividers(reference, feedback, output, mhz))
    if not found:
        raise TsujiError(f"{most_mhz:g} MHz: no such clock can be made of an oscillator of {oscillator_mhz:g} MHz")
    return max(found, key=lambda each: (each.mhz, -each.reference))


def instance(chosen: Dividers, oscillator_mhz: float, oscillator: Value, clock: Signal, locked: Signal) -> Instance:
    """Return the instance that makes `clock` of `oscillator`."""
    off = dict.fromkeys(("p_PLLRST_ENA", "p_INTFB_WAKE", "p_STDBY_ENABLE", "p_DPHASE_SOURCE"), "DISABLED")
    zero = dict.fromkeys(("i_RST", "i_STDBY", "i_PHASESEL0", "i_PHASESEL1", "i_PLLWAKESYNC", "i_ENCLKOP"), 0)
    one = dict.fromkeys(("i_PHASEDIR", "i_PHASESTEP", "i_PHASELOADREG"), 1)
    return Instance(
        "EHXPLLL",
        a_FREQUENCY_PIN_CLKI=f"{oscillator_mhz:g}",
        a_FREQUENCY_PIN_CLKOP=f"{chosen.mhz:g}",
        a_ICP_CURRENT="12",
        a_LPF_RESISTOR="8",
        a_MFG_ENABLE_FILTEROPAMP="1",
        a_MFG_GMCREF_SEL="2",
        p_CLKI_DIV=chosen.reference,
        p_CLKFB_DIV=chosen.feedback,
        p_CLKOP_DIV=chosen.output,
        p_CLKOP_CPHASE=_phase(chosen),
        p_CLKOP_FPHASE=0,
        p_CLKOP_ENABLE="ENABLED",
        p_FEEDBK_PATH="CLKOP",
        **{f"p_OUTDIVIDER_MUX{letter}": f"DIV{letter}" for letter in "ABCD"},
        **off,
        **zero,
        **one,
        i_CLKI=oscillator,
        i_CLKFB=clock,
        o_CLKOP=clock,
        o_LOCK=locked,
    )


def _phase(chosen: Dividers) -> int:
    """Return the phase at which the output's edges are those of the feedback."""
    return chosen.output // 2


def with_clock(config: str, chosen: Dividers) -> str:
    """Return a placed design, in the text form of Project Trellis, with the dividers of its clock generator changed.

    Placement and routes do not depend on them, so a design can get the clock that it met.

    Raises
    ------
    TsujiError
        If the text has no clock generator.
    """
    words = {
        "CLKI_DIV": chosen.reference - 1,
        "CLKFB_DIV": chosen.feedback - 1,
        "CLKOP_DIV": chosen.output - 1,
        "CLKOP_CPHASE": _phase(chosen),
    }
    # A word of zeros is left out of the text, but the output's divider is never 1.
    if len(re.findall(r"^word: CLKOP_DIV ", config, re.MULTILINE)) != 1:
        raise TsujiError("placed design: must have one clock generator, with one word CLKOP_DIV")
    others = re.compile(rf"^word: (?:{'|'.join(name for name in words if name != 'CLKOP_DIV')}) [01]+\n", re.MULTILINE)
    lines = "\n".join(f"word: {name} {value:07b}" for name, value in words.items())
    return re.sub(r"^word: CLKOP_DIV [01]+$", lines, others.sub("", config), flags=re.MULTILINE)
