"""Random stimulus for one switch with its table, in compiled blocks, with the outputs of the golden model.

The neighbours do everything that is legal, and so does the operator: packets of all lengths to known and unknown
destinations, malformed ones, stalls of all kinds on both sides, routes changed and caches flushed at any time, resets
under traffic. The mood (odds with which each neighbour sends and returns credits, locality of the traffic) changes from
time to time, so that full, empty and starved states are all reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.batched.vc_sets import can_batch
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.jit.struct_pointer import struct_pointer
from models.params import NEVER_IDLE, SwitchParams
from models.power.lpi import T_LT
from models.power_up import new_state
from models.readout import counted
from models.reset import reset
from models.route.reservation import reserve_word
from models.state.registers import SwitchState
from models.top import (
    CHOICES,
    COUNTER,
    COUNTER_PORT,
    CREDIT,
    CREDIT_VC,
    DATA,
    FIRST_AHEAD,
    FIRST_OPEN,
    FLIT,
    FLIT_VC,
    FLUSH,
    FLUSHING,
    FOUND,
    HANDLE,
    HINT,
    OUT,
    PORT_INPUTS,
    PORT_OUTPUTS,
    PROGRAM,
    RESET,
    TAG,
    TAIL,
    TIME,
    TIME_CYCLES,
    TIME_NUMBER,
    VC_FIRST,
    VC_LAST,
    control_inputs,
    control_outputs,
    top_step,
)

HANDLES = 1 << 30  # number of handles that a flit of the model can hold
ALWAYS = 1 << 16  # odds are in units of 1 / ALWAYS


# Columns of a scene: remaining cycles, number of tags in use, longest packet, odds of operations, one in how many
# operations is a flush, whether wake-up hints go to all links at once.
LASTS, TAGS_IN_USE, LONGEST, OPERATIONS, FLUSHES, WAKES = range(6)


@struct_pointer
class Driver(NamedTuple):
    """State of the switch's neighbours and operator. Shapes: P ports, V VCs."""

    random: np.ndarray  # uint64 [1]: xorshift state
    credits: np.ndarray  # int64 [P, V]: credits for flits to the switch
    left: np.ndarray  # int64 [P, V]: flits left of the packet being sent; 0 between packets
    sent: np.ndarray  # int64 [P, V]: flits sent of that packet
    target: np.ndarray  # int64 [P, V]: tag of that packet
    last: np.ndarray  # int64 [P]: tag of the packet that was begun last
    owed: np.ndarray  # int64 [P, V]: flits from the switch whose credit is not returned yet
    mood: np.ndarray  # int64 [P, 2]: odds per cycle of sending, of returning a credit
    scene: np.ndarray  # int64 [6]: columns LASTS and following
    tags: np.ndarray  # int64 [T]: destination tags that may occur
    handle: np.ndarray  # int64 [1]: handle given last
    programmed: np.ndarray  # int64 [1]: number of tags already programmed in the initial pass
    counted: np.ndarray  # int64 [COUNTERS]: counts that resets have cleared, all ports together


@compiled
def draw(driver: Driver, below: int) -> int:
    """Return a random number from 0 to below − 1."""
    x = driver.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    driver.random[0] = x
    return int(x >> np.uint64(33)) % below


