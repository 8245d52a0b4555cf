"""Error messages of parameters: each names the field, the value and what is allowed."""

from typing import Any

import pytest
from pydantic import ValidationError

from models.params import AdaptiveParams, CacheParams, CamParams, LinkParams, LpiParams, SwitchParams, index_width

COMPUTED: dict[str, Any] = {"routing": "dimension_order", "radix": (4, 4)}
RESERVATION: dict[str, Any] = {"kind": "step", "lookahead": True, "reservation": True}
CUBE: dict[str, Any] = {"routing": "hypercube", "radix": (2, 2, 2), "ports": 5}
DRAGONFLY: dict[str, Any] = {"routing": "dragonfly", "radix": (4, 9), "ports": 7}
TREE: dict[str, Any] = {"routing": "fat_tree", "radix": (3, 3), "ports": 6}
HYPER: dict[str, Any] = {"routing": "hyper_crossbar", "radix": (4, 6), "ports": 3}


def _refused(model: type, words: list[str], **values: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        model(**values)
    text = str(caught.value)
    for word in words:
        assert word in text, f"{word!r} is not in {text!r}"


@pytest.mark.parametrize(
    ("field", "value", "limit"),
    [
        ("ports", 1, "2"),
        ("ports", 63, "62"),
        ("vcs", 0, "1"),
        ("vcs", 17, "16"),
        ("data_width", 7, "8"),
        ("data_width", 513, "512"),
        ("depth", 0, "1"),
        ("depth", 4097, "4096"),
        ("tag_width", 15, "16"),
        ("tag_width", 65, "64"),
        ("counter_width", -1, "0"),
        ("counter_width", 65, "64"),
        ("max_packet", 0, "1"),
        ("stage_delay", -1, "0"),
        ("speedup", 0, "1"),
        ("speedup", 5, "4"),
        ("output_buffer", 0, "1"),
        ("node_ports", 0, "1"),
        ("node_ports", 5, "4"),
        ("network_ports", -1, "0"),
        ("output_buffer", 65, "64"),
        ("stage_delay", 1024, "1023"),
        ("buffering", "saf", "wormhole"),
        ("arbiter", "lottery", "matrix"),
        ("ring_classes", "none", "dateline"),
        ("allocator", "wavefront", "ports_first"),
        ("routing", "random", "table"),
    ],
)
def test_switch_range(field: str, value: Any, limit: str) -> None:
    _refused(SwitchParams, [field, str(value), limit], **{field: value})


@pytest.mark.parametrize(
    ("model", "field", "value", "limit"),
    [
        (LpiParams, "idle", -1, "never"),
        (LpiParams, "idle", 65536, "never"),
        (LpiParams, "idle", "nevermore", "never"),
        (LpiParams, "idle", 1.5, "never"),
        (LpiParams, "sleep", 0, "1"),
        (LpiParams, "sleep", "never", "integer"),
        (CacheParams, "entries", -1, "0"),
        (CacheParams, "entries", 65537, "65536"),
        (CacheParams, "entries", 65, "power of two"),
        (CacheParams, "ways", 0, "1"),
        (CacheParams, "ways", 3, "power of two"),
        (CacheParams, "ways", 128, "less than or equal to 64"),
        (CacheParams, "policy", "random", "lru"),
        (CacheParams, "crc_polynomial", 0xFF, "256"),
        (CacheParams, "crc_polynomial", 1 << 33, str(1 << 33)),
        (CacheParams, "crc_polynomial", 0x11020, "bit 0"),
        (CamParams, "latency", 3, "4"),
        (CamParams, "latency", 1024, "1023"),
        (CamParams, "occupancy", 0, "1"),
        (CamParams, "entries", 1, "2"),
        (CamParams, "entries", 100, "power of two"),
        (LinkParams, "latency", -1, "0"),
        (LinkParams, "latency", 1024, "1023"),
    ],
)
def test_part_range(model: type, field: str, value: Any, limit: str) -> None:
    shown = f"{value:#x}" if limit == "bit 0" else str(value)
    _refused(model, [field, shown, limit], **{field: value})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"counter_width": 7}, ["counter_width = 7", "8 to 64"]),
        ({"data_width": 8, "tag_width": 64, "depth": 7}, ["depth = 7", "≥ 8"]),
        ({"buffering": "dynamic"}, ["max_packet", "1 to depth"]),
        ({"buffering": "dynamic", "max_packet": 5}, ["max_packet = 5", "depth = 4"]),
        ({"buffering": "static"}, ["max_packet", "1 to depth"]),
        ({"buffering": "static", "max_packet": 5}, ["max_packet = 5", "depth = 4"]),
        ({"max_packet": 3}, ["max_packet = 3", "static", "dynamic"]),
        ({"buffering": "flexible", "max_packet": 3}, ["max_packet = 3", "static", "dynamic"]),
        ({"radix": (4,)}, ["radix = (4,)", "dimension_order"]),
        ({"wrap": True}, ["wrap", "dimension_order"]),
        ({"cam": {"entries": 65536 * 2}}, ["entries", "65536"]),
        ({"routing": "dimension_order"}, ["radix", "dimension_order"]),
        ({**COMPUTED, "ports": 4}, ["ports = 4", "local port"]),
        ({**COMPUTED, "radix": (1, 4)}, ["radix", "2"]),
        ({**COMPUTED, "radix": (4096, 4096)}, ["tag_width = 16", "24 bits"]),
        ({**COMPUTED, "wrap": True, "vcs": 1}, ["vcs = 1", "2 VCs"]),
        ({"ring_classes": "fixed"}, ['ring_classes = "fixed"', "dimension_order"]),
        ({**COMPUTED, "ring_classes": "fixed"}, ['ring_classes = "fixed"', "wrap = true"]),
        ({**COMPUTED, "radix": (3, 2), "wrap": True, "ring_classes": "fixed"}, ['"fixed"', "4 or more"]),
        ({**COMPUTED, "wrap": True, "vcs": 4, "ring_classes": "fixed", "adaptive": {}}, ['"fixed"', "adaptive"]),
        ({"cache": {"entries": 512, "ways": 1, "crc_polynomial": 0x107}}, ["crc_polynomial = 0x107", "at least 9"]),
        ({"speedup": 2, "output_buffer": 1}, ["output_buffer = 1", "with speedup = 2 must be 2 to 64"]),
        ({"vc_allocator": "input_first"}, ['vc_allocator = "input_first"', "vc_stage = true"]),
        ({"claim_full": False}, ["claim_full = false", "vc_stage = true"]),
        ({"claim_full": False, "vc_stage": True, "buffering": "dynamic", "max_packet": 2}, ["claim_full", '"dynamic"']),
        ({"claim_full": False, "vc_stage": True, "vcs": 3, "adaptive": {"escape_vcs": 1}}, ["claim_full", "adaptive"]),
        ({"speculation": "equal"}, ['speculation = "equal"', "vc_stage = true"]),
        ({"speculation": "behind", "vc_stage": True}, ['"input_first"', '"output_first" or "ports_first"']),
        ({"node_ports": 2}, ["network_ports", "node_ports = 2", "ports = 5"]),
        ({"network_ports": 5}, ["network_ports = 5", "ports = 5"]),
        ({"node_ports": 2, "network_ports": 2}, ["node_ports = 2", "3 local ports", "multiple"]),
        ({**COMPUTED, "network_ports": 3}, ["network_ports = 3", "radix"]),
        ({**COMPUTED, "node_ports": 2}, ["node_ports = 2", "1 local ports"]),
        ({"colour": "red"}, ["colour", "Extra"]),
        ({"crossbar": 0}, ["crossbar = 0", "hyper_crossbar"]),
        ({"network_ports": 3}, ["network_ports = 3", "node_ports", "step"]),
        ({"adaptive": {}}, ["escape_vcs", "1 to vcs"]),
        ({"adaptive": {"escape_vcs": 2}}, ["vcs = 2", "one more"]),
        ({"adaptive": {"kind": "step", "escape_vcs": 1}}, ["escape_vcs = 1", "escape"]),
        ({"adaptive": {"kind": "step"}}, ["network_ports", '"step"', "ports = 5"]),
        ({"adaptive": {"lookahead": True}}, ["lookahead", "step"]),
        ({**COMPUTED, "adaptive": {"kind": "step"}}, ["vcs = 2", "needs 6"]),
        ({**HYPER, "adaptive": {"kind": "step", "reservation": True}}, ["reservation", "lookahead"]),
        (
            {**HYPER, "prediction": {"kind": "latest"}, "adaptive": RESERVATION},
            ["reservation", "prediction would send a head"],
        ),
        ({**COMPUTED, "wrap": True, "vcs": 4, "adaptive": {"escape_vcs": 1}}, ["escape_vcs = 1", "needs 2"]),
        ({**COMPUTED, "vcs": 6, "adaptive": {"kind": "step", "lookahead": True}}, ["lookahead", "hyper_crossbar"]),
        ({**HYPER, "wrap": True}, ["wrap", "dimension_order"]),
        ({**HYPER, "ports": 2}, ["ports = 2", "local port"]),
        ({**HYPER, "radix": (4, 63)}, ["63", "at most 62"]),
        ({**HYPER, "crossbar": 2}, ["crossbar = 2", "0 to 1"]),
        ({**HYPER, "crossbar": 1, "ports": 4}, ["ports = 4", "has 6"]),
        ({**HYPER, "adaptive": {}}, ['"escape"', '"step"']),
        ({**HYPER, "vcs": 1, "adaptive": {"kind": "step"}}, ["vcs = 1", "needs 2"]),
        ({**HYPER, "prediction": {"kind": "static"}}, ["static", "straight_ports"]),
        ({"fold": 7}, ["fold = 7", '"hypercube"']),
        ({**HYPER, "fold": 3}, ["fold = 3", '"hypercube"']),
        ({**CUBE, "radix": (2, 4)}, ["radix = (2, 4)", "needs 2"]),
        ({**CUBE, "fold": 0}, ["fold", "greater than or equal to 1"]),
        ({**CUBE, "fold": 4}, ["fold = 4", "two or more of the 3 dimensions", "at most 7"]),
        ({**CUBE, "fold": 11}, ["fold = 11", "at most 7"]),
        ({**CUBE, "fold": 7, "ports": 4}, ["ports = 4", "3 dimensions and a fold need 4", "local port"]),
        ({**CUBE, "wrap": True}, ["wrap", "dimension_order"]),
        ({**CUBE, "crossbar": 1}, ["crossbar = 1", "hyper_crossbar"]),
        ({**CUBE, "network_ports": 3}, ["network_ports = 3", "radix"]),
        ({**CUBE, "prediction": {"kind": "static"}}, ["static", "a hypercube", "straight_ports"]),
        ({"arrangement": "relative"}, ['arrangement = "relative"', '"dragonfly" uses it']),
        ({**DRAGONFLY, "arrangement": "random"}, ["arrangement", "circulant"]),
        ({**DRAGONFLY, "radix": (4, 8)}, ["radix = (4, 8)", "a divides g − 1"]),
        ({**DRAGONFLY, "radix": (4,)}, ["radix = (4,)", "needs [a, g]"]),
        ({**DRAGONFLY, "ports": 5}, ["ports = 5", "need 5 network ports", "local port"]),
        ({**DRAGONFLY, "vcs": 1}, ["vcs = 1", "needs 2 VCs"]),
        ({**DRAGONFLY, "vcs": 3, "adaptive": {}}, ["adaptive", "one route to each node", '"linear"']),
        ({**DRAGONFLY, "ports": 62, "radix": (30, 541)}, ["tag_width = 16", "(30, 541)", "take 19 bits"]),
        ({**DRAGONFLY, "prediction": {"kind": "static"}}, ["static", "a dragonfly", "straight_ports"]),
        ({**DRAGONFLY, "network_ports": 5}, ["network_ports = 5", "radix"]),
        ({**TREE, "radix": (3, 4)}, ["radix = (3, 4)", "same k for each level"]),
        ({**TREE, "ports": 7}, ["ports = 7", "3-ary tree has 6"]),
        ({**TREE, "node_ports": 2}, ["node_ports = 2", "one port per node"]),
        (
            {**TREE, "adaptive": {"kind": "step"}},
            ['adaptive.kind = "step"', "leads to a node at one switch", '"escape"'],
        ),
        ({**TREE, "radix": (3,) * 9}, ["tag_width = 16", "take 18 bits"]),
        ({**TREE, "prediction": {"kind": "static"}}, ["static", "a fat tree", "straight_ports"]),
        ({"prediction": {"kind": "latest", "local": "plus_x"}}, ['local = "plus_x"', 'kind = "static"']),
        ({"prediction": {"kind": "static", "local": "minus_x"}}, ["local", "plus_x", "longer_x"]),
        (
            {**HYPER, "prediction": {"kind": "static", "straight_ports": 2, "local": "plus_x"}},
            ['prediction.local = "plus_x"', "a hyper-crossbar has no direction"],
        ),
        (
            {**CUBE, "prediction": {"kind": "static", "straight_ports": 2, "local": "longer_x"}},
            ['prediction.local = "longer_x"', "a hypercube has no direction"],
        ),
        (
            {"ports": 2, "prediction": {"kind": "static", "local": "plus_x"}},
            ["prediction.local", "straight_ports = 0 of ports = 2"],
        ),
        (
            {"ports": 4, "prediction": {"kind": "static", "straight_ports": 4, "local": "plus_x"}},
            ["prediction.local", "straight_ports = 4 of ports = 4"],
        ),
        (
            {"prediction": {"kind": "static", "local": "longer_x"}},
            ['prediction.local = "longer_x"', 'routing = "table" does not know the position', '"plus_x"'],
        ),
        (
            {**COMPUTED, "wrap": (True, False), "prediction": {"kind": "static", "local": "longer_x"}},
            ['prediction.local = "longer_x"', "dimension 0 is a ring", '"plus_x"'],
        ),
        ({**CUBE, "vcs": 2, "adaptive": {"kind": "step"}}, ["vcs = 2", "needs 3"]),
        ({**CUBE, "vcs": 1, "fold": 6, "adaptive": {"kind": "step"}}, ["vcs = 1", "needs 2"]),
        ({**CUBE, "vcs": 3, "adaptive": {"kind": "step", "lookahead": True}}, ["lookahead", "hyper_crossbar"]),
    ],
)
def test_combination(values: dict[str, Any], words: list[str]) -> None:
    _refused(SwitchParams, words, **values)


