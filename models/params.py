"""Parameters of a switch and its links: the only home of widths, defaults and ranges.

Every other part (RTL, golden model, simulator, bus models, documents) reads these classes; none parses or checks again.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_PORTS = 62
MAX_VCS = 16
MAX_CONTEXT_BITS = 12  # of a history predictor
TIME_BITS = 16  # of the times of low-power idle


def index_width(count: int) -> int:
    """Bits that number `count` things; at least 1, so that a signal exists."""
    return max(1, (count - 1).bit_length())


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


class Params(BaseModel):
    """Frozen, with unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class CacheParams(Params):
    """Route cache of one input port (paper A, section 3).

    Parameters
    ----------
    entries : int
        Entries a port, a power of two; 0 builds no cache.
    ways : int
        Associativity, a power of two from 1 (direct-mapped) to `entries` (fully associative).
    policy : {"lru", "plru", "fifo"}
        Replacement: true LRU, tree pseudo-LRU, first in first out.
    crc_polynomial : int
        Polynomial of the index hash with its leading term, degree 8 to 32 (0x11021 is CRC-16/CCITT).
    """

    entries: Annotated[int, Field(ge=0, le=65536)] = 64
    ways: Annotated[int, Field(ge=1, le=65536)] = 4
    policy: Literal["lru", "plru", "fifo"] = "lru"
    crc_polynomial: Annotated[int, Field(ge=0x100, lt=1 << 33)] = 0x11021

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.entries and not _is_power_of_two(self.entries):
            raise ValueError(f"cache.entries = {self.entries}: must be 0 (no cache) or a power of two up to 65536")
        if not _is_power_of_two(self.ways):
            raise ValueError(f"cache.ways = {self.ways}: must be a power of two from 1 to cache.entries")
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
        """Sets a cache (1 when there is no cache)."""
        return max(1, self.entries // self.ways)

    @property
    def index_bits(self) -> int:
        """Bits of the set index; 0 for a single set."""
        return self.sets.bit_length() - 1

    @property
    def crc_degree(self) -> int:
        """Width of the CRC, bits."""
        return self.crc_polynomial.bit_length() - 1

    @property
    def replacement_bits(self) -> int:
        """Bits of replacement state a set: ages, tree, or the FIFO counter."""
        ways = self.ways
        if ways == 1:
            return 0
        way_bits = ways.bit_length() - 1
        return {"lru": ways * way_bits, "plru": ways - 1, "fifo": way_bits}[self.policy]


class CamParams(Params):
    """The CAM that all ports of a switch share, and the table that stands in for it (paper A, sections 2.1, 7.2).

    Parameters
    ----------
    latency : int
        Cycles from a request nobody contends for to the route being usable (25 cycles = 25 ns at 1 GHz in the paper).
    occupancy : int
        Cycles between two accepted requests (25: 40 M lookups a second at 1 GHz).
    entries : int
        Entries of the stand-in table, a power of two.
    """

    latency: Annotated[int, Field(ge=4, le=1023)] = 25
    occupancy: Annotated[int, Field(ge=1, le=1023)] = 25
    entries: Annotated[int, Field(ge=2, le=65536)] = 1024

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not _is_power_of_two(self.entries):
            raise ValueError(f"cam.entries = {self.entries}: must be a power of two from 2 to 65536")
        return self

    @property
    def index_bits(self) -> int:
        """Bits of a tag that index the table."""
        return self.entries.bit_length() - 1


class LpiParams(Params):
    """Low-power idle of a switch's output links (paper B, section 2; IEEE 802.3az). Times in cycles.

    Parameters
    ----------
    idle : int
        T_lt: idle cycles after which a link goes to sleep. `idle`, `sleep` and `wake` are what the registers hold after
        reset.
    sleep : int
        T_ls: duration of the transition to low power.
    wake : int
        T_lw: duration of the transition back.
    refresh_interval : int
        Cycles at low power between two refreshes; 0: none (as in the paper).
    refresh : int
        Duration of a refresh.
    """

    idle: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 1000
    sleep: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 4480
    wake: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 2880
    refresh_interval: Annotated[int, Field(ge=0, lt=1 << TIME_BITS)] = 0
    refresh: Annotated[int, Field(ge=1, lt=1 << TIME_BITS)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.refresh != 1 and not self.refresh_interval:
            raise ValueError(f"refresh = {self.refresh}: only refresh_interval > 0 uses it; leave it out")
        return self


class PredictionParams(Params):
    """Prediction of output ports, and the bypass that uses it (paper C).

    Parameters
    ----------
    kind : {"static", "latest", "history"}
        Predictor of an input port: straight on (SS), the latest output port (LP), or a finite context of the last
        `order` output ports.
    order : int
        Context of "history"; its table has 2^(order · bits of a port number) entries.
    straight_ports : int or None
        "static": ports 2d and 2d + 1 below this number are opposite. None: two ports a dimension with
        "dimension_order", else all ports but the last one or two.
    """

    kind: Literal["static", "latest", "history"] = "latest"
    order: Annotated[int, Field(ge=1, le=4)] | None = None
    straight_ports: Annotated[int, Field(ge=0, le=MAX_PORTS)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind != "history" and self.order is not None:
            raise ValueError(f'order = {self.order}: only kind = "history" uses it; leave it out')
        if self.kind != "static" and self.straight_ports is not None:
            raise ValueError(f'straight_ports = {self.straight_ports}: only kind = "static" uses it; leave it out')
        if self.straight_ports is not None and self.straight_ports & 1:
            raise ValueError(f"straight_ports = {self.straight_ports}: must be even, ports are opposite in pairs")
        return self


class LinkParams(Params):
    """Links between switches.

    Parameters
    ----------
    latency : int
        Register stages a direction, cycles; 0 is a wire from the output register to the next switch.
    """

    latency: Annotated[int, Field(ge=0, le=1023)] = 1


class SwitchParams(Params):
    """One switch.

    Parameters
    ----------
    ports : int
        Bidirectional ports, network and local together.
    vcs : int
        Virtual channels a port.
    data_width : int
        Payload bits a flit.
    depth : int
        Buffer of one input VC, flits.
    tag_width : int
        Bits of the destination tag that packets carry and tables match.
    buffering : {"wormhole", "flexible", "static", "dynamic"}
        What a head needs to claim a VC (paper E, section 3.2): one credit ("wormhole" and "flexible" are one rule; by
        custom the first has small buffers, the second ones that hold messages), or, virtual cut-through, room for a
        largest packet. "static" stores a packet that was blocked once as a whole before it goes on; "dynamic" does not.
    max_packet : int or None
        Largest packet, flits; needed by, and only allowed with, "static" and "dynamic". A longer one claims its VC with
        room for that many, too, and goes on when it fills the buffer.
    hold_packets : bool
        Keep a crossbar connection while a packet keeps moving (BookSim's hold_switch_for_packet).
    u_turn : bool
        Whether a packet may leave through the port it came by; otherwise such a route is dropped.
    arbiter : {"round_robin", "matrix"}
        Arbiters of the switch allocator.
    routing : {"table", "dimension_order"}
        Routes from the CAM (and cache), or computed from coordinates in the tag.
    radix : tuple of int
        Nodes in each dimension; needed by, and only allowed with, "dimension_order".
    wrap : bool
        "dimension_order" on a torus (True) or a mesh (False).
    counter_width : int
        Bits of each statistics counter, 0 (none) or 8 to 64.
    clock_ns : float
        Clock period for figures given in ns.
    cache : CacheParams
        Route cache; used by routing = "table".
    cam : CamParams
        CAM and its stand-in; used by routing = "table".
    lpi : LpiParams or None
        Low-power idle of the output links; None: links are always active.
    prediction : PredictionParams or None
        Prediction of output ports; None: every flit takes the pipeline.

    Raises
    ------
    pydantic.ValidationError
        Naming the field, the value and what is allowed.
    """

    ports: Annotated[int, Field(ge=2, le=MAX_PORTS)] = 5
    vcs: Annotated[int, Field(ge=1, le=MAX_VCS)] = 2
    data_width: Annotated[int, Field(ge=8, le=512)] = 64
    depth: Annotated[int, Field(ge=1, le=4096)] = 4
    tag_width: Annotated[int, Field(ge=16, le=64)] = 16
    buffering: Literal["wormhole", "flexible", "static", "dynamic"] = "wormhole"
    max_packet: Annotated[int, Field(ge=1, le=4096)] | None = None
    hold_packets: bool = True
    u_turn: bool = False
    arbiter: Literal["round_robin", "matrix"] = "round_robin"
    routing: Literal["table", "dimension_order"] = "table"
    radix: tuple[Annotated[int, Field(ge=2, le=65536)], ...] = ()
    wrap: bool = False
    counter_width: Annotated[int, Field(ge=0, le=64)] = 32
    clock_ns: Annotated[float, Field(gt=0)] = 1.0
    cache: CacheParams = CacheParams()
    cam: CamParams = CamParams()
    lpi: LpiParams | None = None
    prediction: PredictionParams | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if 0 < self.counter_width < 8:
            raise ValueError(f"counter_width = {self.counter_width}: must be 0 (no counters) or 8 to 64")
        if self.depth < self.header_flits:
            raise ValueError(
                f"depth = {self.depth}: a tag of {self.tag_width} bits takes {self.header_flits} header flits of "
                f"{self.data_width} bits, which a VC buffer must hold; use depth ≥ {self.header_flits}"
            )
        if self.cut_through:
            if self.max_packet is None:
                raise ValueError(f'max_packet is not set: buffering = "{self.buffering}" needs it, 1 to depth')
            if self.max_packet > self.depth:
                raise ValueError(
                    f'max_packet = {self.max_packet}: buffering = "{self.buffering}" allows 1 to depth = {self.depth}'
                )
        elif self.max_packet is not None:
            raise ValueError(
                f'max_packet = {self.max_packet}: only buffering = "static" and "dynamic" use it; leave it out'
            )
        if self.prediction is not None:
            self._check_prediction(self.prediction)
        if self.routing == "dimension_order":
            self._check_dimension_order()
        elif self.radix:
            raise ValueError(f'radix = {self.radix}: only routing = "dimension_order" uses it; leave it out')
        elif self.wrap:
            raise ValueError('wrap = true: only routing = "dimension_order" uses it; leave it out')
        elif self.cam.index_bits > self.tag_width:
            raise ValueError(f"cam.entries = {self.cam.entries}: tag_width = {self.tag_width} cannot name so many")
        return self

    def _check_prediction(self, prediction: PredictionParams) -> None:
        if self.header_flits > 1:
            raise ValueError(
                f"prediction: a tag of {self.tag_width} bits takes {self.header_flits} flits of {self.data_width} bits;"
                f" prediction needs data_width ≥ {self.tag_width}"
            )
        if self.routing == "table" and not self.has_cache:
            raise ValueError(
                "prediction: with cache.entries = 0 every route takes the latency of the CAM, and nothing confirms a "
                'prediction in time; use cache.entries > 0 or routing = "dimension_order"'
            )
        if (prediction.straight_ports or 0) > self.ports:
            raise ValueError(
                f"prediction.straight_ports = {prediction.straight_ports}: must be at most ports = {self.ports}"
            )
        if (prediction.order or 0) * self.port_bits > MAX_CONTEXT_BITS:
            raise ValueError(
                f"prediction.order = {prediction.order}: {prediction.order} output ports of {self.port_bits} bits are "
                f"more than {MAX_CONTEXT_BITS} bits of context"
            )

    def _check_dimension_order(self) -> None:
        if not self.radix:
            raise ValueError('radix is not set: routing = "dimension_order" needs the nodes in each dimension')
        if self.ports <= 2 * len(self.radix):
            raise ValueError(
                f"ports = {self.ports}: {len(self.radix)} dimensions need {2 * len(self.radix)} network ports "
                "and at least one local port"
            )
        if self.address_bits > self.tag_width:
            raise ValueError(
                f"tag_width = {self.tag_width}: coordinates {self.radix} and {self.local_ports} local ports "
                f"take {self.address_bits} bits"
            )
        if self.wrap and self.vcs < 2 and max(self.radix) > 3:
            raise ValueError(f"vcs = {self.vcs}: a torus with a ring of 4 or more nodes needs 2 VCs against deadlock")

    @property
    def straight_ports(self) -> int:
        """Ports below this number are opposite in pairs, for prediction."""
        given = self.prediction.straight_ports if self.prediction else None
        if given is not None:
            return given
        return 2 * len(self.radix) if self.radix else (self.ports - 1) // 2 * 2

    @property
    def context_bits(self) -> int:
        """Bits of the context of a history predictor."""
        if self.prediction is None or self.prediction.kind != "history":
            return 0
        return (self.prediction.order or 2) * self.port_bits

    @property
    def cut_through(self) -> bool:
        """Whether a head claims a VC only with room for a largest packet."""
        return self.buffering in ("static", "dynamic")

    @property
    def header_flits(self) -> int:
        """Flits that carry the destination tag."""
        return ceil(self.tag_width / self.data_width)

    @property
    def has_cache(self) -> bool:
        """Whether input ports have a route cache."""
        return self.routing == "table" and self.cache.entries > 0

    @property
    def has_cam(self) -> bool:
        """Whether the switch has a CAM interface."""
        return self.routing == "table"

    @property
    def port_bits(self) -> int:
        """Bits of a port number."""
        return index_width(self.ports)

    @property
    def vc_bits(self) -> int:
        """Bits of a VC number."""
        return index_width(self.vcs)

    @property
    def slots(self) -> int:
        """Route queue slots of an input port."""
        return self.vcs * self.depth

    @property
    def slot_bits(self) -> int:
        """Bits of a slot number."""
        return index_width(self.slots)

    @property
    def credit_need(self) -> int:
        """Credits a VC must have before a head may claim it."""
        return self.max_packet if self.cut_through and self.max_packet else 1

    @property
    def local_ports(self) -> int:
        """Local ports under dimension-order routing: those after the two of each dimension."""
        return self.ports - 2 * len(self.radix)

    @property
    def coordinate_bits(self) -> tuple[int, ...]:
        """Bits of each coordinate in the tag, dimension 0 lowest."""
        return tuple(max(1, ceil(log2(k))) for k in self.radix)

    @property
    def local_bits(self) -> int:
        """Bits of the local port number in the tag; 0 with one local port."""
        return (self.local_ports - 1).bit_length()

    @property
    def address_bits(self) -> int:
        """Bits of the tag that dimension-order routing reads."""
        return sum(self.coordinate_bits) + self.local_bits

    @property
    def route_cycles_hit(self) -> int:
        """RC cycles of a header whose route is known: computed, or a cache hit, or (no cache) an idle CAM."""
        if self.routing == "dimension_order":
            return 1
        return 2 if self.has_cache else self.cam.latency

    @property
    def route_cycles_miss(self) -> int:
        """RC cycles of a header that finds its CAM idle but its cache without the route."""
        return 2 + self.cam.latency if self.has_cache else self.route_cycles_hit
