"""Random stimulus for one switch with its table, in compiled blocks, with the outputs of the golden model.

The neighbours do everything that is legal, and so does the operator: packets of all lengths to known and unknown
destinations, malformed ones, stalls of all kinds on both sides, routes changed and caches flushed at any time, resets
under traffic. The mood (odds with which each neighbour sends and returns credits, locality of the traffic) changes from
time to time, so that full, empty and starved states are all reached.
"""

from __future__ import annotations

import numpy as np

from cocotb_tests.soak.driver import (
    ALWAYS,
    FLUSHES,
    LASTS,
    LONGEST,
    OPERATIONS,
    RARER,
    SMALL_CACHE,
    TAGS_IN_USE,
    WAKES,
    Driver,
    draw,
)
from cocotb_tests.soak.operation import operate
from models.batched.limits import can_batch
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.params import SwitchParams
from models.power_up import new_state
from models.readout import counted
from models.reset import reset
from models.state.registers import SwitchState
from models.top import (
    CREDIT,
    CREDIT_VC,
    DATA,
    DESTINATION,
    FIRST_OPEN,
    FLIT,
    FLIT_VC,
    FLUSHING,
    HANDLE,
    HOPS,
    PORT_INPUTS,
    PORT_OUTPUTS,
    RESET,
    TAIL,
    WAKE_HINT,
    control_inputs,
    control_outputs,
    top_step,
)

HANDLES = 1 << 30  # as many as a flit of the model has


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
    driver.scene[FLUSHES] = (4 << 3 * draw(driver, 3)) * driver.scene[RARER]
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
def _hint(driver: Driver, st: SwitchState, p: int, row: np.ndarray) -> None:
    """Choose the wake hint, if any, that the neighbour of port `p` sends: as often as flits, or seldom."""
    if draw(driver, ALWAYS) < driver.mood[p, 0] and draw(driver, 4) == 0:
        row[WAKE_HINT] = 1
        row[HOPS] = draw(driver, st.k.hints)
        row[DESTINATION] = driver.tags[draw(driver, driver.scene[TAGS_IN_USE])] & st.k.address_mask


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
            if k.hints and p < k.first_local:
                _hint(driver, st, p, ports[c, p])
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
        operate(driver, st, control[c])
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
    reset_odds : int or None
        Odds of a reset per cycle, in units of 2**-24; None: one in 4096 cycles, rarer with large caches.
    position : tuple of int
        Coordinates of the switch, with computed routes.
    batched : bool or None
        Whether the model runs in a batch of its own; None: if it can be batched.
    """

    def __init__(
        self,
        params: SwitchParams,
        seed: int,
        reset_odds: int | None = None,
        position: tuple[int, ...] = (),
        batched: bool | None = None,
    ) -> None:
        self.params = params
        self.cycle = 0
        rarer = max(1, params.cache.entries // SMALL_CACHE) if params.has_cache else 1
        self._reset_odds = (1 << 12) // rarer if reset_odds is None else reset_odds
        self._longest = 2 * params.depth + params.header_flits + 2
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
            scene=np.array([0, 0, 0, 0, 0, 0, rarer], np.int64),
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
    """Return tags for the traffic: dense ones, some that share a table entry, some far apart, single high bits."""
    if not params.programmed:
        return rng.integers(0, 1 << min(params.address_bits + 1, params.tag_width, 62), 256)
    dense = np.arange(min(params.programmed_entries, 4 * max(8, params.cache.entries)))
    bits = min(params.tag_width, 63)
    alias = (rng.integers(0, len(dense), 8) + params.programmed_entries) & ((1 << bits) - 1)
    far = rng.integers(0, 1 << bits, 8)
    high = [1 << bit for bit in range(params.programmed_entries.bit_length() - 1, bits)]
    tags = np.concatenate((dense, alias, far, high))
    return rng.permutation(tags).astype(np.int64)
