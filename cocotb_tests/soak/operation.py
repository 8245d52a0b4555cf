"""What an operator of the switch does at random: times and hints of links, routes, flushes, counters read."""

from __future__ import annotations

import numpy as np

from cocotb_tests.soak.driver import ALWAYS, FLUSHES, LONGEST, OPERATIONS, TAGS_IN_USE, WAKES, Driver, draw, draw_mask
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.params import NEVER_IDLE
from models.power.lpi import T_LT
from models.route.reservation import reserve_word
from models.state.registers import SwitchState
from models.top import (
    CHOICES,
    COUNTER,
    COUNTER_PORT,
    ENTRY,
    FIRST_AHEAD,
    FLUSH,
    FOUND,
    HINT,
    MASK,
    OUT,
    PROGRAM,
    TAG,
    TIME,
    TIME_CYCLES,
    TIME_NUMBER,
    VC_FIRST,
    VC_LAST,
)


@compiled
def _wake_links(driver: Driver, ports: int, row: np.ndarray) -> None:
    """Choose hints now and then, and times, mostly short, so that links go to sleep and wake often."""
    if driver.scene[WAKES]:
        row[HINT] = (1 << ports) - 1
    elif draw(driver, 16) == 0:
        row[HINT] = draw_mask(driver, ports) & draw_mask(driver, ports)
    if draw(driver, 1024) == 0:
        row[TIME] = 1
        row[TIME_NUMBER] = draw(driver, 4)
        never = row[TIME_NUMBER] == T_LT and draw(driver, 4) == 0
        row[TIME_CYCLES] = NEVER_IDLE if never else draw(driver, 2 << draw(driver, 6 if draw(driver, 16) else 13))


@compiled
def _switches_ahead(driver: Driver, st: SwitchState, row: np.ndarray) -> None:
    """Choose what the switches ahead show: outputs that are free, requests and answers of reservation."""
    k = st.k
    reserving = k.ports if k.reserves else 0
    for p in range(reserving):  # what an exchanger is answered, asked for or not; what a crossbar is asked
        heard = reserve_word(draw(driver, 4) != 0, draw(driver, k.vcs), draw(driver, k.ports))
        row[len(row) - reserving + p] = heard if draw(driver, 4) == 0 else 0
    for column in range(FIRST_AHEAD, len(row) - reserving):
        # Outputs ahead are mostly free, or mostly not.
        busy = draw(driver, 1 << 30)
        row[column] = ~busy if driver.scene[LONGEST] & 1 else ~(busy & draw(driver, 1 << 30) & draw(driver, 1 << 30))


@compiled
def _choose_entry(driver: Driver, st: SwitchState, row: np.ndarray) -> None:
    """Choose an entry and its mask: of all bits, of a prefix, or of any bits; what is not compared is random."""
    mask = -1
    kind = draw(driver, 4)
    if kind == 0:
        mask = -1 << draw(driver, 9)
    elif kind == 1:
        mask = ~(draw(driver, 1 << 30) & draw(driver, 1 << 30))
    row[MASK] = mask & st.k.tag_mask
    row[TAG] ^= draw(driver, 1 << 30) & ~mask & st.k.tag_mask
    row[ENTRY] = draw(driver, st.k.table_mask + 1)


@compiled
def _program_route(driver: Driver, st: SwitchState, row: np.ndarray, beginning: bool) -> None:
    """Write a route at random: at the beginning of the next tag, later of any."""
    k = st.k
    first = draw(driver, k.vcs)
    row[PROGRAM] = 1
    row[TAG] = driver.tags[draw(driver, driver.scene[TAGS_IN_USE] if draw(driver, 2) else len(driver.tags))]
    if beginning:
        row[TAG] = driver.tags[driver.programmed[0]]
        driver.programmed[0] += 1
    row[FOUND] = 1 if draw(driver, 16) else 0
    if k.ternary:
        _choose_entry(driver, st, row)
    row[OUT] = draw(driver, k.ports)
    row[CHOICES] = draw_mask(driver, k.ports) & draw_mask(driver, k.ports) if k.adaptive else 0
    row[VC_FIRST] = first
    row[VC_LAST] = first + draw(driver, k.vcs - first)
    if draw(driver, 32) == 0:
        row[VC_FIRST] = draw(driver, k.vcs)
        row[VC_LAST] = draw(driver, k.vcs)


@compiled
def operate(driver: Driver, st: SwitchState, row: np.ndarray) -> None:
    """Choose what the operator does in a cycle, and what switches ahead show; write it into a row of control inputs."""
    k = st.k
    row[COUNTER_PORT] = draw(driver, k.ports)
    row[COUNTER] = draw(driver, COUNTERS)
    if k.lpi:
        _wake_links(driver, k.ports, row)
    _switches_ahead(driver, st, row)
    if not (k.table or k.linear):
        return
    beginning = driver.programmed[0] < len(driver.tags)
    if not beginning:
        if draw(driver, ALWAYS) >= driver.scene[OPERATIONS]:
            return
        if k.cached and draw(driver, driver.scene[FLUSHES]) == 0:
            row[FLUSH] = 1
    if beginning or draw(driver, 4):
        _program_route(driver, st, row, beginning)
