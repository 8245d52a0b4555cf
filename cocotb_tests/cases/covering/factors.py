"""Factors of the covering array: parameters with their levels, and the pairs of levels that are forbidden.

A new parameter is one entry of `FACTORS`; combinations that `SwitchParams` refuses are entries of `FORBIDDEN`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cocotb_tests.cases.shared import Case
from models.params import SwitchParams

POSITION = "position"  # the only setting that is no parameter: position of a switch that computes routes

Levels = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Factor:
    """A property in which switches differ.

    Parameters
    ----------
    name : str
        Name of the factor.
    levels : mapping
        For each level, the fields of `SwitchParams` that it sets, with a dot for those of parts ("cache.ways"), and
        "position".
    used_with : tuple of (str, tuple of str), optional
        Another factor, earlier in the table, and those of its levels with which this factor has an effect. Otherwise
        this factor is left at its defaults, and not counted.
    """

    name: str
    levels: Levels
    used_with: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Forbidden:
    """Levels of two factors that `SwitchParams` refuses together: each of the first with each of the second."""

    first: str
    of_first: tuple[str, ...]
    second: str
    of_second: tuple[str, ...]
    reason: str


def _each(key: str, *values: Any) -> Levels:
    """Return one level for each value of one parameter."""
    return {str(value): {key: value} for value in values}


_RINGS = ("ring of 5", "torus of 4 x 3")

FACTORS = (
    Factor("ports", _each("ports", 2, 3, 4, 5, 6)),
    Factor("vcs", _each("vcs", 1, 2, 3, 4)),
    Factor(
        "header",
        {
            "1 flit of 16 bits": {"data_width": 16, "tag_width": 16},
            "1 flit of 64 bits": {"data_width": 64, "tag_width": 64},
            "33 bits of 1 flit of 130": {"data_width": 130, "tag_width": 33},
            "2 flits of 8 bits": {"data_width": 8, "tag_width": 16},
            "3 flits of 24 bits": {"data_width": 24, "tag_width": 64},
            "8 flits of 8 bits": {"data_width": 8, "tag_width": 64},
        },
    ),
    Factor("depth", _each("depth", 1, 2, 3, 5, 8, 13)),
    Factor(
        "buffering",
        {
            "wormhole": {"buffering": "wormhole"},
            "flexible": {"buffering": "flexible"},
            "static, 1": {"buffering": "static", "max_packet": 1},
            "static, 3": {"buffering": "static", "max_packet": 3},
            "dynamic, 2": {"buffering": "dynamic", "max_packet": 2},
            "dynamic, 5": {"buffering": "dynamic", "max_packet": 5},
        },
    ),
    Factor("hold packets", _each("hold_packets", True, False)),
    Factor("u-turn", _each("u_turn", True, False)),
    Factor("arbiter", _each("arbiter", "round_robin", "matrix")),
    Factor("allocator", _each("allocator", "input_first", "output_first", "ports_first")),
    Factor(
        "routing",
        {
            "table": {"routing": "table"},
            "linear": {"routing": "linear", "table_entries": 16},
            "mesh of 4": {"routing": "dimension_order", "radix": (4,), "position": (1,)},
            "mesh of 3 x 4": {"routing": "dimension_order", "radix": (3, 4), "position": (2, 1)},
            "ring of 5": {"routing": "dimension_order", "radix": (5,), "wrap": True, "position": (4,)},
            "torus of 4 x 3": {"routing": "dimension_order", "radix": (4, 3), "wrap": True, "position": (3, 0)},
            "exchanger of 3 x 4": {"routing": "hyper_crossbar", "radix": (3, 4), "position": (1, 2)},
            "crossbar of 3 x 4": {"routing": "hyper_crossbar", "radix": (3, 4), "crossbar": 1},
        },
    ),
    Factor("ring classes", _each("ring_classes", "dateline", "fixed")),
    Factor(
        "cache",
        {
            "none": {"cache.entries": 0},
            "direct-mapped": {"cache.entries": 8, "cache.ways": 1},
            "4 ways": {"cache.entries": 8, "cache.ways": 4},
            "fully associative": {"cache.entries": 4, "cache.ways": 4},
        },
        used_with=("routing", ("table",)),
    ),
    Factor(
        "policy", _each("cache.policy", "lru", "plru", "fifo"), used_with=("cache", ("4 ways", "fully associative"))
    ),
    Factor(
        "CRC",
        {
            "8 bits": {"cache.crc_polynomial": 0x107},
            "16 bits": {"cache.crc_polynomial": 0x11021},
            "32 bits": {"cache.crc_polynomial": 0x104C11DB7},
        },
        used_with=("cache", ("direct-mapped", "4 ways")),
    ),
    Factor("CAM latency", _each("cam.latency", 4, 5, 9, 25), used_with=("routing", ("table",))),
    Factor("CAM occupancy", _each("cam.occupancy", 1, 3, 11), used_with=("routing", ("table",))),
    Factor("table entries", _each("cam.entries", 8, 64), used_with=("routing", ("table",))),
    Factor("CAM match", _each("cam.match", "exact", "ternary"), used_with=("routing", ("table",))),
    Factor("counters", _each("counter_width", 0, 8, 24, 64)),
    Factor(
        "low-power idle",
        {
            "none": {"lpi": None},
            "shortest times": {"lpi.idle": 0, "lpi.sleep": 1, "lpi.wake": 1},
            "small times": {"lpi.idle": 9, "lpi.sleep": 3, "lpi.wake": 5},
            "refresh": {"lpi.idle": 5, "lpi.sleep": 4, "lpi.wake": 6, "lpi.refresh_interval": 11, "lpi.refresh": 3},
            "hints, 1 link": {"lpi.idle": 7, "lpi.sleep": 3, "lpi.wake": 9, "lpi.hints": 1},
            "hints, 3 links": {"lpi.idle": 12, "lpi.sleep": 3, "lpi.wake": 6, "lpi.hints": 3},
        },
    ),
    Factor(
        "prediction",
        {
            "none": {"prediction": None},
            "static": {"prediction.kind": "static", "prediction.straight_ports": 2},
            "static, local": {
                "prediction.kind": "static",
                "prediction.straight_ports": 2,
                "prediction.local": "plus_x",
            },
            "static, longer": {"prediction.kind": "static", "prediction.local": "longer_x"},
            "latest": {"prediction.kind": "latest"},
            "history of 1": {"prediction.kind": "history", "prediction.order": 1},
            "history of 3": {"prediction.kind": "history", "prediction.order": 3},
        },
    ),
    Factor(
        "node_ports",
        {"1": {"node_ports": 1}, "2 of a table": {"node_ports": 2, "network_ports": 1}, "2": {"node_ports": 2}},
    ),
    Factor(
        "adaptive",
        {
            "none": {"adaptive": None},
            "1 escape VC": {"adaptive.kind": "escape", "adaptive.escape_vcs": 1},
            "2 escape VCs": {"adaptive.kind": "escape", "adaptive.escape_vcs": 2, "adaptive.selection": "order"},
            "steps of a table": {"adaptive.kind": "step", "adaptive.selection": "route", "network_ports": 1},
            "steps": {"adaptive.kind": "step", "adaptive.selection": "order", "network_ports": None},
            "look-ahead": {"adaptive.kind": "step", "adaptive.lookahead": True},
            "reservation": {"adaptive.kind": "step", "adaptive.lookahead": True, "adaptive.reservation": True},
        },
    ),
    Factor(
        "speed-up",
        {
            "none": {"speedup": 1},
            "none, queues of 1": {"output_buffer": 1},
            "none, queues of 3": {"output_buffer": 3},
            "2, buffer of 2": {"speedup": 2, "output_buffer": 2},
            "3, buffer of 5": {"speedup": 3, "output_buffer": 5},
        },
    ),
    Factor("head delay", _each("head_delay", 0, 1, 4)),
    Factor(
        "VC stage",
        {
            "no": {"vc_stage": False},
            "output first": {"vc_stage": True},
            "input first": {"vc_stage": True, "vc_allocator": "input_first"},
            "no full VC": {"vc_stage": True, "claim_full": False},
            "speculation": {"vc_stage": True, "speculation": "equal"},
            "speculation behind": {"vc_stage": True, "vc_allocator": "input_first", "speculation": "behind"},
        },
    ),
    Factor("stage delay", _each("stage_delay", 0, 1, 9)),
)

_WHOLE_HEADER = "a VC buffer must hold a header"
_LARGEST_PACKET = "a VC buffer must hold a largest packet"
_LOCAL_PORT = "one or two ports per dimension, and one for the node"
_PROGRAMMED = ("table", "linear")
_GRIDS = ("mesh of 4", "mesh of 3 x 4", *_RINGS)
_HYPER = ("exchanger of 3 x 4", "crossbar of 3 x 4")
_ESCAPE = ("1 escape VC", "2 escape VCs")
_AHEAD = ("look-ahead", "reservation")
_ADAPTIVE = (*_ESCAPE, "steps of a table", "steps", *_AHEAD)
_CUT_THROUGH = ("static, 1", "static, 3", "dynamic, 2", "dynamic, 5")
_SPECULATING = ("speculation", "speculation behind")
_HINTING = ("hints, 1 link", "hints, 3 links")
_STEPS = "as many VCs as the longest path has steps"
_STATIC_LOCAL = ("static, local", "static, longer")
_ANYWHERE = ("static", "latest", "history of 1", "history of 3")  # prediction with any routing
_PREDICTING = (*_ANYWHERE, *_STATIC_LOCAL)

FORBIDDEN = (
    Forbidden(
        "header", ("2 flits of 8 bits", "3 flits of 24 bits", "8 flits of 8 bits"), "depth", ("1",), _WHOLE_HEADER
    ),
    Forbidden("header", ("3 flits of 24 bits", "8 flits of 8 bits"), "depth", ("2",), _WHOLE_HEADER),
    Forbidden("header", ("8 flits of 8 bits",), "depth", ("3", "5"), _WHOLE_HEADER),
    Forbidden("depth", ("1",), "buffering", ("static, 3", "dynamic, 2", "dynamic, 5"), _LARGEST_PACKET),
    Forbidden("depth", ("2",), "buffering", ("static, 3", "dynamic, 5"), _LARGEST_PACKET),
    Forbidden("depth", ("3",), "buffering", ("dynamic, 5",), _LARGEST_PACKET),
    Forbidden("ports", ("2",), "routing", (*_GRIDS, "exchanger of 3 x 4"), _LOCAL_PORT),
    Forbidden(
        "ports", ("2", "3", "5", "6"), "routing", ("crossbar of 3 x 4",), "a port for each exchanger on its line"
    ),
    Forbidden("ports", ("3", "4"), "routing", ("mesh of 3 x 4", "torus of 4 x 3"), _LOCAL_PORT),
    Forbidden("vcs", ("1",), "routing", _RINGS, "a ring needs two classes against deadlock"),
    Forbidden(
        "header",
        ("2 flits of 8 bits", "3 flits of 24 bits", "8 flits of 8 bits"),
        "prediction",
        _PREDICTING,
        "a flit can pass by only if it brings the whole header",
    ),
    Forbidden("ports", ("2",), "prediction", ("static, local",), "two opposite ports, and one for the node"),
    Forbidden("routing", _HYPER, "prediction", _STATIC_LOCAL, "a hyper-crossbar has no direction +"),
    Forbidden("routing", (*_PROGRAMMED, *_RINGS), "prediction", ("static, longer",), "only in a row, by the position"),
    Forbidden("CAM latency", ("4", "5"), "CAM match", ("ternary",), "compare, choose and read take a cycle each"),
    Forbidden("cache", ("none",), "prediction", (*_ANYWHERE, "static, local"), "a CAM confirms no prediction in time"),
    Forbidden("vcs", ("1",), "adaptive", (*_ESCAPE, "steps", *_AHEAD), "VCs for the escape and for choices, or steps"),
    Forbidden("vcs", ("2",), "adaptive", ("2 escape VCs",), "one more VC for choices"),
    Forbidden("routing", _RINGS, "adaptive", ("1 escape VC",), "a ring needs two classes"),
    Forbidden(
        "routing",
        (*_PROGRAMMED, "mesh of 4", "mesh of 3 x 4", *_HYPER),
        "ring classes",
        ("fixed",),
        "only a ring of 4 or more has classes",
    ),
    Forbidden("ring classes", ("fixed",), "adaptive", ("2 escape VCs", "steps"), "choices get on a ring in its middle"),
    Forbidden("routing", _HYPER, "adaptive", _ESCAPE, "a hyper-crossbar goes by steps"),
    Forbidden("routing", (*_GRIDS, *_HYPER), "adaptive", ("steps of a table",), "ports to nodes follow from the radix"),
    Forbidden("routing", _PROGRAMMED, "adaptive", ("steps",), "ports to nodes must be told"),
    Forbidden("routing", ("mesh of 3 x 4",), "adaptive", ("steps",), _STEPS),
    Forbidden("routing", (*_PROGRAMMED, *_GRIDS), "adaptive", _AHEAD, "only a hyper-crossbar has crossbars ahead"),
    Forbidden("routing", (*_PROGRAMMED, *_HYPER), "low-power idle", _HINTING, "a hint computes its route"),
    Forbidden("low-power idle", _HINTING, "adaptive", (*_ESCAPE, "steps"), "a head chooses its output when it leaves"),
    Forbidden("prediction", _ANYWHERE, "adaptive", ("reservation",), "a predicted head would go before it asks"),
    Forbidden("allocator", ("input_first",), "VC stage", _SPECULATING, "only a matching knows who is sure"),
    Forbidden("buffering", _CUT_THROUGH, "VC stage", ("no full VC",), "a head waits for room for its packet anyway"),
    Forbidden("adaptive", _ADAPTIVE, "VC stage", ("no full VC",), "a head does not give up other outputs anyway"),
    Forbidden("routing", (*_GRIDS, _HYPER[0]), "node_ports", ("2 of a table",), "ports to nodes follow from the radix"),
    Forbidden("routing", _PROGRAMMED, "node_ports", ("2",), "ports to nodes must be told"),
    Forbidden("routing", ("crossbar of 3 x 4",), "node_ports", ("2",), "a crossbar has no nodes"),
    Forbidden("ports", ("2", "4", "6"), "node_ports", ("2 of a table",), "two ports per node"),
    Forbidden("ports", ("3", "5"), "node_ports", ("2",), "two ports per node"),
)


def case_of(levels: Mapping[str, str]) -> Case:
    """Return the switch with these levels; factors not named have their defaults.

    Raises
    ------
    pydantic.ValidationError
        If `SwitchParams` refuses the switch.
    """
    fields: dict[str, Any] = {}
    position: tuple[int, ...] = ()
    for factor in FACTORS:
        if factor.name not in levels:
            continue
        for key, value in factor.levels[levels[factor.name]].items():
            part, _, name = key.rpartition(".")
            if key == POSITION:
                position = value
            elif part:
                fields.setdefault(part, {})[name] = value
            else:
                fields[key] = value
    return Case(SwitchParams.model_validate(fields), position)
