"""Combinations of switch parameters that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.params.coordinates_check import check_coordinates
from models.params.parts import (
    MAX_CHOICES,
    MAX_CONTEXT_BITS,
    MAX_ENTRIES,
    AdaptiveParams,
    PredictionParams,
    hint_hops,
)

if TYPE_CHECKING:
    from models.params import SwitchParams

_HINTED = ("dimension_order", "hypercube")  # a route follows from the destination and the switch's own position
_WITHOUT_OPPOSITES = {
    "hyper_crossbar": "a hyper-crossbar",
    "hypercube": "a hypercube",
    "hyperx": "a HyperX",
    "dragonfly": "a dragonfly",
    "fat_tree": "a fat tree",
}


def check(params: SwitchParams) -> None:
    """Refuse combinations of parameters that contradict each other.

    Raises
    ------
    ValueError
        Names the field, its value and what is allowed.
    """
    if 0 < params.counter_width < 8:
        raise ValueError(f"counter_width = {params.counter_width}: must be 0 (no counters) or 8 to 64")
    if params.depth < params.header_flits:
        raise ValueError(
            f"depth = {params.depth}: a tag of {params.tag_width} bits takes {params.header_flits} header flits of "
            f"{params.data_width} bits, which a VC buffer must hold; use depth ≥ {params.header_flits}"
        )
    if params.cut_through:
        if params.max_packet is None:
            raise ValueError(f'max_packet is not set: buffering = "{params.buffering}" needs it, 1 to depth')
        if params.max_packet > params.depth:
            raise ValueError(
                f'max_packet = {params.max_packet}: buffering = "{params.buffering}" allows 1 to depth = {params.depth}'
            )
    elif params.max_packet is not None:
        raise ValueError(
            f'max_packet = {params.max_packet}: only buffering = "static" and "dynamic" use it; leave it out'
        )
    if params.output_fifo and params.output_flits < 2:
        raise ValueError(
            f"output_buffer = {params.output_flits}: with speedup = {params.speedup} must be 2 to 64, with speedup = 1 "
            "1 to 64"
        )
    _check_vc_stage(params)
    _check_routing(params)
    _check_network_ports(params)
    if params.ring_classes == "fixed":
        _check_fixed_classes(params)
    if params.ties == "random":
        _check_ties(params)
    if params.prediction is not None:
        _check_prediction(params, params.prediction)
    if params.adaptive is not None:
        _check_adaptive(params, params.adaptive)
    _check_hints(params)


def _check_vc_stage(params: SwitchParams) -> None:
    if params.vc_allocator != "output_first" and not params.vc_stage:
        raise ValueError(f'vc_allocator = "{params.vc_allocator}": only vc_stage = true uses it; leave it out')
    if not params.claim_full:
        if not params.vc_stage:
            raise ValueError("claim_full = false: only vc_stage = true uses it; leave it out")
        if params.cut_through or params.adaptive is not None:
            given = f'buffering = "{params.buffering}"' if params.cut_through else "adaptive routing"
            raise ValueError(f"claim_full = false: with {given} no head claims a full VC anyway; leave it out")
    if not params.speculates:
        return
    if not params.vc_stage:
        raise ValueError(
            f'speculation = "{params.speculation}": only vc_stage = true uses it, without which a head is granted VC '
            "and crossbar at once; leave it out"
        )
    if not params.matching:
        raise ValueError(
            f'speculation = "{params.speculation}": allocator = "{params.allocator}" does not use it; must be '
            '"output_first" or "ports_first"'
        )


def _check_routing(params: SwitchParams) -> None:
    if params.crossbar is not None and params.routing != "hyper_crossbar":
        raise ValueError(f'crossbar = {params.crossbar}: only routing = "hyper_crossbar" uses it; leave it out')
    if params.wrap and params.routing != "dimension_order":
        raise ValueError(f'wrap = {params.wrap}: only routing = "dimension_order" uses it; leave it out')
    if isinstance(params.wrap, tuple) and len(params.wrap) != len(params.radix):
        raise ValueError(f"wrap = {list(params.wrap)}: must be one for each of {len(params.radix)} dimensions")
    if params.fold is not None and params.routing != "hypercube":
        raise ValueError(f'fold = {params.fold}: only routing = "hypercube" uses it; leave it out')
    if params.arrangement != "absolute" and params.routing != "dragonfly":
        raise ValueError(f'arrangement = "{params.arrangement}": only routing = "dragonfly" uses it; leave it out')
    if params.computed:
        check_coordinates(params)
    elif params.radix:
        raise ValueError(
            f'radix = {params.radix}: only computed routes, such as "dimension_order", use it, not '
            f'routing = "{params.routing}"; leave it out'
        )
    elif params.has_cam and not params.ternary and params.cam.index_bits > params.tag_width:
        raise ValueError(
            f"cam.entries = {params.cam.entries}: must be at most {1 << params.tag_width}, 2^tag_width, with "
            f"tag_width = {params.tag_width}"
        )
    _check_linear(params)


def _check_linear(params: SwitchParams) -> None:
    entries = params.table_entries
    if not params.linear:
        if entries is not None:
            raise ValueError(f'table_entries = {entries}: only routing = "linear" uses it; leave it out')
    elif entries is None:
        raise ValueError(
            f'table_entries is not set: routing = "linear" needs it, a power of two from 2 to {MAX_ENTRIES}'
        )
    elif entries & (entries - 1):
        raise ValueError(f"table_entries = {entries}: must be a power of two")
    elif entries > 1 << params.tag_width:
        raise ValueError(
            f"table_entries = {entries}: must be at most {1 << params.tag_width}, 2^tag_width, with "
            f"tag_width = {params.tag_width}"
        )


def _check_fixed_classes(params: SwitchParams) -> None:
    if not (params.routing == "dimension_order" and params.longest_ring > 3):
        raise ValueError(
            'ring_classes = "fixed": only routing = "dimension_order" with wrap = true and a ring of 4 or more nodes '
            "uses it; leave it out"
        )
    if params.adaptive is not None:
        raise ValueError(
            'ring_classes = "fixed": adaptive routing enters rings anywhere, which needs "dateline"; leave it out'
        )


def _check_ties(params: SwitchParams) -> None:
    if not (params.routing == "dimension_order" and params.tie_bits):
        raise ValueError(
            'ties = "random": only routing = "dimension_order" with wrap = true and a ring of an even number of nodes '
            "uses it; leave it out"
        )
    if params.adaptive is not None:
        raise ValueError('ties = "random": adaptive routing may take both directions in a tie; leave it out')


def _check_network_ports(params: SwitchParams) -> None:
    network, computed = params.network_ports, params.computed
    steps = params.adaptive is not None and params.adaptive.kind == "step"
    if network is None:
        if not computed and (params.node_ports > 1 or steps):
            needing = f"node_ports = {params.node_ports}" if params.node_ports > 1 else 'adaptive.kind = "step"'
            raise ValueError(
                f'network_ports is not set: with routing = "{params.routing}" {needing} needs the number of ports '
                f"that lead to other switches, below ports = {params.ports}"
            )
    elif computed:
        raise ValueError(f"network_ports = {network}: follows from radix; leave it out")
    elif network >= params.ports:
        raise ValueError(f"network_ports = {network}: must be below ports = {params.ports}")
    elif params.node_ports == 1 and not steps:
        raise ValueError(
            f'network_ports = {network}: only node_ports > 1 and adaptive.kind = "step" use it; leave it out'
        )
    if params.crossbar is not None and params.node_ports > 1:
        raise ValueError(f"node_ports = {params.node_ports}: a crossbar has no nodes; leave it out")
    local = params.ports - params.first_local
    if local % params.node_ports:
        raise ValueError(
            f"node_ports = {params.node_ports}: ports = {params.ports} leave {local} local ports, which must be a "
            "multiple of node_ports"
        )


def _check_prediction(params: SwitchParams, prediction: PredictionParams) -> None:
    if params.header_flits > 1:
        raise ValueError(
            f"prediction: a tag of {params.tag_width} bits takes {params.header_flits} flits of {params.data_width} "
            f"bits; prediction needs data_width ≥ {params.tag_width}"
        )
    if params.routing == "table" and not params.has_cache:
        raise ValueError(
            "prediction: with cache.entries = 0 every route takes the latency of the CAM, and nothing confirms a "
            "prediction in time; use cache.entries > 0 or computed routes"
        )
    if prediction.kind == "static" and prediction.straight_ports is None and params.routing in _WITHOUT_OPPOSITES:
        raise ValueError(
            f'prediction.kind = "static": no ports of {_WITHOUT_OPPOSITES[params.routing]} are opposite; use "latest" '
            'or "history", or set prediction.straight_ports'
        )
    if (prediction.straight_ports or 0) > params.ports:
        raise ValueError(
            f"prediction.straight_ports = {prediction.straight_ports}: must be at most ports = {params.ports}"
        )
    if params.predicts_local:
        _check_static_local(params, prediction.local)
    if (prediction.order or 0) * params.port_bits > MAX_CONTEXT_BITS:
        raise ValueError(
            f"prediction.order = {prediction.order}: {prediction.order} output ports of {params.port_bits} bits are "
            f"more than {MAX_CONTEXT_BITS} bits of context"
        )


def _check_static_local(params: SwitchParams, local: str) -> None:
    given = f'prediction.local = "{local}"'
    if params.routing in _WITHOUT_OPPOSITES:
        raise ValueError(f"{given}: {_WITHOUT_OPPOSITES[params.routing]} has no direction +; leave it out")
    if params.straight_ports < 2 or params.first_predicted_local >= params.ports:
        raise ValueError(
            f"{given}: ports 0 and 1 must be opposite and a port must be left for a node; prediction.straight_ports = "
            f"{params.straight_ports} of ports = {params.ports} leaves none"
        )
    if local != "longer_x":
        return
    if params.routing != "dimension_order":
        raise ValueError(
            f'{given}: routing = "{params.routing}" does not know the position of the switch; must be "none" or '
            '"plus_x"'
        )
    if params.rings[0]:
        raise ValueError(
            f'{given}: dimension 0 is a ring, in which as many switches lie in + as in −; must be "none" or "plus_x"'
        )


def _check_hints(params: SwitchParams) -> None:
    hops = hint_hops(params.lpi)
    if hops and params.routing not in _HINTED:
        allowed = " or ".join(f'"{name}"' for name in _HINTED)
        raise ValueError(f'lpi.hints = {hops}: routing = "{params.routing}": must be 0; hints need routing = {allowed}')
    if hops and params.adaptive is not None:
        raise ValueError(f"lpi.hints = {hops}: adaptive routing knows no output before a head leaves; must be 0")


def _check_adaptive(params: SwitchParams, adaptive: AdaptiveParams) -> None:
    if params.routing == "dragonfly":
        raise ValueError(
            'adaptive: routing = "dragonfly" has one route to each node, and nothing to choose from; use "table" or '
            '"linear"'
        )
    if params.routing == "hyper_crossbar":
        if adaptive.kind != "step":
            raise ValueError(f'adaptive.kind = "{adaptive.kind}": routing = "hyper_crossbar" needs "step"')
    elif adaptive.lookahead:
        raise ValueError('adaptive.lookahead = true: only routing = "hyper_crossbar" uses it; leave it out')
    if adaptive.reservation and params.prediction is not None:
        raise ValueError("adaptive.reservation = true: prediction would send a head before its grant; leave one out")
    choices = params.first_local if params.computed or adaptive.kind == "step" else params.ports
    if params.selects and choices > MAX_CHOICES:
        raise ValueError(f"adaptive: a route chooses among at most {MAX_CHOICES} ports; ports = {params.ports}")
    if adaptive.kind == "escape":
        _check_escape(params, adaptive)
        return
    if params.routing == "fat_tree":
        raise ValueError(
            'adaptive.kind = "step": a port of a fat tree leads to a node at one switch and on at another; use "escape"'
        )
    steps = params.longest_path
    if params.vcs < steps:
        raise ValueError(
            f'vcs = {params.vcs}: adaptive.kind = "step" needs {steps}, the longest path of {params.radix}'
        )


def _check_escape(params: SwitchParams, adaptive: AdaptiveParams) -> None:
    if adaptive.escape_vcs is None and not params.computed:
        raise ValueError(f'adaptive.escape_vcs is not set: routing = "{params.routing}" needs it, 1 to vcs − 1')
    if params.escape_vcs >= params.vcs:
        raise ValueError(
            f"vcs = {params.vcs}: {params.escape_vcs} of them are for the escape route; adaptive routing needs at "
            "least one more"
        )
    if params.longest_ring > 3 and params.escape_vcs < 2:
        raise ValueError(f"adaptive.escape_vcs = {adaptive.escape_vcs}: a torus with a ring of 4 or more nodes needs 2")
