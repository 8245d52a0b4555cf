"""Sums energy, chunk by chunk: integer cycles, lookups and flits, converted to joules at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.params import SwitchParams
from sim.config.power import PowerParams
from sim.power.meter import LPI, STATES, Meter, Reading

CAUSES = ("base", "links", "cache", "cam")
Floats = NDArray[np.float64]


class PowerFigures(NamedTuple):
    """Power and energy of a network; docs/how_to/power.md defines each figure.

    Figures of the whole network are means and sums over all switches and counted links.
    """

    mean_w: float
    peak_w: float
    energy_j: float
    energy_by_state_j: dict[str, float]
    energy_by_cause_j: dict[str, float]
    share_by_state: dict[str, float]
    energy_a_packet_nj: dict[str, float] | None
    energy_a_bit_pj: dict[str, float] | None
    duration_ns: float
    chunks: int
    switches: int
    links: int
    flits: int
    wakes: int
    wake_delay_ns: float
    cache_lookups: int
    cam_lookups: int
    packets: int
    hint_wakes: int = 0  # results of older versions have none
    hint_wakes_used: int = 0


@dataclass(frozen=True, eq=False)
class ChunkPower:
    """Mean power in a chunk, W: of links [L], and of switches by cause [S]."""

    links: Floats
    base: Floats
    links_of_switch: Floats
    cache: Floats
    cam: Floats

    @property
    def switches(self) -> Floats:
        """Power of switches: P(i, j) of the paper, and table lookups."""
        total: Floats = self.base + self.links_of_switch + self.cache + self.cam
        return total


class Account:
    """Energy account of one network.

    Parameters
    ----------
    meter : Meter
    switch : SwitchParams
        Parameters of the switches.
    power : PowerParams
        Power parameters, with the length of a cycle.
    """

    def __init__(self, meter: Meter, switch: SwitchParams, power: PowerParams) -> None:
        self._power = power
        self._bits = switch.data_width
        self._switch_of_link = meter.links.switch
        self._switches = meter.topology.switches
        self._links = len(meter.links)
        self._caches = meter.ports * switch.has_cache
        self._cams = np.full(self._switches, int(switch.has_cam))
        self._states = np.zeros(len(STATES), np.int64)
        self._chunks = self._longest = 0  # number of chunks, and cycles of one
        self._peak = 0.0
        self._cycles = self._wakes = self._delays = self._flits = 0
        self._hint_wakes = self._hint_wakes_used = 0
        self._cache = self._cam = self._packets = self._delivered = 0

    def power_of(self, chunk: Reading) -> ChunkPower:
        """Return the mean power in a chunk (paper B, equation 1; paper A, equation 5)."""
        power = self._power
        share = chunk.states[:, LPI] / chunk.cycles
        links = power.active_w * (1 - share) + power.lpi_w * share
        seconds = chunk.cycles * power.cycle * 1e-9
        return ChunkPower(
            links,
            np.full(self._switches, power.base_w),
            np.bincount(self._switch_of_link, links, self._switches).astype(np.float64),
            chunk.cache * power.cache_nj * 1e-9 / seconds + self._caches * power.cache_mw * 1e-3,
            chunk.cam * power.cam_nj * 1e-9 / seconds + self._cams * power.cam_mw * 1e-3,
        )

    def add(self, chunk: Reading) -> ChunkPower:
        """Add a chunk; return its power."""
        found = self.power_of(chunk)
        self._chunks += 1
        if chunk.cycles >= self._longest:  # a shorter last chunk does not count as a peak
            self._longest = chunk.cycles
            self._peak = max(self._peak, float(found.switches.sum()))
        self._states += chunk.states.sum(axis=0)
        self._cycles += chunk.cycles
        self._wakes += int(chunk.wakes.sum())
        self._delays += int(chunk.wake_delays.sum())
        self._hint_wakes += int(chunk.hint_wakes.sum())
        self._hint_wakes_used += int(chunk.hint_wakes_used.sum())
        self._flits += int(chunk.flits.sum())
        self._cache += int(chunk.cache.sum())
        self._cam += int(chunk.cam.sum())
        self._packets += chunk.packets
        self._delivered += chunk.delivered
        return found

    def figures(self) -> PowerFigures:
        """Return the figures over all chunks."""
        power, cycle_s = self._power, self._power.cycle * 1e-9
        watts = [power.lpi_w if state == LPI else power.active_w for state in range(len(STATES))]
        by_state = {
            name: int(cycles) * cycle_s * w for name, cycles, w in zip(STATES, self._states, watts, strict=True)
        }
        seconds = self._cycles * cycle_s
        by_cause = {
            "base": self._switches * power.base_w * seconds,
            "links": sum(by_state.values()),
            "cache": self._cache * power.cache_nj * 1e-9 + int(self._caches.sum()) * power.cache_mw * 1e-3 * seconds,
            "cam": self._cam * power.cam_nj * 1e-9 + int(self._cams.sum()) * power.cam_mw * 1e-3 * seconds,
        }
        energy = sum(by_cause.values())
        total = max(1, int(self._states.sum()))
        return PowerFigures(
            mean_w=energy / seconds if seconds else 0.0,
            peak_w=self._peak,
            energy_j=energy,
            energy_by_state_j=by_state,
            energy_by_cause_j=by_cause,
            share_by_state={name: int(n) / total for name, n in zip(STATES, self._states, strict=True)},
            energy_a_packet_nj=_each(by_cause, self._packets, 1e9),
            energy_a_bit_pj=_each(by_cause, self._delivered * self._bits, 1e12),
            duration_ns=self._cycles * power.cycle,
            chunks=self._chunks,
            switches=self._switches,
            links=self._links,
            flits=self._flits,
            wakes=self._wakes,
            wake_delay_ns=self._delays * power.cycle,
            cache_lookups=self._cache,
            cam_lookups=self._cam,
            packets=self._packets,
            hint_wakes=self._hint_wakes,
            hint_wakes_used=self._hint_wakes_used,
        )


def _each(by_cause: dict[str, float], count: int, scale: float) -> dict[str, float] | None:
    """Return the energy per item of `count` items, by cause and in total; None if there are none."""
    if not count:
        return None
    return {name: energy * scale / count for name, energy in [*by_cause.items(), ("total", sum(by_cause.values()))]}
