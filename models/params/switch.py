"""Parameters of a switch and its links: the only home of widths, defaults and ranges.

Every other part (RTL, golden model, simulator, bus models, documents) reads these classes; none parses or checks again.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.params.check import check
from models.params.parts import (
    MAX_ENTRIES,
    MAX_HEAD_DELAY,
    MAX_NODE_PORTS,
    MAX_PORTS,
    MAX_VCS,
    AdaptiveParams,
    CacheParams,
    CamParams,
    LpiParams,
    Params,
    PredictionParams,
    index_width,
)
from models.params.rings import longest_ring, ring_dimensions


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
    allocator : {"input_first", "output_first", "ports_first"}
        Who chooses first: each input port one of its VCs, whose output then chooses among input ports; or each output
        one of the input ports that want it, which then accept one output (an iteration of iSLIP); or each input port
        one of the outputs that its VCs want, which then chooses among input ports.
    routing : {"table", "linear", "dimension_order", "hyper_crossbar", "hypercube"}
        Routes from the CAM (and cache); or from a table in each input port that the tag indexes (the linear forwarding
        table of InfiniBand switches); or computed from coordinates in the tag: on a mesh or torus, on a
        hyper-crossbar (paper E), or on a hypercube (paper D).
    table_entries : int or None
        Entries of the table of an input port, a power of two up to 65536; needed by, and only allowed with, "linear".
    radix : tuple of int
        Nodes in each dimension; needed by, and only allowed with, computed routes. 2 each with "hypercube".
    ties : {"parity", "random"}
        "dimension_order" on a torus: which way round an even ring a packet goes whose destination is half a ring away:
        + from even and − from odd places; or as a bit of its tag says, one for each even ring, below the coordinates,
        which sources draw (BookSim2's dim_order draws it, too).
    fold : int or None
        "hypercube": the dimensions, as a mask of two or more, in which the switch at the other end of the folded
        generator's link differs; None: the hypercube is not folded.
    crossbar : int or None
        "hyper_crossbar": the switch is the crossbar of this dimension; None: an exchanger.
    network_ports : int or None
        Ports below it lead to other switches, the others to nodes. With "table" and "linear" `node_ports` > 1 and
        adaptive.kind = "step" need it; with computed routes it follows.
    wrap : bool or tuple of bool
        "dimension_order": whether each dimension is a ring, of all or one by one: on a torus (True), a mesh (False).
    ring_classes : {"dateline", "fixed"}
        VCs of a packet on a ring of 4 or more: the lower half of them until it is through the link that wraps around,
        then the upper half; or one half all the way, by whether its way leads through that link and in which direction
        (BookSim2's dim_order).
    counter_width : int
        Bits of each statistics counter, 0 (none) or 8 to 64.
    cache : CacheParams
        Route cache; used by routing = "table".
    cam : CamParams
        CAM and its stand-in; used by routing = "table".
    lpi : LpiParams or None
        Low-power idle of the output links; None: links are always active.
    prediction : PredictionParams or None
        Prediction of output ports; None: every flit takes the pipeline.
    adaptive : AdaptiveParams or None
        Adaptive routing; None: a route is one output.
    head_delay : int
        Cycles that a head, its route ready, waits at the front of its VC before it asks for an output: stages of a
        pipeline that heads pass one after the other (Dally and Towles, chapter 16: routing, VC allocation).
    vc_stage : bool
        VC allocation is a stage of its own: a head claims an output VC first, and asks for the crossbar from the next
        cycle on, but for `speculation` (Dally and Towles, chapter 16). Otherwise both are granted at once.
    vc_allocator : {"output_first", "input_first"}
        Who chooses first in it: each output VC one of the heads that ask for it, which then take one of their offers
        (an iteration of iSLIP); or each head one of the VCs it may have, which then take one of the heads.
    claim_full : bool
        Whether a head may claim a VC without credits in the VC stage, and wait for them as its owner. True allows it
        where it can do no harm: not in virtual cut-through, nor where it would give up other outputs by it.
    speculation : {"none", "equal", "behind"}
        Whether a head asks for the crossbar in the cycle in which it asks for a VC, too, so that the VC stage takes no
        time; what it is granted without a VC is lost (Peh and Dally, 2001). VCs of its port that are sure of the same
        output go before it; else it asks as all others do ("equal"), or what is sure goes first wherever a port or an
        output chooses ("behind"). Used with `vc_stage`, by `allocator` = "output_first" and "ports_first".
    stage_delay : int
        Cycles that a flit takes from the end of the pipeline to the output link: what is known of a pipeline that is
        given as a time only.
    speedup : int
        How many times as fast as a link the crossbar is: the clock is the switch's, and a link carries a flit in so
        many cycles (paper D).
    node_ports : int
        Local ports a node: its packets come and go through all of them (paper E, section 4.1).
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
    allocator: Literal["input_first", "output_first", "ports_first"] = "input_first"
    routing: Literal["table", "linear", "dimension_order", "hyper_crossbar", "hypercube"] = "table"
    table_entries: Annotated[int, Field(ge=2, le=MAX_ENTRIES)] | None = None
    radix: tuple[Annotated[int, Field(ge=2, le=65536)], ...] = ()
    wrap: bool | tuple[bool, ...] = False
    ring_classes: Literal["dateline", "fixed"] = "dateline"
    ties: Literal["parity", "random"] = "parity"
    fold: Annotated[int, Field(ge=1)] | None = None
    crossbar: Annotated[int, Field(ge=0)] | None = None
    network_ports: Annotated[int, Field(ge=0, le=MAX_PORTS)] | None = None
    counter_width: Annotated[int, Field(ge=0, le=64)] = 32
    cache: CacheParams = CacheParams()
    cam: CamParams = CamParams()
    lpi: LpiParams | None = None
    prediction: PredictionParams | None = None
    adaptive: AdaptiveParams | None = None
    head_delay: Annotated[int, Field(ge=0, le=MAX_HEAD_DELAY)] = 0
    vc_stage: bool = False
    vc_allocator: Literal["output_first", "input_first"] = "output_first"
    claim_full: bool = True
    speculation: Literal["none", "equal", "behind"] = "none"
    stage_delay: Annotated[int, Field(ge=0, le=1023)] = 0
    speedup: Annotated[int, Field(ge=1, le=4)] = 1
    output_buffer: Annotated[int, Field(ge=2, le=64)] | None = None
    node_ports: Annotated[int, Field(ge=1, le=MAX_NODE_PORTS)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        check(self)
        return self

    @property
    def straight_ports(self) -> int:
        """Ports below this number are opposite in pairs, for prediction."""
        given = self.prediction.straight_ports if self.prediction else None
        if given is not None:
            return given
        return 2 * len(self.radix) if self.routing == "dimension_order" else (self.ports - 1) // 2 * 2

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
    def matching(self) -> bool:
        """Whether the switch allocator matches input ports with outputs, whatever the VCs."""
        return self.allocator != "input_first"

    @property
    def has_cam(self) -> bool:
        """Whether the switch has a CAM interface."""
        return self.routing == "table"

    @property
    def linear(self) -> bool:
        """Whether input ports have tables that tags index."""
        return self.routing == "linear"

    @property
    def programmed(self) -> bool:
        """Whether routes are what an operator programs."""
        return self.has_cam or self.linear

    @property
    def programmed_entries(self) -> int:
        """Entries of the table that is programmed; 0: there is none."""
        return self.cam.entries if self.has_cam else self.table_entries or 0

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
    def choice_need(self) -> int:
        """The same of an adaptive VC beside escape VCs: all of them, so that no head waits behind another packet."""
        return self.credit_need if self.cut_through else self.depth

    @property
    def claims_full(self) -> bool:
        """Whether a head may claim a VC without credits, and wait for them as its owner."""
        return self.claim_full and self.vc_stage and not self.cut_through and self.adaptive is None

    @property
    def speculates(self) -> bool:
        """Whether heads ask for the crossbar before they own a VC."""
        return self.speculation != "none"

    def head_need(self, vc: int) -> int:
        """Return the credits an output VC must have before a head may claim it."""
        return self.choice_need if vc >= self.escape_vcs else self.credit_need

    @property
    def link_lead(self) -> int:
        """Most cycles from a grant to its flit on the output link."""
        return self.stage_delay + max(1, self.output_flits * self.speedup)

    @property
    def output_flits(self) -> int:
        """Flits of the buffer before an output link; 0: there is none."""
        return 0 if self.speedup == 1 else self.output_buffer or 4

    @property
    def computed(self) -> bool:
        """Whether routes are computed from coordinates."""
        return not self.programmed

    @property
    def at_once(self) -> bool:
        """Whether a route follows from its header in the same cycle."""
        return not self.has_cam

    @property
    def first_local(self) -> int:
        """Ports below it lead to other switches, as far as that is known."""
        if self.network_ports is not None:
            return self.network_ports
        if self.crossbar is not None or not self.computed:
            return self.ports
        if self.routing == "dimension_order":
            return 2 * len(self.radix)
        return len(self.radix) + (self.fold is not None)

    @property
    def local_ports(self) -> int:
        """Nodes of a switch, which tags number. A crossbar does not look at their number."""
        return 1 if self.crossbar is not None else (self.ports - self.first_local) // self.node_ports

    @property
    def escape_vcs(self) -> int:
        """VCs for the deterministic route: all of them without adaptive routing by escape."""
        if self.adaptive is None or self.adaptive.kind != "escape":
            return self.vcs
        return self.adaptive.escape_vcs or (2 if self.longest_ring > 3 else 1)

    @property
    def selects(self) -> bool:
        """Whether heads choose among several outputs."""
        return self.adaptive is not None and self.crossbar is None

    def crossbar_of(self, dimension: int) -> SwitchParams:
        """Return the crossbar of a dimension of the hyper-crossbar that this exchanger belongs to."""
        changes = {"crossbar": dimension, "ports": self.radix[dimension], "node_ports": 1}
        return SwitchParams.model_validate({**dict(self), **changes})

    @property
    def lookahead(self) -> bool:
        """Whether exchangers look at the outputs of crossbars."""
        return self.adaptive is not None and self.adaptive.lookahead

    @property
    def reserves(self) -> bool:
        """Whether exchangers reserve the outputs of the crossbars ahead."""
        return self.adaptive is not None and self.adaptive.reservation

    @property
    def longest_path(self) -> int:
        """Links between switches on the longest shortest path that counts for steps; 0 where radix does not say."""
        if self.routing == "hyper_crossbar":
            return len(self.radix)
        if self.routing == "hypercube":
            # Of the fold's dimensions at most half, its own link counted, are on a shortest path.
            folded = (self.fold or 0).bit_count()
            return len(self.radix) - folded // 2
        return sum(k // 2 if ring else k - 1 for k, ring in zip(self.radix, self.rings, strict=True))

    @property
    def rings(self) -> tuple[bool, ...]:
        """Whether each dimension is a ring."""
        return ring_dimensions(self.wrap, self.radix)

    @property
    def longest_ring(self) -> int:
        """Switches of the longest ring; 0 without."""
        return longest_ring(self.wrap, self.radix)

    @property
    def coordinate_bits(self) -> tuple[int, ...]:
        """Bits of each coordinate in the tag, dimension 0 lowest."""
        return tuple(max(1, ceil(log2(k))) for k in self.radix)

    @property
    def local_bits(self) -> int:
        """Bits of the local port number in the tag; 0 with one local port."""
        return (self.local_ports - 1).bit_length()

    @property
    def tie_bits(self) -> int:
        """Bits of the tag, its lowest, that say which way round even rings ties go, the lowest dimension's lowest."""
        if self.ties != "random":
            return 0
        return sum(ring and k % 2 == 0 for k, ring in zip(self.radix, self.rings, strict=True))

    @property
    def address_bits(self) -> int:
        """Bits of the tag that dimension-order routing reads."""
        return self.tie_bits + sum(self.coordinate_bits) + self.local_bits

    @property
    def route_cycles_hit(self) -> int:
        """RC cycles of a header whose route is known: at once, or a cache hit, or (no cache) an idle CAM.

        With adaptive routing the choice is one of them; a head delay and a VC stage without speculation are part of
        them.
        """
        more = self.selects + self.head_delay + (self.vc_stage and not self.speculates)
        if self.at_once:
            return 1 + more
        return (2 if self.has_cache else self.cam.latency) + more

    @property
    def route_cycles_miss(self) -> int:
        """RC cycles of a header that finds its CAM idle but its cache without the route."""
        return self.route_cycles_hit + self.cam.latency if self.has_cache else self.route_cycles_hit
