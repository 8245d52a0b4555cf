"""Low-power idle of an output link (IEEE 802.3az; Abe et al.: paper B, section 2; microarchitecture.md, section 10).

A controller is advanced over any number of cycles at once, as long as the demand for its link does not change, so a
switch that is not visited costs nothing.
"""

from __future__ import annotations

import numpy as np

from models.counters import LINK_ACT, LINK_WAKES, count
from models.jit.bits import each_member
from models.jit.compiled import compiled, compiled_noinline
from models.params.parts import NEVER_IDLE
from models.state.declare import PORT, SWITCH, Field, Registers, Sizes, fields, placed
from models.state.placement import Area
from models.state.registers import DETERMINISTIC, NEVER, Records, SwitchState
from models.state.route_word import route_drop, route_out
from models.state.vc_set import any_within, numbered, port_of_number, vc_of_number
from models.transfer.output_buffer import buffered
from models.transfer.output_queue import queue_waited

ACT, SLEEP, LPI, REFRESH, WAKE = 0, 1, 2, 3, 4
TIMES = 3
T_LT, T_LS, T_LW = range(TIMES)


LINK = np.dtype(
    [
        ("phase", np.int8),
        ("pending", np.int8),
        ("by_hint", np.int8),  # for observers, as all below: no flit has wanted it since a hint began its wake
        ("timer", np.int32),
        ("since", np.int64),  # cycle at whose beginning the fields hold
        ("delayed", np.int64),  # cycles so far in which a flit wanted it and it was not active
        ("hint_wakes", np.int64),  # wakes that began while no flit wanted it
        ("hint_wakes_used", np.int64),  # of these, those after which a flit wanted it before it went to sleep
    ],
    align=True,
)


