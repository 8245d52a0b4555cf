"""What our switch does not do becomes BookSim2's router; what neither does is refused by name and place."""

import pytest

from models.booksim.iq_requests import INPUT_FIRST, ISLIP, MAX_SIZE, OUTPUT_FIRST
from models.errors import TsujiError
from sim.booksim import mapping
from sim.booksim.parser import parse
from sim.booksim.router_mapping import ALLOCATORS, RouterPlan
from sim.booksim.settings import settings

MESH = "topology = mesh; k = 4; routing_function = dor; num_vcs = 4;"
FLATFLY = "topology = flatfly; routing_function = ran_min; k = 4; n = 2; c = 4; xr = 2; yr = 2; num_vcs = 8;"


def plan(text, base=MESH, own_switch=False):
    return mapping.plan(settings(parse(base + text, "net.cfg")), own_switch)


@pytest.mark.parametrize(
    ("text", "attribute", "want"),
    [
        ("input_speedup = 2;", "input_speedup", 2),
        ("output_speedup = 2; routing_delay = 3;", "routing_delay", 3),
        ("internal_speedup = 1.5; st_prepare_delay = 1;", "crossbar_delay", 2),
        ("internal_speedup = 0.5e1;", "internal_speedup", 5.0),
        ("num_vcs = 17; vc_buf_size = 3;", "depth", 3),
        ("num_vcs = 20; buf_size = 100;", "depth", 5),
        ("priority = age; wait_for_tail_credit = 1;", "wait_for_tail_credit", True),
        ("vc_prioritize_empty = 1;", "vc_prioritize_empty", True),
        ("vc_allocator = piggyback; speculative = 1; input_speedup = 2;", "piggyback", True),
        ("output_buffer_size = 8;", "output_buffer_size", 8),
        ("classes = 3;", "classes", 3),
    ],
)
def test_keys_of_the_router(text, attribute, want):
    found = plan(text)
    assert isinstance(found, RouterPlan)
    assert getattr(found.parameters, attribute) == want
    assert "simulated with BookSim2's router, a model alone" in found.notes[0]
    assert found.document()["booksim_router"][attribute] == want
    with pytest.raises(TsujiError):
        plan(text, own_switch=True)


@pytest.mark.parametrize("name", ALLOCATORS)
def test_allocators(name):
    found = plan(f"vc_allocator = {name}; sw_allocator = {name}; input_speedup = 2;")
    assert found.claims.kind == found.switch.kind == ALLOCATORS[name]
    if name == "islip":
        assert plan("sw_allocator = islip(2);").switch.iterations == 2


def test_allocators_of_other_names():
    names = ("islip", "select", "separable_input_first", "max_size")
    assert [ALLOCATORS[name] for name in names] == [ISLIP, OUTPUT_FIRST, INPUT_FIRST, MAX_SIZE]


def test_a_matrix_arbiter_is_for_either_allocator():
    found = plan("vc_allocator = separable_input_first(matrix); input_speedup = 2;")
    assert (found.claims.matrix, found.switch.matrix) == (True, False)


def test_rows_of_a_chip_may_be_longer_than_its_columns():
    """BookSim2 lays out the 16 routers in rows of x, whatever y is."""
    found = plan("x = 8; y = 8;", FLATFLY)
    assert found.shape.columns == 8
    assert "x · y = 8·8, but 4^2 = 16 routers: 2 rows of 8" in found.notes[1]


def test_a_vc_has_at_most_one_input_of_the_crossbar():
    """BookSim2 does not use further ones either."""
    assert plan("input_speedup = 16;").parameters.input_speedup == 4