@compiled
def _set_mood(driver: Driver, ports: int, longest: int, calm: bool) -> None:
    driver.scene[LASTS] = 50 + draw(driver, 1000)
    if driver.scene[TAGS_IN_USE] == 0 or draw(driver, 8) == 0:
        used = draw(driver, 4)
        few = 1 + draw(driver, min(len(driver.tags), 1 << (2 * used))) if used else 0
        driver.scene[TAGS_IN_USE] = few if used else len(driver.tags)
    driver.scene[LONGEST] = 1 + draw(driver, longest)
    driver.scene[OPERATIONS] = 0 if draw(driver, 3) else ALWAYS // (8 << draw(driver, 6))
    # Caches that are flushed often do not fill.
    driver.scene[FLUSHES] = 4 << 3 * draw(driver, 3)
    driver.scene[WAKES] = 0
    alike = draw(driver, 2)
    for p in range(ports):
        for side in range(2):
            if p and alike:
                driver.mood[p, side] = driver.mood[0, side]
                continue
            kind = draw(driver, 8)
            if kind == 0:
                driver.mood[p, side] = draw(driver, 2) * (ALWAYS // 64)
            elif kind < 3:
                driver.mood[p, side] = 1 + draw(driver, ALWAYS)
            else:
                driver.mood[p, side] = ALWAYS if kind < 7 else ALWAYS // 4
    if calm and draw(driver, 2):
        driver.scene[TAGS_IN_USE] = len(driver.tags) if draw(driver, 2) else 1 + draw(driver, 8)
        driver.scene[LONGEST] = 1 + draw(driver, min(4, longest)) if draw(driver, 2) else driver.scene[LONGEST]
        driver.scene[WAKES] = draw(driver, 2)
        for p in range(ports):
            driver.mood[p, 0] = ALWAYS >> draw(driver, 6) if draw(driver, 2) else 0
            driver.mood[p, 1] = ALWAYS


@compiled
def _counted(st: SwitchState, number: int) -> int:
    """Return the count of all ports since reset."""
    events = 0
    for p in range(st.k.ports):
        events += counted(st, 0, p, number)
    return events


@compiled
def _restart(driver: Driver, st: SwitchState) -> None:
    for number in range(COUNTERS):
        driver.counted[number] += _counted(st, number)
    driver.credits[:] = st.k.depth
    driver.left[:] = 0
    driver.owed[:] = 0


@compiled
def _send(driver: Driver, st: SwitchState, p: int, row: np.ndarray) -> None:
    """Choose the flit, if any, that the neighbour of port `p` sends."""
    k = st.k
    if draw(driver, ALWAYS) >= driver.mood[p, 0]:
        return
    start = draw(driver, k.vcs)
    for n in range(k.vcs):
        v = (start + n) % k.vcs
        if driver.credits[p, v] == 0:
            continue
        if driver.left[p, v] == 0:
            size = 1 + draw(driver, driver.scene[LONGEST])
            if size < k.header_flits and draw(driver, 8):
                size = k.header_flits
            driver.left[p, v] = size
            driver.sent[p, v] = 0
            # Predictions are right while the tags of packets repeat.
            if not k.predict or draw(driver, 4) == 0:
                driver.last[p] = driver.tags[draw(driver, driver.scene[TAGS_IN_USE])]
            driver.target[p, v] = driver.last[p]
        data = np.int64(draw(driver, 1 << 31)) << 33 ^ np.int64(draw(driver, 1 << 31)) << 11 ^ draw(driver, 1 << 31)
        j = driver.sent[p, v]
        if j < k.header_flits:
            if k.header_flits == 1:
                data = (data & ~k.tag_mask) | (driver.target[p, v] & k.tag_mask)
            else:
                rest = k.tag_mask >> (j * k.data_width) & ((1 << k.data_width) - 1)
                data = (data & ~rest) | (driver.target[p, v] >> (j * k.data_width) & rest)
        driver.handle[0] = (driver.handle[0] + 1) % HANDLES
        driver.credits[p, v] -= 1
        driver.left[p, v] -= 1
        driver.sent[p, v] += 1
        row[FLIT] = 1
        row[FLIT_VC] = v
        row[TAIL] = 1 if driver.left[p, v] == 0 else 0
        row[HANDLE] = driver.handle[0]
        row[DATA] = data
        return


@compiled
def _operate(driver: Driver, st: SwitchState, row: np.ndarray) -> None:
    """Choose the operator's action: reprogram, flush, read a counter."""
    k = st.k
    row[COUNTER_PORT] = draw(driver, k.ports)
    row[COUNTER] = draw(driver, COUNTERS)
    if k.lpi:
        # Occasional hints and short times, so that links go to sleep and wake up often.
        if driver.scene[WAKES]:
            row[HINT] = (1 << k.ports) - 1
        elif draw(driver, 16) == 0:
            row[HINT] = draw(driver, 1 << k.ports) & draw(driver, 1 << k.ports)
        if draw(driver, 1024) == 0:
            row[TIME] = 1
            row[TIME_NUMBER] = draw(driver, 4)
            never = row[TIME_NUMBER] == T_LT and draw(driver, 4) == 0
            row[TIME_CYCLES] = NEVER_IDLE if never else draw(driver, 2 << draw(driver, 6))
    reserving = k.ports if k.reserves else 0
    for p in range(reserving):  # answers to an exchanger, requested or not; requests to a crossbar
        heard = reserve_word(draw(driver, 4) != 0, draw(driver, k.vcs), draw(driver, k.ports))
        row[len(row) - reserving + p] = heard if draw(driver, 4) == 0 else 0
    for column in range(FIRST_AHEAD, len(row) - reserving):
        # Outputs ahead are mostly free, or mostly not.
        busy = draw(driver, 1 << 30)
        row[column] = ~busy if driver.scene[LONGEST] & 1 else ~(busy & draw(driver, 1 << 30) & draw(driver, 1 << 30))
    if not (k.table or k.linear):
        return
    beginning = driver.programmed[0] < len(driver.tags)
    if not beginning:
        if draw(driver, ALWAYS) >= driver.scene[OPERATIONS]:
            return
        if k.cached and draw(driver, driver.scene[FLUSHES]) == 0:
            row[FLUSH] = 1
    if beginning or draw(driver, 4):
        first = draw(driver, k.vcs)
        row[PROGRAM] = 1
        row[TAG] = driver.tags[draw(driver, driver.scene[TAGS_IN_USE] if draw(driver, 2) else len(driver.tags))]
        if beginning:
            row[TAG] = driver.tags[driver.programmed[0]]
            driver.programmed[0] += 1
        row[FOUND] = 1 if draw(driver, 16) else 0
        row[OUT] = draw(driver, k.ports)
        row[CHOICES] = draw(driver, 1 << k.ports) & draw(driver, 1 << k.ports) if k.adaptive and k.ports < 31 else 0
        row[VC_FIRST] = first
        row[VC_LAST] = first + draw(driver, k.vcs - first)
        if draw(driver, 32) == 0:
            row[VC_FIRST] = draw(driver, k.vcs)
            row[VC_LAST] = draw(driver, k.vcs)


@compiled
def generate(
    driver: Driver,
    st: SwitchState,
    first: int,
    reset_odds: int,
    longest: int,
    ports: np.ndarray,
    control: np.ndarray,
    sent: np.ndarray,
    status: np.ndarray,
) -> None:
    """Fill a block of inputs, and the outputs of the model for them.

    Row 0 of `sent` and `status` holds the outputs of cycle `first` on entry.

    Parameters
    ----------
    driver : Driver
        State of the neighbours.
    st : SwitchState
        State of the model; switch 0 is used.
    first : int
        Cycle of row 0.
    reset_odds : int
        Odds of a reset per cycle, in units of 2**-24.
    longest : int
        Longest packet, flits.
    ports, control : numpy.ndarray
        Inputs [cycles, …], written.
    sent, status : numpy.ndarray
        Outputs [cycles + 1, …], written from row 1.
    """
    k = st.k
    ports[:] = 0
    control[:] = 0
    for c in range(len(ports)):
        if driver.scene[LASTS] == 0:
            # A bypass needs idle ports, and neighbours that return credits quickly.
            _set_mood(driver, k.ports, longest, k.predict)
        driver.scene[LASTS] -= 1
        for p in range(k.ports):
            _send(driver, st, p, ports[c, p])
            if sent[c, p, FLIT]:
                driver.owed[p, sent[c, p, FLIT_VC]] += 1
            if draw(driver, ALWAYS) < driver.mood[p, 1]:
                v = draw(driver, k.vcs)
                for _ in range(k.vcs):
                    if driver.owed[p, v]:
                        driver.owed[p, v] -= 1
                        ports[c, p, CREDIT] = 1
                        ports[c, p, CREDIT_VC] = v
                        break
                    v = v + 1 if v + 1 < k.vcs else 0
            if sent[c, p, CREDIT]:
                driver.credits[p, sent[c, p, CREDIT_VC]] += 1
        _operate(driver, st, control[c])
        if draw(driver, 1 << 24) < reset_odds:
            control[c, RESET] = 1
            _restart(driver, st)
        top_step(st, 0, first + c, ports[c], control[c], sent[c + 1], status[c + 1])


class Stimulus:
    """A reproducible endless run: blocks of inputs with the outputs of the model.

    Parameters
    ----------
    params : SwitchParams
        The switch.
    seed : int
        The same seed gives the same run, for any block length.
    reset_odds : int
        Odds of a reset per cycle, in units of 2**-24.
    position : tuple of int
        Coordinates of the switch, with computed routes.
    batched : bool or None
        Whether the model runs in a batch of its own; None: if it can be batched.
    """

    def __init__(
        self,
        params: SwitchParams,
        seed: int,
        reset_odds: int = 1 << 12,
        position: tuple[int, ...] = (),
        batched: bool | None = None,
    ) -> None:
        self.params = params
        self.cycle = 0
        self._reset_odds = reset_odds
        self._longest = min(64, 2 * params.depth + params.header_flits + 2)
        self.state = new_state(params, batched=can_batch(params) if batched is None else batched)
        if position:
            self.state.position[0] = position
        reset(self.state, 0, -1)
        rng = np.random.default_rng(seed)
        shape = params.ports, params.vcs
        self._driver = Driver(
            random=rng.integers(1, 1 << 63, 1, np.uint64),
            credits=np.full(shape, params.depth, np.int64),
            left=np.zeros(shape, np.int64),
            sent=np.zeros(shape, np.int64),
            target=np.zeros(shape, np.int64),
            last=np.zeros(params.ports, np.int64),
            owed=np.zeros(shape, np.int64),
            mood=np.zeros((params.ports, 2), np.int64),
            scene=np.zeros(6, np.int64),
            tags=_tags(params, rng),
            handle=np.zeros(1, np.int64),
            programmed=np.zeros(1, np.int64),
            counted=np.zeros(COUNTERS, np.int64),
        )
        self._sent = np.zeros((1, params.ports, PORT_OUTPUTS), np.int64)
        self._status = np.zeros((1, control_outputs(params)), np.int64)
        self._status[0, FLUSHING] = params.has_cache
        self._status[0, FIRST_OPEN : FIRST_OPEN + params.vcs] = (1 << params.ports) - 1

    @property
    def counts(self) -> np.ndarray:
        """Events since power-up, all ports together, as counted by the model: int64 [COUNTERS]."""
        return self._driver.counted + [_counted(self.state, number) for number in range(COUNTERS)]

    def block(self, cycles: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return (ports, control, sent, status) of the next `cycles` cycles: inputs, and outputs of the same cycles.

        Shapes [cycles, P, PORT_INPUTS], [cycles, control_inputs], [cycles, P, PORT_OUTPUTS], [cycles, control_outputs].
        """
        p = self.params.ports
        ports = np.zeros((cycles, p, PORT_INPUTS), np.int64)
        control = np.zeros((cycles, control_inputs(self.params)), np.int64)
        sent = np.zeros((cycles + 1, p, PORT_OUTPUTS), np.int64)
        status = np.zeros((cycles + 1, control_outputs(self.params)), np.int64)
        sent[0], status[0] = self._sent[0], self._status[0]
        generate(
            self._driver,
            self.state,
            self.cycle,
            self._reset_odds,
            self._longest,
            ports,
            control,
            sent,
            status,
        )
        self.cycle += cycles
        self._sent, self._status = sent[-1:].copy(), status[-1:].copy()
        return ports, control, sent[:-1], status[:-1]


def _tags(params: SwitchParams, rng: np.random.Generator) -> np.ndarray:
    """Return tags for the traffic: dense ones, some that share a table entry, some far apart."""
    if not params.programmed:
        return rng.integers(0, 1 << min(params.address_bits + 1, params.tag_width, 62), 256)
    dense = np.arange(min(params.programmed_entries, 4 * max(8, params.cache.entries)))
    limit = 1 << min(params.tag_width, 62)
    alias = (rng.integers(0, len(dense), 8) + params.programmed_entries) % limit
    far = rng.integers(0, limit, 8)
    tags = np.concatenate((dense, alias, far))
    return rng.permutation(tags).astype(np.int64)
