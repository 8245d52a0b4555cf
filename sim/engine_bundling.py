"""Which bundles the links of a network are: of each side of a port as few as there can be (`sim.engine_bundles`)."""

from __future__ import annotations

import numpy as np

from models.compiled import compiled
from models.layout import aligned
from models.link import link_arrival
from models.output_buffer import departure
from models.row_kind import row_size
from models.row_pins import no_pin, other_pin, pin_of
from models.state import SwitchState
from sim.engine_bundles import BUNDLE, CYCLES_SHIFT, PIN, SCATTERED, SIDE, STRAIGHT, Bundles, link_of
from sim.engine_link_times import LinkTimes
from sim.engine_place import is_source, port_of, source_of, switch_of
from sim.topology.base import NOBODY

MOST_BUNDLES = 4  # of a side


@compiled
def _wire(st: SwitchState, link: np.ndarray, delay: np.ndarray, lag: int, pins: np.ndarray) -> None:
    """Find which pins links lead to, as `Bundles` has them; `lag`: of credits, in cycles."""
    ports = st.k.ports
    pins[:] = 1 << CYCLES_SHIFT | no_pin(st)
    for s in range(len(st.switch) if st.row_count else 0):
        for p in range(ports):
            to = link[s, p]
            back, out = link_of(st, s, p), link_of(st, s, ports + p)
            if to == NOBODY:
                continue
            put_out = departure(st, s, p, 0)
            if is_source(to):
                pins[out] = put_out + 1 << CYCLES_SHIFT | pin_of(st, s, ports + p)
                pins[back] = 1 << CYCLES_SHIFT | other_pin(st, source_of(to))
                continue
            t, q = switch_of(to), port_of(to)
            pins[out] = put_out + delay[s, p] << CYCLES_SHIFT | pin_of(st, t, q)
            pins[back] = link_arrival(0, delay[s, p] + lag) << CYCLES_SHIFT | pin_of(st, t, ports + q)


class _Maps:
    """Rows that say where links lead, of which many bundles want the same."""

    def __init__(self, size: int, kind: np.dtype) -> None:
        self.rows = np.zeros((0, size), kind)
        self._size = size
        self._places: dict[bytes, int] = {}

    def _place(self, row: np.ndarray) -> int:
        """Return where a row is, behind the others if it was not there."""
        key = row.tobytes()
        if key not in self._places:
            self._places[key] = len(self.rows)
            self.rows = np.concatenate([self.rows, row[None]])
        return self._places[key]

    def only(self, lanes: np.ndarray) -> int:
        """Return where the row is that has bits for these numbers alone."""
        row = np.zeros(self._size, self.rows.dtype)
        row[lanes] = ~row[lanes]
        return self._place(row)

    def places(self, lanes: np.ndarray, to: np.ndarray) -> int:
        """Return where the row is that has, at the places to which numbers are brought, those where they are."""
        if np.array_equal(lanes, to):
            return STRAIGHT
        row = np.zeros(self._size, self.rows.dtype)
        row[to] = lanes
        return self._place(row)


def _of_side(maps: _Maps, pin_shift: int, links: np.ndarray, nowhere: int) -> list[tuple[int, ...]]:
    """Return the bundles of a side, as in BUNDLE, of its links."""
    size = len(links)
    used = np.flatnonzero(links & PIN != nowhere)
    pins = links[used] & PIN
    groups = np.stack([pins >> pin_shift, (pins & (1 << pin_shift) - 1) // size, links[used] >> CYCLES_SHIFT])
    found = []
    for group in np.unique(groups, axis=1).T:
        within = (groups == group[:, None]).all(axis=0)
        lanes, to = used[within], pins[within] % size
        found.append((*group, maps.only(to), maps.places(lanes, to)))
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
    _wire(st, link, times.delay, times.credit_lag, pins)
    maps = _Maps(size, st.rows.dtype)
    bundles: list[tuple[int, ...]] = []
    sides = np.zeros(len(pins) // size, SIDE).view(np.recarray)
    busy = times.interval > 1
    for side, links in enumerate(pins.reshape(-1, size)):
        row, which = divmod(side, 2 * st.k.ports)
        slow = which >= st.k.ports and bool(busy[row * size : (row + 1) * size, which - st.k.ports].any())
        found = [] if slow else _of_side(maps, st.k.pin_shift, links, no_pin(st))
        if slow or len(found) > MOST_BUNDLES:
            sides[side] = len(bundles), SCATTERED
            continue
        sides[side] = len(bundles), len(found)
        bundles += found
    placed = aligned((maps.rows.size,), st.rows.dtype)
    placed[:] = maps.rows.reshape(-1)
    return Bundles(pins, sides, np.array(bundles, BUNDLE).view(np.recarray), placed)
