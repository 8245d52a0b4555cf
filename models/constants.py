"""Parameters in the form that compiled functions read."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, get_type_hints

from models.batched.link import pin_shift
from models.batched.vectors import CounterVectors, OutputVectors, Places, VcVectors, credit_bits, number_of, places
from models.buffer.head_delay import delay_slots
from models.jit.struct_pointer import struct_pointer
from models.params import SwitchParams, hint_hops, index_width
from models.route.dragonfly import ARRANGEMENTS
from models.state.declare import Sizes
from models.state.owners import matches
from models.state.registers import ADAPTIVE, DETERMINISTIC, FIFO, LRU, PLRU, PREDICTORS, STATIC_LOCALS
from models.state.vc_set import vc_shift, vc_words

POLICIES = {"lru": LRU, "plru": PLRU, "fifo": FIFO}


class Constants(Places):
    """Parameters the compiled functions read, and the places of vectors of batches."""

    ports: int
    vcs: int
    vc_shift: int  # of sets of input VCs (`models.state.vc_set`)
    vc_words: int
    depth: int
    data_width: int
    header_flits: int
    tag_mask: int
    credit_need: int
    choice_need: int
    static: bool
    hold: bool
    u_turn: bool
    matrix: bool
    batched: bool  # switches are batched (`models.batched.switch`)
    batch_vectors: int  # vectors of sets of VCs of a batch of switches
    batch_counts: int  # of these, vectors of counters
    batch_output_vectors: int  # vectors of sets of outputs
    credit_bits: int  # batched: bits of a number of credits
    pin_shift: int  # batched: bits of a pin's place within its batch of switches
    matching: bool  # SA matches input ports with outputs, switch by switch; else input ports choose a VC
    ports_first: bool
    table: bool
    linear: bool
    cached: bool
    sets: int
    ways: int
    policy: int
    crc_degree: int
    cam_latency: int
    cam_occupancy: int
    table_mask: int
    ternary: bool
    dimensions: int
    wrap: int  # mask of dimensions
    fixed_classes: bool
    local_ports: int
    local_bits: int
    tie_bits: int
    lpi: bool
    refresh_interval: int
    refresh: int
    hints: int
    address_mask: int  # bits of the tag that computed routes read
    predict: bool
    predictor: int
    straight_ports: int
    static_local: int  # what static predictors of local ports name
    first_predicted_local: int
    port_bits: int
    hyper: bool
    hypercube: bool
    hyperx: bool
    dragonfly: bool
    arrangement: int
    fat_tree: bool
    arity: int
    fold: int
    adaptive: int
    by_credits: bool
    by_route: bool
    escape_vcs: int
    lookahead: bool
    reserves: bool
    head_delay: int
    delay_slots: int  # of the timing wheel of delayed heads
    vc_stage: bool
    vc_input_first: bool
    claims_full: bool
    speculates: bool
    behind: bool
    stage_delay: int
    speedup: int
    output_flits: int
    output_fifo: bool
    output_queues: bool
    node_ports: int
    first_local: int


# What `Constants` are when a switch runs: compiled functions take a named tuple.
ConstantsTuple: Any = struct_pointer(namedtuple("ConstantsTuple", get_type_hints(Constants)))


@struct_pointer
class LeanConstants(ConstantsTuple):  # type: ignore[misc]
    """Constants of switches without features that few have: compiled code for them leaves these out.

    It compiles in less time, and serves all switches without them.
    """

    ABSENT = frozenset(
        {
            "adaptive",
            "behind",
            "by_credits",
            "by_route",
            "hints",
            "lookahead",
            "lpi",
            "matrix",
            "output_queues",
            "predict",
            "reserves",
            "speculates",
            "static",
            "ternary",
        }
    )


def constants(n: Sizes) -> Constants:
    """Return the parameters of switches."""
    params = n.params
    found: Constants = ConstantsTuple(
        ports=n.ports,
        vcs=params.vcs,
        vc_shift=vc_shift(params.vcs),
        vc_words=vc_words(n.ports, params.vcs),
        depth=params.depth,
        data_width=params.data_width,
        header_flits=params.header_flits,
        tag_mask=_signed((1 << params.tag_width) - 1),
        credit_need=params.credit_need,
        choice_need=params.choice_need,
        static=params.buffering == "static",
        hold=params.hold_packets,
        u_turn=params.u_turn,
        matrix=params.arbiter == "matrix",
        matching=matches(n),
        ports_first=params.allocator == "ports_first",
        head_delay=params.head_delay,
        delay_slots=delay_slots(n) if params.head_delay else 0,
        vc_stage=params.vc_stage,
        vc_input_first=params.vc_allocator == "input_first",
        claims_full=params.claims_full,
        speculates=params.speculates,
        behind=params.speculation == "behind",
        stage_delay=params.stage_delay,
        speedup=params.speedup,
        output_flits=params.output_flits,
        output_fifo=params.output_fifo,
        output_queues=params.output_queues,
        node_ports=params.node_ports,
        first_local=params.first_local,
        **_of_batches(n),
        **_of_routes(params),
        **_of_links(params),
        **_of_prediction(n),
    )
    return found


def _of_batches(n: Sizes) -> dict[str, Any]:
    return {
        "batched": n.batched,
        "batch_vectors": number_of(n, VcVectors),
        "batch_counts": number_of(n, CounterVectors),
        "batch_output_vectors": number_of(n, OutputVectors),
        "credit_bits": credit_bits(n),
        "pin_shift": pin_shift(n.ports),
        **places(n),
    }


def _of_routes(params: SwitchParams) -> dict[str, Any]:
    adaptive = params.adaptive
    return {
        "table": params.has_cam,
        "linear": params.linear,
        "cached": params.has_cache,
        "sets": params.cache.sets,
        "ways": params.cache.ways,
        "policy": POLICIES[params.cache.policy],
        "crc_degree": params.cache.crc_degree,
        "cam_latency": params.cam.latency,
        "cam_occupancy": params.cam.occupancy,
        "table_mask": params.programmed_entries - 1,
        "ternary": params.ternary,
        "dimensions": len(params.radix),
        "wrap": sum(1 << d for d, ring in enumerate(params.rings) if ring),
        "fixed_classes": params.ring_classes == "fixed",
        "local_ports": params.local_ports,
        "local_bits": params.local_bits,
        "tie_bits": params.tie_bits,
        "hyper": params.routing == "hyper_crossbar",
        "hypercube": params.routing == "hypercube",
        "hyperx": params.routing == "hyperx",
        "dragonfly": params.routing == "dragonfly",
        "arrangement": ARRANGEMENTS[params.arrangement],
        "fat_tree": params.routing == "fat_tree",
        "arity": params.radix[0] if params.routing == "fat_tree" else 0,
        "fold": params.fold or 0,
        "adaptive": ADAPTIVE[adaptive.kind] if adaptive else DETERMINISTIC,
        "by_credits": adaptive is not None and adaptive.selection == "credits",
        "by_route": adaptive is not None and adaptive.selection == "route",
        "escape_vcs": params.escape_vcs,
        "lookahead": params.lookahead,
        "reserves": params.reserves,
    }


def _of_links(params: SwitchParams) -> dict[str, Any]:
    lpi = params.lpi
    return {
        "lpi": lpi is not None,
        "refresh_interval": lpi.refresh_interval if lpi else 0,
        "refresh": lpi.refresh if lpi else 0,
        "hints": hint_hops(lpi),
        "address_mask": _signed((1 << params.address_bits) - 1),
    }


def _of_prediction(n: Sizes) -> dict[str, Any]:
    params = n.params
    return {
        "predict": params.prediction is not None,
        "predictor": PREDICTORS[params.prediction.kind] if params.prediction else 0,
        "straight_ports": params.straight_ports,
        "static_local": STATIC_LOCALS[params.static_local],
        "first_predicted_local": params.first_predicted_local,
        "port_bits": index_width(n.ports),
    }


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask
