"""Configurations: defaults, round trips, and error messages."""

import json
from pathlib import Path

import pytest

from models.errors import TsujiError
from models.params.config_file import Table, read_config
from sim.config import load, read
from sim.simulation import build

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.toml"))


def written(tmp_path, text):
    path = tmp_path / "net.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_come_back_from_their_document(path):
    config = load(path)
    document = json.loads(json.dumps(config.document()))
    assert read(Table(document)) == config


def test_an_empty_configuration_is_a_whole_one():
    config = load(None)
    assert config.topology.build().name == "8×8 torus"
    assert config.switch.ports == 5
    assert config.load.load == 0.1


def test_ports_follow_the_topology():
    assert load(None, ["topology.radix=[2,3,4]", "topology.locals=3"]).switch.ports == 9


def test_coordinates_follow_the_topology():
    config = load(None, ["switch.routing=dimension_order", "topology.radix=[4,3]", "topology.kind=mesh"])
    assert config.switch.radix == (4, 3)
    assert config.switch.wrap is False


def test_the_table_grows_with_the_network():
    assert load(None).switch.cam.entries == 1024
    assert load(None, ["topology.radix=[33,32]"]).switch.cam.entries == 2048
    assert load(None, ["topology.radix=[33,32]", "cam.entries=4096"]).switch.cam.entries == 4096


def test_patterns_bring_their_keys():
    config = load(None, ["traffic.pattern=hotspot", "traffic.hotspots=[1,2]", "traffic.hotspot_fraction=0.3"])
    assert config.pattern.hotspots == (1, 2)
    assert config.document()["traffic"] == {
        "pattern": "hotspot",
        "arrivals": "bernoulli",
        "load": 0.1,
        "draws": "numpy",
        "packet_size": 4,
        "packet_sizes": [],
        "packet_weights": [],
        "hotspots": [1, 2],
        "hotspot_fraction": 0.3,
        "reply_size": 0,
        "reply_delay": 1,
        "window": 0,
        "packets_at_once": None,
        "think_time": 0,
    }


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("topology.kind=tours", "topology.kind = 'tours': must be one of dragonfly, fat_tree, graph, hyper_crossbar, "),
        ("topology.kind=[1]", "topology.kind = [1]: must be one of dragonfly, fat_tree, graph, hyper_crossbar, "),
        ("topology.radix=[1,4]", "topology.radix[0] = 1: Input should be greater than or equal to 2"),
        ("topology.radix=[65536,65536]", "topology.radix = [65536, 65536]: 4294967296 switches; at most 131072"),
        ("topology.size=4", "topology.size = 4: unknown key; allowed: intervals, latencies, locals, radix, spacing"),
        ("switch.tag_width=-1", "switch.tag_width = -1: Input should be greater than or equal to 16"),
        ("switch.ports=6", "switch.ports = 6: 8×8 torus needs 5; leave it out"),
        ("switch.counter_width=16", "switch.counter_width = 16: would wrap in a simulation; must be 0"),
        ("routing.kind=magic", "routing.kind = 'magic': must be one of dimension_order"),
        (
            "traffic.pattern=unifrom",  # codespell:ignore unifrom
            "traffic.pattern = 'unifrom': must be one of asymmetric, bit_complement, bit_reverse",
        ),
        ("traffic.hotspots=[1]", 'traffic.hotspots = [1]: only traffic.pattern = "hotspot" uses it; leave it out'),
        ("traffic.load=0", "traffic.load = 0: Input should be greater than 0"),
        (
            'run.specialise="yes"',
            "run.specialise = 'yes': Input should be True, False or 'auto'; allowed: true, false, auto",
        ),
        ("measure.precision=2", "measure.precision = 2: Input should be less than 1"),
        ("measure.warmup_periods=40", "measure.warmup_periods = 40: must be at most max_warmup_periods = 30"),
        (
            "traffic.load=5",
            "traffic.load = 5: bernoulli arrivals of packets of 4 flits allow at most 4 flits/node/cycle",
        ),
        ("switch.vcs=1", "switch.vcs = 1: a torus with a ring of 4 or more switches needs at least 2"),
        ("run.seeds=1", "run.seeds = 1: unknown key; did you mean seed? allowed: force, seed"),
        ("trafic.load=0.1", "[trafic]: unknown section; did you mean traffic?"),  # codespell:ignore trafic
        ("cache.entries=65", "cache.entries = 65: must be 0 (no cache) or a power of two up to 65536"),
    ],
)
def test_bad_settings_are_refused_by_name(setting, message):
    with pytest.raises(TsujiError) as error:
        load(None, [setting])
    assert message in str(error.value)
    assert setting.split("=")[0].split(".")[0] in str(error.value)


