"""Which bundles the links of a network are: of each side of a port as few as there can be (`sim.engine_bundles`)."""

from __future__ import annotations

import numpy as np

from models.compiled import compiled
from models.layout import aligned
from models.link import link_arrival
from models.output_buffer import departure
from models.row_kind import lane_of, row_bits, row_of, row_size
from models.row_pins import no_pin, other_pin, pin_of
from models.state import SwitchState
from sim.engine_bundles import BUNDLE, CYCLES_SHIFT, PIN, SCATTERED, SIDE, STRAIGHT, Bundles, link_of
from sim.engine_link_times import LinkTimes
from sim.engine_place import is_source, port_of, source_of, switch_of
from sim.topology.base import NOBODY

MOST_BUNDLES = 4  # of a side


@compiled
def _wire(st: SwitchState, link: np.ndarray, delay: np.ndarray, lag: int, pins: np.ndarray, near: np.ndarray) -> None:
    """Find which pins links lead to, and which lead to nodes, as `Bundles` has both; `lag`: of credits, in cycles."""
    ports = st.k.ports
    pins[:] = 1 << CYCLES_SHIFT | no_pin(st)
    near[:] = 0
    for s in range(len(st.switch) if st.row_count else 0):
        for p in range(ports):
            to = link[s, p]
            back, out = link_of(st, s, p), link_of(st, s, ports + p)
            if to == NOBODY:
                continue
            put_out = departure(st, s, p, 0)
            if is_source(to):
                n = row_of(st.rows, s) * (ports + 1) + p
                near[n * row_size(st.rows) + lane_of(st.rows, s)] = (1 << row_bits(st.rows)) - 1
                pins[out] = put_out + 1 << CYCLES_SHIFT | pin_of(st, s, ports + p)
                pins[back] = 1 << CYCLES_SHIFT | other_pin(st, source_of(to))
                continue
            t, q = switch_of(to), port_of(to)
            pins[out] = put_out + delay[s, p] << CYCLES_SHIFT | pin_of(st, t, q)
            pins[back] = link_arrival(0, delay[s, p] + lag) << CYCLES_SHIFT | pin_of(st, t, ports + q)


def swap_steps(size: int, lanes: np.ndarray, to: np.ndarray) -> np.ndarray | None:
    """Return the swaps that bring numbers of a row of `size` to other places.

    Parameters
    ----------
    size : int
        How many numbers a row has.
    lanes, to : numpy.ndarray
        int64 [n]: from where, to where.

    Returns
    -------
    numpy.ndarray or None
        bool [steps, size]: where `models.rows.row_swap` takes the other; where nothing is brought, anything may be
        then. None if two would meet on the way.
    """
    steps = np.zeros((size.bit_length() - 1, size), bool)
    at = lanes
    for step, others in enumerate(steps):
        following = at & ~(1 << step) | to & 1 << step
        if len(np.unique(following)) < len(at):
            return None
        others[following[following != at]] = True
        at = following
    return steps


class _Masks:
    """Rows of masks, of which many bundles want the same."""

    def __init__(self, size: int, kind: np.dtype) -> None:
        self.rows = np.zeros((0, size), kind)
        self._size = size
        self._places: dict[bytes, int] = {}

    def place(self, bits: np.ndarray) -> int:
        """Return where rows are that have all bits where there is True, behind the others if they were not there."""
        key = bits.tobytes()
        if key not in self._places:
            self._places[key] = len(self.rows)
            masks = np.where(bits, np.iinfo(self.rows.dtype).max, 0).astype(self.rows.dtype)
            self.rows = np.concatenate([self.rows, masks])
        return self._places[key]

    def only(self, lanes: np.ndarray) -> int:
        """Return where the row is that has bits for these numbers alone."""
        return self.place(np.isin(np.arange(self._size), lanes)[None])

    def swaps(self, lanes: np.ndarray, to: np.ndarray) -> int | None:
        """Return where the rows are of swaps that bring numbers to other places; None if there are none."""
        if np.array_equal(lanes, to):
            return STRAIGHT
        steps = swap_steps(self._size, lanes, to)
        return None if steps is None else self.place(steps)


def _of_side(masks: _Masks, pin_shift: int, links: np.ndarray, nowhere: int) -> list[tuple[int, ...]]:
    """Return the bundles of a side, as in BUNDLE, of its links."""
    size = len(links)
    used = np.flatnonzero(links & PIN != nowhere)
    pins = links[used] & PIN
    groups = np.stack([pins >> pin_shift, (pins & (1 << pin_shift) - 1) // size, links[used] >> CYCLES_SHIFT])
    found = []
    for group in np.unique(groups, axis=1).T:
        within = (groups == group[:, None]).all(axis=0)
        lanes, to = used[within], pins[within] % size
        swaps = masks.swaps(lanes, to)
        if swaps is not None:
            found.append((*group, masks.only(to), swaps))
            continue
        # All that go equally far never meet.
        for way in np.unique(to - lanes):
            equally = to - lanes == way
            found.append((*group, masks.only(to[equally]), masks.swaps(lanes[equally], to[equally])))
    return found


def bundled(st: SwitchState, link: np.ndarray, times: LinkTimes) -> Bundles:
    """Return the bundles of a network; none if its switches are not in rows.

    Parameters
    ----------
    st : SwitchState
        The switches.
    link : numpy.ndarray
        int64 [S, P]: the place at the other end of each port.
    times : LinkTimes
        Of the links.
    """
    size = row_size(st.rows)
    pins = np.zeros(st.row_count * 2 * st.k.ports * size, np.int64)
    near = aligned((st.row_count * (st.k.ports + 1) * size,), st.rows.dtype)
    _wire(st, link, times.delay, times.credit_lag, pins, near)
    masks = _Masks(size, st.rows.dtype)
    bundles: list[tuple[int, ...]] = []
    sides = np.zeros(len(pins) // size, SIDE).view(np.recarray)
    busy = times.interval > 1
    for side, links in enumerate(pins.reshape(-1, size)):
        row, which = divmod(side, 2 * st.k.ports)
        slow = which >= st.k.ports and bool(busy[row * size : (row + 1) * size, which - st.k.ports].any())
        found = [] if slow else _of_side(masks, st.k.pin_shift, links, no_pin(st))
        if slow or len(found) > MOST_BUNDLES:
            sides[side] = len(bundles), SCATTERED
            continue
        sides[side] = len(bundles), len(found)
        bundles += found
    placed = aligned((masks.rows.size,), st.rows.dtype)
    placed[:] = masks.rows.reshape(-1)
    return Bundles(pins, near, sides, np.array(bundles, BUNDLE).view(np.recarray), placed)