@compiled_noinline
def lpi_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Have the links of a switch be active from the cycle after `cycle`."""
    for o in range(st.k.ports if st.k.lpi else 0):
        st.link_power[s, o].since = cycle + 1


def _has_lpi(n: Sizes) -> bool:
    return n.params.lpi is not None


def _times(n: Sizes) -> np.ndarray:
    lpi = n.params.lpi
    assert lpi
    return np.array((lpi.idle, lpi.sleep, lpi.wake))


class LpiRegisters(Registers):
    """Controllers of output links."""

    link_power: Records = placed(Area.REST, LINK, PORT, built=_has_lpi, fill={"timer": lambda n: _times(n)[T_LT]})
    lpi_time: np.ndarray = placed(Area.REST, np.int64, SWITCH, lambda n: (TIMES,), _has_lpi, _times)  # T_lt, T_ls, T_lw
    in_switch = fields(
        Field("wanted", np.int64),  # outputs that buffered flits wanted in the last cycle allocated
        Field("hinted", np.int64),  # outputs that hints want in the cycle allocated next
        # outputs whose link is in ACT, of those that are or were wanted
        Field("awake", np.int64, fill=lambda n: (1 << n.ports) - 1),
    )
    reset = lpi_reset


@compiled
def _lasts(st: SwitchState, s: int, o: int, wanted: bool) -> int:
    """Return for how many cycles the link keeps its phase while `wanted` does not change; NEVER if for ever."""
    link = st.link_power[s, o]
    if link.phase == ACT:
        if wanted or link.timer == NEVER_IDLE:
            return NEVER
    elif link.phase in (LPI, REFRESH):
        if wanted:
            return 1
        if link.phase == LPI and st.k.refresh_interval == 0:
            return NEVER
    return max(1, int(link.timer))


@compiled
def begin_sleep(st: SwitchState, s: int, o: int) -> None:
    """Put an active link to sleep, for T_ls cycles, after T_lt cycles without a want."""
    link = st.link_power[s, o]
    link.phase = SLEEP
    link.timer = st.lpi_time[s, T_LS]


@compiled
def _note_wake(st: SwitchState, s: int, o: int, flit: bool) -> None:
    """Record that a wake begins, and whether a flit wants the link."""
    link = st.link_power[s, o]
    link.by_hint = 0 if flit else 1
    link.hint_wakes += link.by_hint


@compiled
def _note_use(st: SwitchState, s: int, o: int, flit: bool) -> None:
    """Record whether a flit wants the link, perhaps for the first time since a hint woke it."""
    link = st.link_power[s, o]
    if link.by_hint and flit and (link.phase == WAKE or link.phase == ACT):
        link.by_hint = 0
        link.hint_wakes_used += 1


@compiled
def _leave(st: SwitchState, s: int, o: int, wanted: bool, flit: bool) -> None:
    """Enter the next phase; the link was wanted, by a flit or only by a hint."""
    link = st.link_power[s, o]
    if link.phase == ACT:
        begin_sleep(st, s, o)
    elif link.phase == WAKE:
        link.phase = ACT
        link.timer = st.lpi_time[s, T_LT]
    elif wanted or link.pending:
        link.phase = WAKE
        link.timer = st.lpi_time[s, T_LW]
        link.pending = 0
        count(st, s, o, LINK_WAKES, 1)
        if st.k.hints:
            _note_wake(st, s, o, flit)
    elif link.phase == LPI:
        link.phase = REFRESH
        link.timer = st.k.refresh
    else:
        link.phase = LPI
        link.timer = st.k.refresh_interval


@compiled_noinline
def lpi_advance(st: SwitchState, s: int, o: int, cycle: int, flit: bool, hint: bool = False) -> None:
    """Advance a link to the beginning of `cycle`; `flit` and `hint` hold in each cycle before.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, o : int
        Switch, output port.
    cycle : int
        At or after the link's `since`.
    flit, hint : bool
        A buffered flit wants the link; a hint does.
    """
    wanted = flit or hint
    link = st.link_power[s, o]
    left = cycle - int(link.since)
    link.since = cycle
    while left > 0:
        lasts = _lasts(st, s, o, wanted)
        step = min(left, lasts)
        left -= step
        count(st, s, o, LINK_ACT + int(link.phase), step)
        if st.k.hints:
            _note_use(st, s, o, flit)
        if link.phase == ACT and wanted:
            link.timer = st.lpi_time[s, T_LT]
        elif lasts < NEVER:
            link.timer -= step
        if link.phase == SLEEP and wanted:
            link.pending = 1
        if link.phase != ACT and flit:
            link.delayed += step
        if step == lasts:
            _leave(st, s, o, wanted, flit)


@compiled_noinline
def _catch_up(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Advance a link to the beginning of `cycle`: wanted while its buffer holds flits, and if inputs want it."""
    if st.k.output_fifo and buffered(st, s, o, int(st.link_power[s, o].since)):
        lpi_advance(st, s, o, min(cycle, int(st.departed[s, o])), True)
    waits = st.k.output_queues and queue_waited(st, s, o, cycle)
    lpi_advance(st, s, o, cycle, waits or int(st.switch[s].wanted) >> o & 1 == 1)


@compiled_noinline
def wanted_outputs(st: SwitchState, s: int) -> int:
    """Return the mask of outputs that a buffered flit with a ready route wants."""
    wanted = 0
    for k in range(st.k.vc_words):
        for bit in each_member(int(st.filled[s, k])):
            n = numbered(k, bit)
            word = int(st.vc[s, port_of_number(st, n), vc_of_number(st, n)].route)
            if word and not route_drop(word):
                wanted |= 1 << route_out(word)
    return wanted


@compiled
def arrived_behind(st: SwitchState, s: int, p: int, v: int) -> bool:
    """Return whether a flit that has just arrived changes nothing that can be allocated: others are before it.

    Where links sleep, flits often wait for one that wakes up. With static buffering a head waits for its whole packet,
    so each flit may matter.
    """
    return st.k.lpi and not st.k.static and st.vc[s, p, v].count > 1


@compiled
def _followed(st: SwitchState, links: int) -> int:
    """Return the links to be advanced in a visit: all if heads choose among them or buffers want them, else `links`."""
    if st.k.adaptive != DETERMINISTIC or st.k.output_fifo or st.k.output_queues:
        return (1 << st.k.ports) - 1
    return links