def test_a_pattern_that_does_not_suit_is_refused():
    with pytest.raises(TsujiError, match=r'traffic.pattern = "transpose": 4×3 torus is not square'):
        load(None, ["topology.radix=[4,3]", "traffic.pattern=transpose"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["link.interval=4", "lpi.idle=10"], r"link.interval = 4: links of 4×4 torus .* in 4 cycles .*\[lpi\]"),
        (["topology.intervals=[1, 5]", "lpi.idle=10"], r"topology.intervals .*: links of 4×4 torus .* in 5 cycles"),
        (
            [
                "topology.kind=hyper_crossbar",
                "topology.latencies=[0, 3]",
                "switch.routing=hyper_crossbar",
                "adaptive.kind=step",
                "adaptive.lookahead=true",
            ],
            "adaptive.lookahead = true: .* links of 1 to 4 cycles",
        ),
    ],
)
def test_links_that_do_not_suit_the_switch_are_refused_before_any_run(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.radix=[4, 4]", *settings])


def test_a_packet_holds_its_header():
    with pytest.raises(TsujiError, match=r"traffic.packet_size = 1: a header takes 2 flits of 8 bits"):
        load(None, ["switch.data_width=8", "traffic.packet_size=1"])


def test_too_many_nodes_for_a_table_are_refused():
    with pytest.raises(TsujiError, match=r"256×256 torus has 327680 nodes; the largest table holds 262144"):
        load(None, ["topology.radix=[256,256]", "topology.locals=5"])


def test_tags_are_as_wide_as_the_addresses():
    torus = ["topology.radix=[64,16]", "topology.locals=58"]
    computed = load(None, [*torus, "switch.routing=dimension_order"]).switch
    assert computed.tag_width == computed.address_bits == 16
    drawn = load(None, [*torus, "switch.routing=dimension_order", "routing.ties=random"]).switch
    assert drawn.tag_width == drawn.address_bits == 18
    for routing in ("table", "linear"):
        assert load(None, [*torus, f"switch.routing={routing}"]).switch.tag_width == 16
        many = load(None, [*torus, f"switch.routing={routing}", "routing.ties=random"]).switch
        assert (many.tag_width, many.programmed_entries) == (18, 1 << 18)
    assert load(None, [*torus, "cam.match=ternary", "routing.ties=random"]).switch.tag_width == 18
    assert load(None, [*torus, "switch.tag_width=20"]).switch.tag_width == 20


@pytest.mark.parametrize("routing", ["dimension_order", "linear"])
def test_tags_too_narrow_for_the_addresses_are_refused(routing):
    settings = ["topology.radix=[64,32]", "topology.locals=58", f"switch.routing={routing}", "switch.tag_width=16"]
    with pytest.raises(TsujiError, match=r"switch.tag_width = 16: the highest address of 64×32 torus is 118783; use "):
        load(None, settings)


def test_more_routes_than_tables_hold_are_refused_before_any_is_found():
    with pytest.raises(
        TsujiError, match=r"64×64×32 torus: 17,179,869,184 routes of 131,072 switches to 131,072 nodes; "
    ):
        build(load(None, ["topology.radix=[64,64,32]"]))


def test_coordinates_that_contradict_the_topology_are_refused():
    with pytest.raises(TsujiError, match=r"switch.wrap = False: 8×8 torus needs True; leave it out"):
        load(None, ["switch.routing=dimension_order", "switch.wrap=false"])


def test_the_line_of_a_bad_value_is_named(tmp_path):
    path = written(tmp_path, '[topology]\nkind = "mesh"\nradix = [2, 3]\n\n[traffic]\nlod = 0.1\n')
    with pytest.raises(TsujiError, match=rf"{path}:6: traffic.lod = 0.1: unknown key; did you mean load\?"):
        load(path)


def test_a_kind_s_line_is_named(tmp_path):
    path = written(tmp_path, '[topology]\nkind = "ring"\n')
    with pytest.raises(TsujiError, match=f"{path}:2: topology.kind = 'ring'"):
        read(read_config(path))