def test_frozen() -> None:
    with pytest.raises(ValidationError):
        SwitchParams().ports = 3


def test_how_many_escape_vcs_a_ring_needs() -> None:
    """A ring of three has no dateline: a packet goes one link at most."""
    ring = {"routing": "dimension_order", "wrap": True, "vcs": 3}
    for radix, needed in ((3,), 1), ((4,), 2), ((3, 3), 1), ((3, 5), 2):
        chosen = SwitchParams(**ring, radix=radix, ports=6, adaptive=AdaptiveParams())
        assert chosen.escape_vcs == needed, radix
        SwitchParams(**ring, radix=radix, ports=6, adaptive=AdaptiveParams(escape_vcs=needed))
    with pytest.raises(ValidationError, match="needs 2"):
        SwitchParams(**ring, radix=(4,), adaptive=AdaptiveParams(escape_vcs=1))


def test_lanes_share_the_local_ports() -> None:
    params = SwitchParams(**COMPUTED, ports=10, node_ports=3)
    assert (params.first_local, params.local_ports, params.local_bits) == (4, 2, 1)
    params = SwitchParams(ports=8, node_ports=3, network_ports=2)
    assert (params.first_local, params.local_ports) == (2, 2)


def test_a_flit_s_longest_way_to_the_link() -> None:
    assert SwitchParams().link_lead == 1
    assert SwitchParams(stage_delay=40).link_lead == 41
    assert SwitchParams(speedup=2).link_lead == 2 * 4
    assert SwitchParams(speedup=3, output_buffer=2, stage_delay=1).link_lead == 1 + 3 * 2
    assert SwitchParams(output_buffer=3, stage_delay=2).link_lead == 3


