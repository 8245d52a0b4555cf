"""Finds the bundles of a network's links, as few as possible per port (`sim.engine.batched.bundles`)."""

from __future__ import annotations

import numpy as np

from models.batched.link import no_pin, other_pin, pin_of
from models.jit.compiled import compiled
from models.jit.simd_type import LANES, SHIFT
from models.parts import batch_elsewhere
from models.state.layout import aligned
from models.state.registers import SwitchState
from models.transfer.link import link_arrival
from models.transfer.output_buffer import departure
from sim.engine.address import SOURCE_BIT, is_source, port_of, source_of, switch_of
from sim.engine.batched.bundles import BUNDLE, CYCLES_SHIFT, IDENTITY, IRREGULAR, NONE, PIN, PORT, Bundles, link_of
from sim.topology.base import NOBODY
from sim.topology.link_times import LinkTimes

MOST_BUNDLES = 4  # per port
ONE_PART = np.empty(0, np.int16)


@compiled
def _wire(st: SwitchState, link: np.ndarray, delay: np.ndarray, lag: int, owner: np.ndarray, pins: np.ndarray) -> None:
    """Write the pins that links lead to, as in `Bundles`.

    `lag` is the delay of credits, cycles; `owner` the part of each switch, empty if there is one.
    """
    ports = st.k.ports
    pins[:] = 1 << CYCLES_SHIFT | no_pin(st)
    for s in range(len(st.switch) if st.batch_count else 0):
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
            elsewhere = 0
            if len(owner) and owner[s] != owner[t]:
                elsewhere = batch_elsewhere(st, 0) << st.k.pin_shift
            pins[out] = put_out + delay[s, p] << CYCLES_SHIFT | pin_of(st, t, q) + elsewhere
            pins[back] = link_arrival(0, delay[s, p] + lag) << CYCLES_SHIFT | pin_of(st, t, ports + q) + elsewhere


class _Maps:
    """The vectors of `Bundles.maps`: masks and permutations, each stored once and shared by bundles."""

    def __init__(self, kind: np.dtype) -> None:
        self._kind = kind
        self._numbers: dict[bytes, int] = {}

    @property
    def all(self) -> np.ndarray:
        """All vectors, concatenated."""
        batches = aligned((len(self._numbers) * LANES,), self._kind)
        batches[:] = np.frombuffer(b"".join(self._numbers), self._kind)
        return batches

    def _number(self, vector: np.ndarray) -> int:
        """Return the number of a vector; append it if it is new."""
        return self._numbers.setdefault(vector.tobytes(), len(self._numbers))

    def only(self, lanes: np.ndarray) -> int:
        """Return the number of the mask with all ones in `lanes` and 0 in others."""
        vector = np.zeros(LANES, self._kind)
        vector[lanes] = ~vector[lanes]
        return self._number(vector)

    def places(self, lanes: np.ndarray, to: np.ndarray) -> int:
        """Return the number of the permutation that moves `lanes` to lanes `to`, or IDENTITY."""
        if np.array_equal(lanes, to):
            return IDENTITY
        vector = np.zeros(LANES, self._kind)
        vector[to] = lanes
        return self._number(vector)


def _of_side(maps: _Maps, pin_shift: int, links: np.ndarray, unused: int) -> dict[tuple[int, ...], list[int]] | None:
    """Return pins and cycles of the links of one side of a port, by the other fields of BUNDLE: batch, mask, places.

    None if the port would need more bundles than it may have.
    """
    used = np.flatnonzero(links & PIN != unused)
    pins = links[used]
    # All but the lane: links of equal groups lead to the same vector, in the same time.
    groups = pins >> SHIFT
    each = sorted(set(groups.tolist()))
    if len(each) > MOST_BUNDLES:
        return None
    found: dict[tuple[int, ...], list[int]] = {}
    for group in each:
        within = groups == group
        lanes, to = used[within], pins[within] % LANES
        batch, place = divmod((group << SHIFT) & PIN, 1 << pin_shift)
        found[batch, maps.only(to), maps.places(lanes, to)] = [place >> SHIFT, group >> CYCLES_SHIFT - SHIFT]
    return found


def _of_port(maps: _Maps, pin_shift: int, sides: np.ndarray, unused: int) -> list[tuple[int, ...]] | None:
    """Return the bundles of a port, as in BUNDLE, from its links for credits and those for flits.

    None if the port would need more bundles than it may have.
    """
    credits, flits = (_of_side(maps, pin_shift, links, unused) for links in sides)
    if credits is None or flits is None or len(flits | credits) > MOST_BUNDLES:
        return None
    none = [NONE, 0]
    return [(*key, *flits.get(key, none), *credits.get(key, none)) for key in flits | credits]


def bundled(st: SwitchState, link: np.ndarray, times: LinkTimes, owner: np.ndarray = ONE_PART) -> Bundles:
    """Return the bundles of a network; empty if its switches are not batched.

    Parameters
    ----------
    st : SwitchState
        The switches.
    link : numpy.ndarray
        int64 [S, P]: place at the far end of each port's link.
    times : LinkTimes
        Latencies and intervals of the links.
    owner : numpy.ndarray
        int16 [S]: part of each switch (`models.parts`); empty: there is one part.
    """
    pins = np.zeros(st.batch_count * 2 * st.k.ports * LANES, np.int64)
    _wire(st, link, times.delay, times.credit_lag, owner, pins)
    maps = _Maps(st.batch_vcs.dtype)
    bundles: list[tuple[int, ...]] = []
    ports = np.zeros(st.batch_count * st.k.ports, PORT).view(np.recarray)
    busy = times.interval > 1
    links = pins.reshape(-1, 2, st.k.ports, LANES)
    for n in range(len(ports)):
        batch, p = divmod(n, st.k.ports)
        slow = bool(busy[batch * LANES : (batch + 1) * LANES, p].any()) or st.k.output_fifo
        found = None if slow else _of_port(maps, st.k.pin_shift, links[batch, :, p], no_pin(st))
        if found is None:
            ports[n] = len(bundles), IRREGULAR
            continue
        ports[n] = len(bundles), len(found)
        bundles += found
    return Bundles(pins, ports, np.array(bundles, BUNDLE).view(np.recarray), maps.all, _nodes(st, link))


def _nodes(st: SwitchState, link: np.ndarray) -> np.ndarray:
    """Return the outputs of switches that lead to nodes, as in `Bundles`."""
    batches = aligned((st.batch_count * LANES,), st.batch_outputs.dtype)
    if st.batch_count:
        batches[: len(link)] = ((link >= SOURCE_BIT) << np.arange(st.k.ports)).sum(axis=1)
    return batches
