"""Parameters of a switch and its links: the only home of widths, defaults and ranges.

Every other part (RTL, golden model, simulator, bus models, documents) reads these classes; none parses or checks again.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.part_params import (
    MAX_CONTEXT_BITS,
    MAX_LANES,
    MAX_PORTS,
    MAX_VCS,
    TIME_BITS,
    CacheParams,
    CamParams,
    LinkParams,
    LpiParams,
    Params,
    PredictionParams,
    index_width,
)

__all__ = [
    "TIME_BITS",
    "CacheParams",
    "CamParams",
    "LinkParams",
    "LpiParams",
    "Params",
    "PredictionParams",
    "SwitchParams",
    "index_width",
]


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
    stage_delay : int
        Cycles that a flit takes from the end of the pipeline to the output link: what is known of a pipeline that is
        given as a time only.
    speedup : int
        How many times as fast as a link the crossbar is: the clock is the switch's, and a link carries a flit in so
        many cycles (paper D).
    lanes : int
        Local ports a node: its packets come and go through all of them (paper E, section 4.1).
    network_ports : int or None
        Ports below this number lead to other switches, the others to nodes. None: two a dimension with
        "dimension_order"; with "table" only `lanes` > 1 needs to know.
    output_buffer : int or None
        Flits of the buffer before each output link; only allowed with `speedup` > 1, and 4 then if not given.

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
    stage_delay: Annotated[int, Field(ge=0, le=1023)] = 0
    speedup: Annotated[int, Field(ge=1, le=4)] = 1
    output_buffer: Annotated[int, Field(ge=2, le=64)] | None = None
    lanes: Annotated[int, Field(ge=1, le=MAX_LANES)] = 1
    network_ports: Annotated[int, Field(ge=0, le=MAX_PORTS)] | None = None

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
        if self.speedup == 1 and self.output_buffer is not None:
            raise ValueError(f"output_buffer = {self.output_buffer}: only speedup > 1 uses it; leave it out")
        if self.prediction is not None:
            self._check_prediction(self.prediction)
        self._check_lanes()
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

    def _check_lanes(self) -> None:
        network = self.network_ports
        computed = self.routing == "dimension_order"
        if network is None and self.lanes > 1 and not computed:
            raise ValueError(
                f'network_ports is not set: with routing = "table" lanes = {self.lanes} needs the number of ports that '
                f"lead to other switches, below ports = {self.ports}"
            )
        if network is not None and network >= self.ports:
            raise ValueError(f"network_ports = {network}: must be below ports = {self.ports}")
        if network is not None and computed and network != 2 * len(self.radix):
            raise ValueError(
                f"network_ports = {network}: {len(self.radix)} dimensions have {2 * len(self.radix)}; leave it out"
            )
        if (self.ports - self.first_local) % self.lanes:
            raise ValueError(
                f"lanes = {self.lanes}: ports = {self.ports} leave {self.ports - self.first_local} local ports, which "
                "must be a multiple of lanes"
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
    def link_lead(self) -> int:
        """Most cycles from a grant to its flit on the output link."""
        return self.stage_delay + max(1, self.output_flits * self.speedup)

    @property
    def output_flits(self) -> int:
        """Flits of the buffer before an output link; 0: there is none."""
        return 0 if self.speedup == 1 else self.output_buffer or 4

    @property
    def first_local(self) -> int:
        """Lowest local port, as far as is known; 0 if nothing is, which `lanes` > 1 excludes."""
        return 2 * len(self.radix) if self.network_ports is None else self.network_ports

    @property
    def local_ports(self) -> int:
        """Local ports that tags of dimension-order routing number: the first lane of each node."""
        return (self.ports - self.first_local) // self.lanes

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