def test_which_buffer_stands_before_a_link() -> None:
    def kinds(**given: int) -> tuple[int, bool, bool]:
        params = SwitchParams(**given)
        return params.output_flits, params.output_fifo, params.output_queues

    assert kinds() == (0, False, False)
    assert kinds(output_buffer=1) == (1, False, True)
    assert kinds(speedup=2) == (4, True, False)
    assert kinds(speedup=2, output_buffer=2) == (2, True, False)


def test_derived() -> None:
    default = SwitchParams()
    assert (default.header_flits, default.slots, default.route_cycles_hit, default.route_cycles_miss) == (1, 8, 2, 27)
    assert SwitchParams(data_width=8, tag_width=64, depth=8).header_flits == 8
    assert SwitchParams(cache=CacheParams(entries=0)).route_cycles_hit == 25
    assert SwitchParams(**COMPUTED).route_cycles_hit == 1
    assert SwitchParams(**COMPUTED).address_bits == 4
    assert SwitchParams(**COMPUTED, ports=7).local_bits == 2
    hyper = SwitchParams(**HYPER, adaptive=AdaptiveParams(kind="step", lookahead=True))
    assert (hyper.first_local, hyper.local_ports, hyper.route_cycles_hit, hyper.selects) == (2, 1, 2, True)
    crossbar = hyper.crossbar_of(1)
    assert (crossbar.ports, crossbar.crossbar, crossbar.route_cycles_hit, crossbar.selects) == (6, 1, 1, False)
    assert [index_width(count) for count in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]
    cache = CacheParams(entries=64, ways=4)
    assert (cache.sets, cache.index_bits, cache.crc_degree, cache.replacement_bits) == (16, 4, 16, 8)
    assert CacheParams(entries=64, ways=4, policy="plru").replacement_bits == 3
    assert CacheParams(entries=64, ways=4, policy="fifo").replacement_bits == 2
    assert CacheParams(entries=64, ways=1).replacement_bits == 0


def test_ports_and_longest_ways_of_hypercubes() -> None:
    plain, folded = SwitchParams(**CUBE), SwitchParams(**CUBE, fold=7)
    assert (plain.first_local, plain.local_ports, plain.address_bits, plain.longest_path) == (3, 2, 4, 3)
    assert (folded.first_local, folded.local_ports, folded.address_bits, folded.longest_path) == (4, 1, 3, 2)
