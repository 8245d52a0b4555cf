"""Values that BookSim2 does not have: what takes their place with --ignore-unknown, and what is refused."""

import pytest

from models.errors import TsujiError
from sim.booksim import mapping
from sim.booksim.parser import parse
from sim.booksim.settings import settings

MESH = "topology = mesh; k = 4; n = 2; num_vcs = 4; routing_function = dor;"


def given(text, ignore_unknown=True):
    return settings(parse(text, "net.cfg"), ignore_unknown=ignore_unknown)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("router = smart;", "router", "iq"),
        ("sim_type = gpgpusim;", "sim_type", "latency"),
        ("injection_process = trace({a,b});", "injection_process", "bernoulli"),
        ("traffic = pairwise;", "traffic", "uniform"),
        ("traffic = {uniform,pairwise(3)};classes = 2;", "traffic", "uniform"),
    ],
)
def test_the_default_takes_the_place_of_a_value(text, key, value):
    found = given(MESH + text)
    assert found.word(key) == value
    assert found.told_of_ignored() == [f"net.cfg:1: {text.split(';')[0]}: ignored"]
    assert mapping.plan(found).nodes == 16
    with pytest.raises(TsujiError, match=f"{key} = "):
        mapping.plan(given(MESH + text, ignore_unknown=False))


@pytest.mark.parametrize(
    ("topology", "value"),
    [("mesh", "dor"), ("torus", "dim_order"), ("fattree", "nca"), ("flatfly", "ran_min"), ("fly", "dest_tag")],
)
def test_a_routing_function_has_the_first_one_of_the_topology_in_its_place(topology, value):
    found = given(f"topology = {topology}; routing_function = odd_even;")
    assert found.word("routing_function") == value
    assert found.told_of_ignored() == [
        f"net.cfg:1: routing_function = odd_even: ignored; routing_function = {value} in its place"
    ]
    assert found.ignored_for_peer() == [f"routing_function={value}"]


def test_a_size_for_each_dimension_is_their_common_one():
    found = given("topology = mesh; routing_function = dor; k = {4,4}; n = 2; c = {1,1};")
    assert mapping.plan(found).nodes == 16
    with pytest.raises(TsujiError, match=r"k = \{4,4\}: must be one value"):
        given("topology = mesh; routing_function = dor; k = {4,4};", ignore_unknown=False)


def test_a_cmesh_of_one_node_per_router_is_a_mesh():
    found = given("topology = cmesh; routing_function = dim_order; k = {4,4}; n = 2; c = {1,1}; num_vcs = 4;")
    assert mapping.plan(found).nodes == 16
    assert "topology = cmesh: ignored; topology = mesh in its place" in found.told_of_ignored()[0]


@pytest.mark.parametrize(
    "text",
    [
        "topology = hyperx;",
        "router = event;",
        "sim_type = batch;",
        "routing_function = chaos;",
        "routing_function = limited_adapt;",
        "link_failures = 1;",
        "k = {4,8};",
        "k = {4,4,4};",
        "k = {4,4}; c = {2,2};",
    ],
)
def test_what_has_nothing_in_its_place_is_refused(text):
    """Topologies; what BookSim2 has and is not supported; sizes that differ."""
    with pytest.raises(
        TsujiError, match=r"net.cfg:1: (topology|router|sim_type|routing_function|link_failures|k|c) = "
    ):
        mapping.plan(given(MESH + text))