@compiled_noinline
def lpi_begin(st: SwitchState, s: int, cycle: int) -> None:
    """Begin a visit in `cycle`: set `wanted`, and `awake` of the links that are or were wanted.

    The others have not been wanted since they were last advanced, and can wait until somebody asks.
    """
    sw = st.switch[s]
    wanted = wanted_outputs(st, s)
    awake = 0
    for o in each_member(_followed(st, int(sw.wanted) | wanted | int(sw.hinted))):
        _catch_up(st, s, o, cycle)
        if st.link_power[s, o].phase == ACT:
            awake |= 1 << o
    sw.awake = awake
    sw.wanted = wanted


@compiled_noinline
def lpi_end(st: SwitchState, s: int, cycle: int, moved: bool) -> None:
    """End a visit: advance over `cycle`, and record what is wanted until the next visit."""
    sw = st.switch[s]
    wanted, hinted = int(sw.wanted), int(sw.hinted)
    for o in each_member(_followed(st, wanted | hinted)):
        waits = st.k.output_fifo and buffered(st, s, o, cycle)
        if st.k.output_queues:
            waits = queue_waited(st, s, o, cycle)
        lpi_advance(st, s, o, cycle + 1, waits or wanted >> o & 1 == 1, hinted >> o & 1 == 1)
    sw.hinted = 0
    # If flits moved and some are left, the switch is visited in the next cycle.
    if moved:
        sw.wanted = 0


@compiled_noinline
def lpi_show(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Advance a link that lags behind to the beginning of `cycle`, before it is read or its times change."""
    if st.link_power[s, o].since < cycle:
        _catch_up(st, s, o, cycle)


@compiled_noinline
def lpi_active(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether a link is active in `cycle`; if that cycle was allocated, the switch was visited in it."""
    link = st.link_power[s, o]
    if link.since > cycle:
        return int(st.switch[s].awake) >> o & 1 == 1
    _catch_up(st, s, o, cycle)
    return int(link.phase) == ACT


@compiled_noinline
def lpi_use(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Make a link, active in `cycle`, wanted in it by a flit that is not buffered."""
    link = st.link_power[s, o]
    if link.since > cycle:
        # It was advanced as if nothing wanted it.
        link.phase = ACT
        link.timer = st.lpi_time[s, T_LT]
        if st.k.hints:
            _note_use(st, s, o, True)
    else:
        lpi_advance(st, s, o, cycle + 1, True)


@compiled
def _waking(st: SwitchState, s: int) -> int:
    """Return the mask of links that are active or will become active, perhaps without a want."""
    links = 0
    for o in range(st.k.ports):
        link = st.link_power[s, o]
        if link.phase == ACT or link.phase == WAKE or (link.phase == SLEEP and link.pending):
            links |= 1 << o
    return links


@compiled
def active_from(st: SwitchState, s: int, o: int) -> int:
    """Return the cycle from which a link is active if a flit wants it from its `since` on."""
    link = st.link_power[s, o]
    at = int(link.since)
    if link.phase == WAKE or link.phase == SLEEP:
        at += max(1, int(link.timer))
    elif link.phase != ACT:
        at += 1
    if link.phase != WAKE and link.phase != ACT:
        at += max(1, int(st.lpi_time[s, T_LW]))
    return at


@compiled_noinline
def lpi_next(st: SwitchState, s: int) -> int:
    """Return the first cycle in which a relevant link that was not active in the last visit is active; else NEVER.

    Relevant are wanted links and, with adaptive routing, every link that a head could choose instead.
    """
    nearest = NEVER
    wanted = int(st.switch[s].wanted)
    if st.k.adaptive and any_within(st, st.filled, s):
        wanted |= _waking(st, s)
    for o in each_member(wanted):
        if st.link_power[s, o].phase != ACT or not int(st.switch[s].awake) >> o & 1:
            nearest = min(nearest, active_from(st, s, o))
    return nearest


@compiled
def lpi_write(st: SwitchState, s: int, number: int, cycles: int, cycle: int) -> None:
    """Write a time register at the end of `cycle`, which has been visited; `number` 3 writes none."""
    if number < TIMES:
        for o in range(st.k.ports):
            lpi_show(st, s, o, cycle + 1)
        st.lpi_time[s, number] = cycles
