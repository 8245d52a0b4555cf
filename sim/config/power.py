"""The section [power]: power of links, switches and table lookups, and when links sleep, in nanoseconds."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params import TIME_BITS, Params
from models.params.config_file import Table

Power = Annotated[float, Field(ge=0, le=1e6)]
Time = Annotated[float, Field(gt=0, le=1e12)]
MOST_SLEEP = (1 << TIME_BITS) - 2  # cycles; all ones of T_lt mean never
MOST_CHUNK = 1 << 31  # cycles: 32-bit counters cannot wrap within a chunk


class PowerParams(Params):
    """Power parameters (paper B, equation 1 and table 1; paper A, equation 5 and section 7.1).

    Parameters
    ----------
    base_w : float
        P_base: power of a switch regardless of its links, W.
    active_w : float
        P_act: power of a link that is active, goes to sleep, refreshes or wakes, W.
    lpi_w : float
        P_lpi: power of a link at low power, W.
    t_lt_ns : float, "never", "off" or None
        T_lt: time without a flit after which a link goes to sleep, ns. "never": the controller never puts it to sleep.
        "off": there is no controller. None: as section [lpi] sets it, in cycles.
    t_ls_ns, t_lw_ns : float
        T_ls and T_lw: durations of the transitions to low power and back, ns.
    cycle_ns : float or None
        Length of a cycle, ns; None: `workload.cycle_ns`, or 1.
    chunk_ns : float
        Length of a chunk, over which power is averaged, ns; rounded to whole cycles.
    node_links : bool
        Whether links to nodes count, too.
    cache_nj, cache_mw : float
        E_cache: energy per lookup in a route cache, nJ. P_cache: power of a route cache, mW.
    cam_nj, cam_mw : float
        E_cam: energy per lookup in a CAM, nJ. P_cam: power of a CAM, mW.
    """

    base_w: Power = 17.80
    active_w: Power = 1.02
    lpi_w: Power = 0.10
    t_lt_ns: Annotated[float, Field(ge=0, le=1e12)] | Literal["never", "off"] | None = None
    t_ls_ns: Time = 4480.0
    t_lw_ns: Time = 2880.0
    cycle_ns: Annotated[float, Field(gt=0, le=1e6)] | None = None
    chunk_ns: Time = 50_000.0
    node_links: bool = False
    cache_nj: Power = 0.039
    cache_mw: Power = 13.0
    cam_nj: Power = 42.0
    cam_mw: Power = 36.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.t_lt_ns is None:
            for name in ("t_ls_ns", "t_lw_ns"):
                value = getattr(self, name)
                if value != PowerParams.model_fields[name].default:
                    raise ValueError(f"{name} = {value}: without t_lt_ns no link sleeps after it; set t_lt_ns, too")
        return self

    @property
    def cycle(self) -> float:
        """Length of a cycle, ns."""
        return self.cycle_ns or 1.0

    @property
    def chunk_cycles(self) -> int:
        """Cycles of a chunk."""
        return round(self.chunk_ns / self.cycle)

    @property
    def lpi(self) -> dict[str, Any]:
        """Keys of the section [lpi] that the times set; empty if they set none."""
        if self.t_lt_ns is None or self.t_lt_ns == "off":
            return {}
        idle = "never" if self.t_lt_ns == "never" else round(self.t_lt_ns / self.cycle)
        sleep, wake = (max(1, round(time / self.cycle)) for time in (self.t_ls_ns, self.t_lw_ns))
        return {"idle": idle, "sleep": sleep, "wake": wake}


def with_clock(power: PowerParams, workload_cycle_ns: float | None) -> PowerParams:
    """Return the parameters, checked, with the length of a cycle filled in.

    Parameters
    ----------
    power : PowerParams
    workload_cycle_ns : float or None
        `workload.cycle_ns`; None without that section.

    Raises
    ------
    TsujiError
        If two lengths of a cycle are given, or a time is too short or too long for it.
    """
    if power.cycle_ns is None:
        power = power.model_copy(update={"cycle_ns": workload_cycle_ns or 1.0})
    elif workload_cycle_ns not in (None, power.cycle_ns):
        raise TsujiError(
            f"power.cycle_ns = {power.cycle_ns:g}: workload.cycle_ns = {workload_cycle_ns:g}; leave out power.cycle_ns"
        )
    if not 1 <= power.chunk_cycles <= MOST_CHUNK:
        raise TsujiError(
            f"power.chunk_ns = {power.chunk_ns:g}: is {power.chunk_ns / power.cycle:g} cycles of {power.cycle:g} ns; "
            f"must be 1 to {MOST_CHUNK}"
        )
    for key, cycles in zip(("t_lt_ns", "t_ls_ns", "t_lw_ns"), power.lpi.values(), strict=False):
        if cycles != "never" and cycles > MOST_SLEEP:
            raise TsujiError(
                f"power.{key} = {getattr(power, key):g}: is {cycles} cycles of {power.cycle:g} ns; must be at most "
                f"{MOST_SLEEP}"
            )
    return power


def with_sleep(table: Table, power: PowerParams) -> Table:
    """Return the sections of a configuration with [lpi] filled in from the times of [power].

    Raises
    ------
    TsujiError
        If [lpi] contradicts them.
    """
    if power.t_lt_ns is None:
        return table
    given = table.get("lpi")
    if power.t_lt_ns == "off":
        if given is not None:
            raise TsujiError(f'{table.origin("lpi")}[lpi]: power.t_lt_ns = "off" is without it; leave out one of them')
        return table
    for key, value in power.lpi.items():
        if given is not None and given.get(key, value) != value:
            raise TsujiError(
                f"{table.origin(f'lpi.{key}')}lpi.{key} = {given[key]}: power.t_lt_ns = {power.t_lt_ns} and the other "
                f"times of [power] mean {value}; leave out one of them"
            )
    return Table({**table, "lpi": {**(given or {}), **power.lpi}}, table.origins)
