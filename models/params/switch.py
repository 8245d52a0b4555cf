"""Parameters of a switch: the only source of widths, defaults and ranges.

All other parts (RTL, golden model, simulator, bus models, documents) read these classes; none parses or checks again.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.params.check import check
from models.params.coordinates import Coordinates
from models.params.output_buffers import OutputBuffers
from models.params.parts import (
    MAX_ENTRIES,
    MAX_HEAD_DELAY,
    MAX_NODE_PORTS,
    MAX_PORTS,
    MAX_VCS,
    AdaptiveParams,
    Arrangement,
    CacheParams,
    CamParams,
    LpiParams,
    Params,
    PredictionParams,
    Routing,
    index_width,
)
from models.params.predictors import Predictors


class SwitchParams(Coordinates, OutputBuffers, Predictors, Params):
    """One switch.

    Parameters
    ----------
    ports : int
        Bidirectional ports, network and local together.
    vcs : int
        Virtual channels per port.
    data_width : int
        Payload bits per flit.
    depth : int
        Buffer of one input VC, flits.
    tag_width : int
        Width of the destination tag in bits, which packets carry and tables match.
    buffering : {"wormhole", "flexible", "static", "dynamic"}
        Credits that a head needs to claim a VC (Boku et al.: paper E, section 3.2). "wormhole" and "flexible": one
        credit (they are one rule; by convention "wormhole" has small buffers, "flexible" buffers that hold a message).
        "static" and "dynamic", virtual cut-through: room for a largest packet. "static" stores a packet that was
        blocked as a whole before it goes on; "dynamic" does not.
    max_packet : int or None
        Largest packet, flits; required with, and only allowed with, "static" and "dynamic". A longer packet claims its
        VC with room for `max_packet` flits, and goes on when it fills the buffer.
    hold_packets : bool
        Keep a crossbar connection while a packet keeps moving (BookSim's hold_switch_for_packet).
    u_turn : bool
        Whether a packet may leave through the port on which it arrived; otherwise such a route is dropped.
    arbiter : {"round_robin", "matrix"}
        Arbiters of the switch allocator.
    allocator : {"input_first", "output_first", "ports_first"}
        Order of switch allocation. "input_first": each input port selects one of its VCs, then each output grants one
        of the input ports. "output_first": each output grants one of the input ports that request it, then each input
        port accepts one output (one iteration of iSLIP). "ports_first": each input port selects one of the outputs that
        its VCs request, then each output grants one of the input ports.
    routing : {"table", "linear", "dimension_order", "hyper_crossbar", "hypercube", "hyperx", "dragonfly",
        "fat_tree"}
        Source of routes: the CAM (and route cache); a table in each input port that the tag indexes (the linear
        forwarding table of InfiniBand switches); or a computation from coordinates in the tag, on a mesh or torus, on a
        hyper-crossbar (paper E), on a hypercube (paper D), on a HyperX, on a dragonfly, or on
        a fat tree.
    table_entries : int or None
        Entries of the table of an input port, a power of two up to 262144; required with, and only allowed with,
        "linear".
    radix : tuple of int
        Switches in each dimension; required with, and only allowed with, computed routes. All 2 with "hypercube". With
        "dragonfly": switches of a group, groups. With "fat_tree": k ports up and down for each of n levels.
    arrangement : {"absolute", "relative", "palmtree", "circulant"}
        "dragonfly": which global port of a group leads to which group.
    ties : {"parity", "random"}
        "dimension_order" on a torus: direction of a packet whose destination is half way round an even ring. "parity":
        + from even and − from odd positions. "random": as a tag bit says, one bit for each even ring, below the
        coordinates, drawn by the source (as BookSim2's dim_order).
    fold : int or None
        "hypercube": mask of the two or more dimensions in which the link of the folded generator changes the position;
        None: the hypercube is not folded.
    crossbar : int or None
        "hyper_crossbar": the switch is the crossbar of this dimension; None: an exchanger.
    network_ports : int or None
        Ports below this number lead to other switches, the others to nodes. With "table" and "linear", `node_ports` > 1
        and adaptive.kind = "step" require it; with computed routes it follows.
    wrap : bool or tuple of bool
        "dimension_order": whether dimensions are rings, one value for all or one each: torus (True) or mesh (False).
    ring_classes : {"dateline", "fixed"}
        VC class of a packet on a ring of 4 or more. "dateline": lower half of the VCs until the packet has crossed the
        wrap-around link, then the upper half. "fixed": one half all the way, by direction and by whether the path
        crosses the wrap-around link (as BookSim2's dim_order).
    counter_width : int
        Width of each statistics counter in bits, 0 (no counters) or 8 to 64.
    cache : CacheParams
        Route cache; used by routing = "table".
    cam : CamParams
        CAM and the table that stands in for it; used by routing = "table".
    lpi : LpiParams or None
        Low-power idle of the output links; None: links are always active.
    prediction : PredictionParams or None
        Prediction of output ports; None: every flit passes the whole pipeline.
    adaptive : AdaptiveParams or None
        Adaptive routing; None: a route names one output.
    head_delay : int
        Cycles that a head with a ready route waits at the front of its VC before it requests an output: pipeline stages
        that heads pass one after the other (Dally and Towles, chapter 16: routing, VC allocation).
    vc_stage : bool
        Whether VC allocation is a pipeline stage of its own: a head claims an output VC first, and requests the
        crossbar from the next cycle on, unless `speculation` (Dally and Towles, chapter 16). Otherwise both are granted
        in one cycle.
    vc_allocator : {"output_first", "input_first"}
        Order of VC allocation in that stage. "output_first": each output VC is offered to one of the heads that request
        it, then each head takes one offer (one iteration of iSLIP). "input_first": each head selects one VC, then each
        output VC grants one of the heads.
    claim_full : bool
        Whether a head may claim a VC without credits in the VC stage, and wait for credits as its owner. True allows it
        except in virtual cut-through, and where the head would give up other outputs by it.
    speculation : {"none", "equal", "behind"}
        Whether a head requests the crossbar in the cycle in which it requests a VC, so that the VC stage takes no time;
        a grant without a VC is in vain (Peh and Dally, HPCA 2001). VCs of its port that own a VC of the same output go
        before the head. Otherwise all requests are equal ("equal"), or sure requests go first at every port and output
        ("behind"). Used with `vc_stage`, and `allocator` = "output_first" or "ports_first".
    stage_delay : int
        Cycles that a flit takes from the end of the pipeline to the output link, for a pipeline of which only the total
        time is known.
    speedup : int
        Speed of the crossbar in multiples of the link's: the clock is that of the switch, and a link carries one flit
        per `speedup` cycles (paper D).
    node_ports : int
        Local ports per node, all of which carry packets of the node (paper E, section 4.1).
    output_buffer : int or None
        Flits of the buffer before each output link. With `speedup` > 1 one FIFO of at least 2 flits per output, default
        4. With `speedup` = 1 one queue per output VC, in which granted flits wait for credits (paper E, section 3.1);
        default none.

    Raises
    ------
    pydantic.ValidationError
        Names the field, its value and what is allowed.
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
    routing: Routing = "table"
    table_entries: Annotated[int, Field(ge=2, le=MAX_ENTRIES)] | None = None
    radix: tuple[Annotated[int, Field(ge=2, le=65536)], ...] = ()
    arrangement: Arrangement = "absolute"
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
    output_buffer: Annotated[int, Field(ge=1, le=64)] | None = None
    node_ports: Annotated[int, Field(ge=1, le=MAX_NODE_PORTS)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        check(self)
        return self

    @property
    def cut_through(self) -> bool:
        """Whether a head claims a VC only if there is room for a largest packet."""
        return self.buffering in ("static", "dynamic")

    @property
    def header_flits(self) -> int:
        """Flits that carry the destination tag."""
        return -(-self.tag_width // self.data_width)

    @property
    def has_cache(self) -> bool:
        """Whether input ports have a route cache."""
        return self.routing == "table" and self.cache.entries > 0

    @property
    def matching(self) -> bool:
        """Whether the switch allocator matches input ports with outputs (output first, ports first)."""
        return self.allocator != "input_first"

    @property
    def has_cam(self) -> bool:
        """Whether the switch has a CAM interface."""
        return self.routing == "table"

    @property
    def ternary(self) -> bool:
        """Whether entries of the CAM have masks."""
        return self.has_cam and self.cam.match == "ternary"

    @property
    def linear(self) -> bool:
        """Whether input ports have tables that are indexed by the tag."""
        return self.routing == "linear"

    @property
    def programmed(self) -> bool:
        """Whether routes are programmed into tables."""
        return self.has_cam or self.linear

    @property
    def programmed_entries(self) -> int:
        """Entries of the programmed table; 0: there is none."""
        return self.cam.entries if self.has_cam else self.table_entries or 0

    @property
    def port_bits(self) -> int:
        """Width of a port number in bits."""
        return index_width(self.ports)

    @property
    def vc_bits(self) -> int:
        """Width of a VC number in bits."""
        return index_width(self.vcs)

    @property
    def slots(self) -> int:
        """Slots of an input port's route queues, all VCs together."""
        return self.vcs * self.depth

    @property
    def slot_bits(self) -> int:
        """Width of a slot number in bits."""
        return index_width(self.slots)

    @property
    def credit_need(self) -> int:
        """Credits that a VC must have before a head may claim it."""
        return self.max_packet if self.cut_through and self.max_packet else 1

    @property
    def choice_need(self) -> int:
        """Credits that an adaptive VC beside escape VCs must have: all, so that no head waits behind another packet."""
        return self.credit_need if self.cut_through else self.depth

    @property
    def claims_full(self) -> bool:
        """Whether a head may claim a VC without credits, and wait for credits as its owner."""
        return self.claim_full and self.vc_stage and not self.cut_through and self.adaptive is None

    @property
    def speculates(self) -> bool:
        """Whether heads request the crossbar before they own a VC."""
        return self.speculation != "none"

    def head_need(self, vc: int) -> int:
        """Return the credits that output VC `vc` must have before a head may claim it."""
        return self.choice_need if vc >= self.escape_vcs else self.credit_need

    @property
    def computed(self) -> bool:
        """Whether routes are computed from coordinates."""
        return not self.programmed

    @property
    def at_once(self) -> bool:
        """Whether the route is known in the cycle of its header."""
        return not self.has_cam

    @property
    def escape_vcs(self) -> int:
        """VCs for the deterministic route: all of them unless adaptive.kind = "escape"."""
        if self.adaptive is None or self.adaptive.kind != "escape":
            return self.vcs
        return self.adaptive.escape_vcs or (2 if self.longest_ring > 3 else 1)

    @property
    def selects(self) -> bool:
        """Whether heads choose among several outputs."""
        return self.adaptive is not None and self.crossbar is None

    def crossbar_of(self, dimension: int) -> SwitchParams:
        """Return the parameters of the crossbar of `dimension` in the hyper-crossbar of this exchanger."""
        changes = {"crossbar": dimension, "ports": self.radix[dimension], "node_ports": 1}
        return SwitchParams.model_validate(dict(self) | changes)

    @property
    def lookahead(self) -> bool:
        """Whether exchangers see the free outputs of crossbars."""
        return self.adaptive is not None and self.adaptive.lookahead

    @property
    def reserves(self) -> bool:
        """Whether exchangers reserve the outputs of the crossbars ahead."""
        return self.adaptive is not None and self.adaptive.reservation

    @property
    def route_cycles_hit(self) -> int:
        """RC cycles of a header whose route is known: computed, or a cache hit, or (without cache) an idle CAM.

        Includes the choice of adaptive routing, the head delay, and a VC stage without speculation.
        """
        more = self.selects + self.head_delay + (self.vc_stage and not self.speculates)
        if self.at_once:
            return 1 + more
        return (2 if self.has_cache else self.cam.latency) + more

    @property
    def route_cycles_miss(self) -> int:
        """RC cycles of a header that misses in its cache and finds the CAM idle."""
        return self.route_cycles_hit + self.cam.latency if self.has_cache else self.route_cycles_hit
