"""Parameters of the components of a switch, and of links; `models.params.switch` joins them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args, get_origin

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)

Arrangement = Literal["absolute", "relative", "palmtree", "circulant"]  # of the global cables of a dragonfly
Routing = Literal[
    "table", "linear", "dimension_order", "hyper_crossbar", "hypercube", "hyperx", "dragonfly", "fat_tree"
]
MAX_PORTS = 62
MAX_VCS = 16
MAX_CACHE_ENTRIES = 1 << 16  # of a route cache
MAX_ENTRIES = 1 << 18  # of a linear table, and of the route table that stands in for the CAM
MAX_WAYS = 64  # of a route cache
MAX_TERNARY_ENTRIES = 1 << 10  # of the table that stands in for a ternary CAM: each is compared at once
LEAST_TERNARY_LATENCY = 6  # cycles: comparing, choosing the entry and reading the route take one each
MAX_CHOICES = 46  # ports of a switch with adaptive routes, limited by a word of 64 bits
MAX_NODE_PORTS = 4
MAX_HEAD_DELAY = 63  # cycles
MAX_HINTS = 15  # links ahead that a wake hint wakes
MAX_CONTEXT_BITS = 12  # of a history predictor
TIME_BITS = 16  # width of a time of low-power idle
NEVER_IDLE = (1 << TIME_BITS) - 1  # value of T_lt with which the link never goes to sleep


def index_width(count: int) -> int:
    """Return the width in bits of a number below `count`; at least 1, so that a signal exists."""
    return max(1, (count - 1).bit_length())


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


class Params(BaseModel):
    """Base of parameter classes: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth_values(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse true and false where a field takes numbers or text: Python would count with them as 1 and 0."""
        kind = cls.model_fields[info.field_name or ""].annotation
        if _has_truth_value(value):
            if not _takes_truth_values(kind):
                raise ValueError("does not take true or false")
        elif isinstance(value, int | float) and get_origin(kind) is Literal and _takes_truth_values(kind):
            # In Python 1 equals true, and so would be one of the values that the field allows.
            raise ValueError("does not take a number")
        return value


def _has_truth_value(value: Any) -> bool:
    """Return whether a value, or an element of a list, is true or false."""
    if isinstance(value, list | tuple):
        return any(map(_has_truth_value, value))
    return isinstance(value, bool | np.bool_)


def _takes_truth_values(kind: Any) -> bool:
    """Return whether a type allows true or false."""
    if get_origin(kind) is Literal:
        return any(isinstance(each, bool) for each in get_args(kind))
    return kind in (bool, Any) or any(map(_takes_truth_values, get_args(kind)))


class CacheParams(Params):
    """Route cache of one input port (Hirasawa et al., 2020: paper A, section 3).

    Parameters
    ----------
    entries : int
        Entries per port, a power of two; 0: no cache.
    ways : int
        Associativity, a power of two from 1 (direct-mapped) to 64, at most `entries` (fully associative).
    policy : {"lru", "plru", "fifo"}
        Replacement: true LRU, tree pseudo-LRU, first in first out.
    crc_polynomial : int
        Polynomial of the index hash including its leading term, degree 8 to 32 (0x11021 is CRC-16/CCITT).
    """

    entries: Annotated[int, Field(ge=0, le=MAX_CACHE_ENTRIES)] = 64
    ways: Annotated[int, Field(ge=1, le=MAX_WAYS)] = 4
    policy: Literal["lru", "plru", "fifo"] = "lru"
    crc_polynomial: Annotated[int, Field(ge=0x100, lt=1 << 33)] = 0x11021

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.entries and not _is_power_of_two(self.entries):
            raise ValueError(
                f"cache.entries = {self.entries}: must be 0 (no cache) or a power of two up to {MAX_CACHE_ENTRIES}"
            )
        if not _is_power_of_two(self.ways):
            raise ValueError(f"cache.ways = {self.ways}: must be a power of two from 1 to {MAX_WAYS}")
        if self.entries and self.ways > self.entries:
            raise ValueError(f"cache.ways = {self.ways}: must be at most cache.entries = {self.entries}")
        if self.crc_polynomial & 1 == 0:
            raise ValueError(f"cache.crc_polynomial = {self.crc_polynomial:#x}: the constant term (bit 0) must be 1")
        if self.crc_degree < self.index_bits:
            raise ValueError(
                f"cache.crc_polynomial = {self.crc_polynomial:#x}: degree {self.crc_degree} cannot index "
                f"{self.sets} sets; use a degree of at least {self.index_bits}"
            )
        return self

    @property
    def sets(self) -> int:
        """Number of sets of a cache (1 without a cache)."""
        return max(1, self.entries // self.ways)

    @property
    def index_bits(self) -> int:
        """Width of a set index in bits; 0 for a single set."""
        return self.sets.bit_length() - 1

    @property
    def crc_degree(self) -> int:
        """Width of the CRC in bits."""
        return self.crc_polynomial.bit_length() - 1

    @property
    def replacement_bits(self) -> int:
        """Bits of replacement state per set: LRU ages, PLRU tree, or FIFO counter."""
        ways = self.ways
        if ways == 1:
            return 0
        way_bits = ways.bit_length() - 1
        return {"lru": ways * way_bits, "plru": ways - 1, "fifo": way_bits}[self.policy]


class CamParams(Params):
    """The CAM that all ports of a switch share, and the route table that stands in for it (paper A, sections 2.1, 7.2).

    Parameters
    ----------
    latency : int
        Cycles from an uncontended request until the route can be used (25 cycles = 25 ns at 1 GHz in the paper).
    occupancy : int
        Cycles between two accepted requests (25: 40 M lookups per second at 1 GHz).
    entries : int
        Entries of the route table, a power of two.
    match : {"exact", "ternary"}
        What an entry matches. "exact": one tag. "ternary": the tags that are equal in the bits of a mask, such as those
        with a common prefix; the matching entry with the lowest number wins.
    """

    latency: Annotated[int, Field(ge=4, le=1023)] = 25
    occupancy: Annotated[int, Field(ge=1, le=1023)] = 25
    entries: Annotated[int, Field(ge=2, le=MAX_ENTRIES)] = 1024
    match: Literal["exact", "ternary"] = "exact"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not _is_power_of_two(self.entries):
            raise ValueError(f"cam.entries = {self.entries}: must be a power of two from 2 to {MAX_ENTRIES}")
        if self.match == "ternary":
            self._check_ternary()
        return self

    def _check_ternary(self) -> None:
        if self.entries > MAX_TERNARY_ENTRIES:
            raise ValueError(
                f'cam.entries = {self.entries}: must be at most {MAX_TERNARY_ENTRIES} with cam.match = "ternary", '
                "which compares all of them at once"
            )
        if self.latency < LEAST_TERNARY_LATENCY:
            raise ValueError(
                f"cam.latency = {self.latency}: must be at least {LEAST_TERNARY_LATENCY} with cam.match = "
                '"ternary", which compares, chooses and reads in a cycle each'
            )

    @property
    def index_bits(self) -> int:
        """Width of an entry's number in bits; with exact match, the low bits of a tag."""
        return self.entries.bit_length() - 1


def _idle_register(value: object, as_cycles: ValidatorFunctionWrapHandler) -> object:
    """Return the value of the T_lt register for `value`, a number of cycles or "never"."""
    if isinstance(value, str) and value == "never":
        return NEVER_IDLE
    try:
        return as_cycles(value)
    except ValidationError as error:
        raise ValueError('must be a whole number of cycles or "never"') from error


def _idle_word(register: int) -> int | str:
    return "never" if register == NEVER_IDLE else register


IdleTime = Annotated[
    int, Field(ge=0, le=NEVER_IDLE), WrapValidator(_idle_register), PlainSerializer(_idle_word)
]  # cycles, or "never"


class LpiParams(Params):
    """Low-power idle of the output links of a switch (Abe et al.: paper B, section 2; IEEE 802.3az). Times in cycles.

    Parameters
    ----------
    idle : int
        T_lt: idle cycles after which a link goes to sleep. 0 is the same as 1: at the end of the first idle cycle, in
        which the last flit is on the link. All ones, written "never": the link never sleeps. `idle`, `sleep` and `wake`
        are the reset values of the registers.
    sleep : int
        T_ls: cycles of the transition to low power.
    wake : int
        T_lw: cycles of the transition back.
    refresh_interval : int
        Cycles at low power between two refreshes; 0: no refreshes, as in the paper.
    refresh : int
        Cycles of a refresh.
    hints : int
        Links that a wake hint wakes ahead of each packet, beyond the one that its head wants; 0: there are no hints.
    """

    idle: IdleTime = 1000
    sleep: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 4480
    wake: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 2880
    refresh_interval: Annotated[int, Field(ge=0, lt=1 << TIME_BITS)] = 0
    refresh: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 1
    hints: Annotated[int, Field(ge=0, le=MAX_HINTS)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.refresh != 1 and not self.refresh_interval:
            raise ValueError(f"refresh = {self.refresh}: only refresh_interval > 0 uses it; leave it out")
        return self

    @property
    def sleeps(self) -> bool:
        """Whether links go to sleep, unless the registers are written later."""
        return self.idle != NEVER_IDLE


def hint_hops(lpi: LpiParams | None) -> int:
    """Return the links that a wake hint wakes; 0 without hints, or without low-power idle."""
    return lpi.hints if lpi else 0


class PredictionParams(Params):
    """Prediction of output ports, and the bypass that uses it (Koibuchi et al.: paper C).

    Parameters
    ----------
    kind : {"static", "latest", "history"}
        Predictor of an input port: straight on (SS), the latest output port (LP), or a finite context of the last
        `order` output ports.
    order : int
        Number of output ports in the context of "history"; its table has 2^(order · width of a port number) entries.
    straight_ports : int or None
        "static": ports 2d and 2d + 1 below this number are opposite. None: two ports per dimension with
        "dimension_order", else all ports but the last one or two. Required with "hyper_crossbar".
    local : {"none", "plus_x", "longer_x"}
        "static": what the predictor of a local port names: nothing; port 0, which is + of dimension 0; or, where that
        dimension is a row, its direction in which more switches lie.
    """

    kind: Literal["static", "latest", "history"] = "latest"
    order: Annotated[int, Field(ge=1, le=4)] | None = None
    straight_ports: Annotated[int, Field(ge=0, le=MAX_PORTS)] | None = None
    local: Literal["none", "plus_x", "longer_x"] = "none"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind != "history" and self.order is not None:
            raise ValueError(f'order = {self.order}: only kind = "history" uses it; leave it out')
        if self.kind != "static" and self.straight_ports is not None:
            raise ValueError(f'straight_ports = {self.straight_ports}: only kind = "static" uses it; leave it out')
        if self.kind != "static" and self.local != "none":
            raise ValueError(f'local = "{self.local}": only kind = "static" uses it; leave it out')
        if self.straight_ports is not None and self.straight_ports & 1:
            raise ValueError(f"straight_ports = {self.straight_ports}: must be even, ports are opposite in pairs")
        return self


class AdaptiveParams(Params):
    """Adaptive minimal routing (Duato's protocol, "escape"; Boku et al.: paper E, section 3.1, "step").

    Parameters
    ----------
    kind : {"escape", "step"}
        How deadlock is avoided: VCs that only the deterministic route uses, or VCs numbered by the switches passed.
    selection : {"credits", "order", "route"}
        Choice among open outputs: most credits, or the lowest output. "route": only the output of the deterministic
        route, for comparison with adaptive routing in an otherwise equal switch.
    escape_vcs : int or None
        "escape": VCs 0 to escape_vcs − 1 carry the deterministic route, the others are adaptive. None, with computed
        routes: 2 on a torus with a ring of 4 or more, else 1.
    lookahead : bool
        "step" on a hyper-crossbar: exchangers see which outputs of the crossbars ahead are free.
    reservation : bool
        With `lookahead`: an exchanger requests an output and VC of the crossbar, which reserves them, before a head
        goes.
    """

    kind: Literal["escape", "step"] = "escape"
    selection: Literal["credits", "order", "route"] = "credits"
    escape_vcs: Annotated[int, Field(ge=1, le=MAX_VCS - 1)] | None = None
    lookahead: bool = False
    reservation: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind != "escape" and self.escape_vcs is not None:
            raise ValueError(f'escape_vcs = {self.escape_vcs}: only kind = "escape" uses it; leave it out')
        if self.kind != "step" and self.lookahead:
            raise ValueError('lookahead = true: only kind = "step" uses it; leave it out')
        if self.reservation and not self.lookahead:
            raise ValueError("reservation = true: only lookahead = true uses it; leave it out")
        return self


class LinkParams(Params):
    """Links between switches.

    Parameters
    ----------
    latency : int
        Register stages per direction, cycles; 0: a wire from the output register to the next switch.
    interval : int
        Cycles per flit; more than 1: a link slower than the switches. Only in the simulator.
    credit_latency : int, optional
        Register stages for credits, cycles; None is `latency`.
    node_latency : int
        Cycles of a flit on the cable between a node and its switch, each way. Only in the simulator. The node's
        interface with its source queue is at the switch's end of the cable, so credits take no time on it.
    """

    latency: Annotated[int, Field(ge=0, le=1023)] = 1
    interval: Annotated[int, Field(ge=1, le=1023)] = 1
    credit_latency: Annotated[int, Field(ge=0, le=1023)] | None = None
    node_latency: Annotated[int, Field(ge=0, le=1023)] = 0

    @property
    def credit_lag(self) -> int:
        """Latency of credits minus latency of flits, in cycles; may be negative."""
        return 0 if self.credit_latency is None else self.credit_latency - self.latency
