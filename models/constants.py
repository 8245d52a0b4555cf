"""Parameters in the form that compiled functions read."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, get_type_hints

from models.batched.link import pin_shift
from models.batched.vectors import CounterVectors, OutputVectors, Places, VcVectors, credit_bits, number_of, places
from models.buffer.head_delay import delay_slots
from models.jit.struct_pointer import struct_pointer
from models.params import hint_hops, index_width
from models.route.dragonfly import ARRANGEMENTS
from models.state.declare import Sizes
from models.state.owners import matches
from models.state.registers import ADAPTIVE, DETERMINISTIC, FIFO, LRU, PLRU, PREDICTORS, STATIC_LOCALS
from models.state.vc_set import vc_shift, vc_words

POLICIES = {"lru": LRU, "plru": PLRU, "fifo": FIFO}


def of(value: Callable[[Sizes], Any]) -> Any:  # an int or a bool, as a constant
    """Declare a constant that follows from the parameters of switches, or is not called as the parameter is."""
    return value


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask


class Constants(Places):
    """Parameters that compiled functions read, under their own names if nothing else is said, and places of vectors."""

    ports: int = of(lambda n: n.ports)
    vcs: int
    vc_shift: int = of(lambda n: vc_shift(n.params.vcs))  # of sets of input VCs (`models.state.vc_set`)
    vc_words: int = of(lambda n: vc_words(n.ports, n.params.vcs))
    depth: int
    data_width: int
    header_flits: int
    tag_mask: int = of(lambda n: _signed((1 << n.params.tag_width) - 1))
    credit_need: int
    choice_need: int
    static: bool = of(lambda n: n.params.buffering == "static")
    hold: bool = of(lambda n: n.params.hold_packets)
    u_turn: bool
    matrix: bool = of(lambda n: n.params.arbiter == "matrix")
    batched: bool = of(lambda n: n.batched)  # switches are batched (`models.batched.switch`)
    batch_vectors: int = of(lambda n: number_of(n, VcVectors))  # vectors of sets of VCs of a batch of switches
    batch_counts: int = of(lambda n: number_of(n, CounterVectors))  # of these, vectors of counters
    batch_output_vectors: int = of(lambda n: number_of(n, OutputVectors))  # vectors of sets of outputs
    credit_bits: int = of(credit_bits)  # batched: bits of a number of credits
    pin_shift: int = of(lambda n: pin_shift(n.ports))  # batched: bits of a pin's place within its batch of switches
    # SA matches input ports with outputs, switch by switch; else input ports choose a VC
    matching: bool = of(matches)
    ports_first: bool = of(lambda n: n.params.allocator == "ports_first")
    table: bool = of(lambda n: n.params.has_cam)
    linear: bool
    cached: bool = of(lambda n: n.params.has_cache)
    sets: int = of(lambda n: n.params.cache.sets)
    ways: int = of(lambda n: n.params.cache.ways)
    policy: int = of(lambda n: POLICIES[n.params.cache.policy])
    crc_degree: int = of(lambda n: n.params.cache.crc_degree)
    cam_latency: int = of(lambda n: n.params.cam.latency)
    cam_occupancy: int = of(lambda n: n.params.cam.occupancy)
    table_mask: int = of(lambda n: n.params.programmed_entries - 1)
    ternary: bool
    dimensions: int = of(lambda n: len(n.params.radix))
    wrap: int = of(lambda n: sum(1 << d for d, ring in enumerate(n.params.rings) if ring))  # mask of dimensions
    fixed_classes: bool = of(lambda n: n.params.ring_classes == "fixed")
    local_ports: int
    local_bits: int
    tie_bits: int
    lpi: bool = of(lambda n: n.params.lpi is not None)
    refresh_interval: int = of(lambda n: n.params.lpi.refresh_interval if n.params.lpi else 0)
    refresh: int = of(lambda n: n.params.lpi.refresh if n.params.lpi else 0)
    hints: int = of(lambda n: hint_hops(n.params.lpi))
    # bits of the tag that computed routes read
    address_mask: int = of(lambda n: _signed((1 << n.params.address_bits) - 1))
    predict: bool = of(lambda n: n.params.prediction is not None)
    predictor: int = of(lambda n: PREDICTORS[n.params.prediction.kind] if n.params.prediction else 0)
    straight_ports: int
    static_local: int = of(lambda n: STATIC_LOCALS[n.params.static_local])  # what static predictors of local ports name
    first_predicted_local: int
    port_bits: int = of(lambda n: index_width(n.ports))
    hyper: bool = of(lambda n: n.params.routing == "hyper_crossbar")
    hypercube: bool = of(lambda n: n.params.routing == "hypercube")
    hyperx: bool = of(lambda n: n.params.routing == "hyperx")
    dragonfly: bool = of(lambda n: n.params.routing == "dragonfly")
    arrangement: int = of(lambda n: ARRANGEMENTS[n.params.arrangement])
    fat_tree: bool = of(lambda n: n.params.routing == "fat_tree")
    arity: int = of(lambda n: n.params.radix[0] if n.params.routing == "fat_tree" else 0)
    fold: int = of(lambda n: n.params.fold or 0)
    adaptive: int = of(lambda n: ADAPTIVE[n.params.adaptive.kind] if n.params.adaptive else DETERMINISTIC)
    by_credits: bool = of(lambda n: n.params.adaptive is not None and n.params.adaptive.selection == "credits")
    by_route: bool = of(lambda n: n.params.adaptive is not None and n.params.adaptive.selection == "route")
    escape_vcs: int
    lookahead: bool
    reserves: bool
    head_delay: int
    # of the timing wheel of delayed heads
    delay_slots: int = of(lambda n: delay_slots(n) if n.params.head_delay else 0)
    vc_stage: bool
    vc_input_first: bool = of(lambda n: n.params.vc_allocator == "input_first")
    claims_full: bool
    speculates: bool
    behind: bool = of(lambda n: n.params.speculation == "behind")
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
    declared = vars(Constants)
    values = {
        name: declared[name](n) if name in declared else getattr(n.params, name) for name in Constants.__annotations__
    }
    found: Constants = ConstantsTuple(**places(n), **values)
    return found