def test_buffers_may_be_larger_than_those_of_our_own_switch():
    found = mapping.plan(settings(parse(f"{MESH} vc_buf_size = 5000;", "net.cfg")))
    assert isinstance(found, RouterPlan)
    assert found.parameters.depth == 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topology = ring;", "topology = ring: must be one of mesh, torus, cmesh"),
        ("routing_function = chaos;", "routing_function = chaos: must be one of dor, dim_order, dim_order_ni"),
        ("num_vcs = 1025;", "num_vcs = 1025: must be 1 to 1024"),
        ("input_speedup = 17;", "input_speedup = 17: must be 1 to 16"),
        ("vc_buf_size = 2000000;", "vc_buf_size = 2000000: must be 1 to 1048576"),
        ("subnets = 17;", "subnets = 17: must be 1 to 16"),
        (
            "num_vcs = 16; use_read_write = 1; subnets = 2; read_reply_subnet = 2;",
            "read_reply_subnet = 2: must be 0 to 1",
        ),
        ("output_speedup = 0;", "output_speedup = 0: must be 1 to 16"),
        ("internal_speedup = 0.5;", "internal_speedup = 0.5: must be 1 to 16"),
        (
            "internal_speedup = 1.5; vc_alloc_delay = 2;",
            "vc_alloc_delay = 2: must be 1 with BookSim2's router",
        ),
        (
            "internal_speedup = 1.5; st_final_delay = 0;",
            "st_final_delay = 0: must be at least 1, with",
        ),
        ("output_buffer_size = 0;", "output_buffer_size = 0: must be -1, or at least 1 flit"),
        ("priority = queue_length;", "priority = queue_length: must be one of none, class, age, sequence"),
        ("speculative = 1; spec_sw_allocator = islip;", "spec_sw_allocator = islip: must be prio"),
        ("vc_allocator = piggyback;", "vc_allocator = piggyback: piggyback needs speculative = 1"),
        ("sw_allocator = greedy;", "sw_allocator = greedy: must be one of islip, select"),
        ("sw_allocator = islip(0);", "sw_allocator = islip(0): must be islip, or islip(1) to islip(64)"),
        (f"sw_allocator = islip({'9' * 5000});", "must be islip, or islip(1) to islip(64)"),
        ("sw_allocator = select(2);", "sw_allocator = select(2): must be select"),
        ("sw_allocator = wavefront(1);", "sw_allocator = wavefront(1): must be wavefront"),
        ("sw_allocator = separable_input_first(tree(4,matrix));", "arbiters must be one of round_robin, matrix"),
        ("routing_function = valiant; num_vcs = 1;", "num_vcs = 1: must be at least 2 for each type of packet"),
        ("routing_function = dim_order_ni;", "num_vcs = 4: must be at least 16 for each type of packet"),
        ("topology = qtree; routing_function = nca;", "n = 2 (BookSim2's default): must be 3 on qtree"),
        ("topology = cmesh; routing_function = dor;", "c = 1 (BookSim2's default): must be 4 on cmesh"),
        (
            "topology = dragonflynew; routing_function = ugal; n = 1;",
            "num_vcs = 4: must be 3 with routing_function",
        ),
        ("use_read_write = 1;", "of num_vcs = 4; each type of packet needs some"),
        ("traffic = worst; input_speedup = 2;", "traffic = worst: must be one of"),
        ("k = 300; input_speedup = 2;", "k = 300: 300 to the power of n = 2 are 90000 nodes; at most 65536"),
    ],
)
def test_what_neither_does_is_refused(text, message):
    with pytest.raises(TsujiError) as refused:
        plan(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 4; y = 2;", "y = 2: must be x = 4: BookSim2 asserts x = y"),
        ("x = 3; y = 3;", "x = 3: 4^2 = 16 routers are not whole rows of x = 3: BookSim2 numbers nodes outside"),
        ("x = 4; y = 4; c = 5;", "c = 5: must be xr · yr = 4: BookSim2 asserts c = xr · yr"),
    ],
)
def test_what_booksim_does_with_other_chips_is_said(text, message):
    with pytest.raises(TsujiError) as refused:
        plan(text, FLATFLY)
    assert message in str(refused.value)
