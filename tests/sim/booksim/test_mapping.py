"""Keys of BookSim2: mapped, refused with place and reason, or reported to have no effect."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.booksim import mapping
from sim.booksim.keys import MAPPED, ONLY
from sim.booksim.parser import parse
from sim.booksim.settings import settings
from sim.topology.torus import grid

MESH = "topology = mesh; k = 4; routing_function = dor; num_vcs = 4;"
TORUS = "topology = torus; k = 4; routing_function = dim_order; num_vcs = 4;"
LONG = "1" + "0" * 320  # no float holds it


def given(text):
    return settings(parse(text, "net.cfg"))


def plan(text, base=MESH):
    return mapping.plan(given(base + text))


def refused(text, base=MESH):
    """Return why our own switch does not do it."""
    with pytest.raises(TsujiError) as error:
        mapping.on_our_switches(given(base + text))
    return str(error.value)


def test_defaults_are_booksims():
    found = plan("", "topology = mesh; routing_function = dor;")
    switch = found.config.switch
    assert (switch.vcs, switch.depth, switch.radix, switch.wrap) == (16, 8, (8, 8), False)
    assert (switch.hold_packets, switch.arbiter, switch.buffering, switch.u_turn) == (
        False,
        "round_robin",
        "wormhole",
        True,
    )
    assert (switch.vc_stage, switch.head_delay, switch.stage_delay, found.config.link.latency) == (True, 1, 0, 1)
    assert (found.arrivals.kind, found.sizes.all, found.load, found.seed) == ("bernoulli", (1,), 0.1, 0)
    assert found.procedure == mapping.Procedure(True, 1000, 3, 10, 1, 500.0, 0.05, 0.05, 0.05, 0.05)


@pytest.mark.parametrize(
    ("text", "attribute", "want"),
    [
        ("num_vcs = 3;", "vcs", 3),
        ("vc_buf_size = 5;", "depth", 5),
        ("buf_size = 14; vc_buf_size = 5;", "depth", 3),
        ("hold_switch_for_packet = 1;", "hold_packets", True),
        ("sw_allocator = separable_input_first;", "allocator", "ports_first"),
        ("sw_allocator = separable_output_first;", "allocator", "output_first"),
        ("sw_allocator = islip;", "allocator", "output_first"),
        ("vc_allocator = separable_input_first;", "vc_allocator", "input_first"),
        ("vc_allocator = separable_output_first;", "vc_allocator", "output_first"),
        ("vc_allocator = islip;", "vc_allocator", "output_first"),
        ("vc_allocator = piggyback; speculative = 1;", "vc_stage", False),
        ("sw_allocator = islip(1);", "arbiter", "round_robin"),
        ("sw_allocator = separable_input_first;", "arbiter", "round_robin"),
        ("sw_allocator = separable_input_first; arb_type = matrix;", "arbiter", "round_robin"),
        ("sw_allocator = separable_input_first(matrix);", "arbiter", "matrix"),
        ("sw_allocator = separable_output_first(matrix);", "arbiter", "matrix"),
        ("sw_allocator = separable_output_first(matrix);", "allocator", "output_first"),
        ("vc_allocator = separable_input_first(round_robin);", "vc_allocator", "input_first"),
        ("wait_for_tail_credit = 1; vc_buf_size = 5;", "credit_need", 5),
        ("vc_busy_when_full = 1;", "claim_full", False),
        ("speculative = 1; vc_busy_when_full = 1;", "claim_full", False),
        ("wait_for_tail_credit = 1; vc_busy_when_full = 1;", "claim_full", True),
        ("st_final_delay = 0; routing_delay = 0; vc_busy_when_full = 1;", "claim_full", True),
        ("routing_delay = 0;", "head_delay", 0),
        ("routing_delay = 5;", "head_delay", 5),
        ("vc_alloc_delay = 3;", "head_delay", 3),
        ("sw_alloc_delay = 3;", "stage_delay", 2),
        ("st_prepare_delay = 2;", "stage_delay", 2),
        ("st_final_delay = 2;", "stage_delay", 1),
        ("st_final_delay = 0;", "head_delay", 0),
        ("st_final_delay = 0; routing_delay = 0;", "vc_stage", False),
        ("speculative = 1;", "vc_stage", True),
        ("speculative = 1;", "allocator", "output_first"),
        ("speculative = 1;", "speculation", "equal"),
        ("speculative = 1; sw_allocator = separable_input_first;", "speculation", "behind"),
        ("speculative = 1; sw_allocator = separable_output_first(matrix);", "speculation", "behind"),
        ("vc_allocator = piggyback; speculative = 1;", "allocator", "output_first"),
        ("vc_allocator = piggyback; speculative = 1; vc_alloc_delay = 4;", "head_delay", 1),
        ("spec_sw_allocator = islip; spec_check_cred = 0;", "speculation", "none"),
        ("speculative = 1;", "head_delay", 1),
        ("speculative = 1; sw_alloc_delay = 4;", "stage_delay", 3),
        ("speculative = 1; vc_alloc_delay = 4;", "head_delay", 4),
        ("k = 3; n = 6;", "radix", (3,) * 6),
        ("k = 5; n = 6;", "tag_width", 18),
    ],
)
def test_keys_of_the_switch(text, attribute, want):
    assert getattr(plan(text).config.switch, attribute) == want


@pytest.mark.parametrize(
    ("text", "cycles"), [("", 2), ("routing_delay = 0;", 1), ("st_final_delay = 3;", 4), ("speculative = 1;", 1)]
)
def test_our_own_switch_takes_as_long(text, cycles):
    """The latency of a lone packet is the same; the cycles of a hop come after the grant."""
    switch = mapping.plan(given(MESH + text), own_switch=True).config.switch
    assert (switch.vc_stage, switch.head_delay, switch.stage_delay) == (False, 0, cycles)
    assert (switch.allocator, switch.ring_classes) == ("input_first", "dateline")
    as_given = plan(text).config.switch
    assert switch.route_cycles_hit + switch.stage_delay == as_given.route_cycles_hit + as_given.stage_delay


def test_a_faster_router_counts_its_own_cycles():
    """Links, credits and cables take as many of them more."""
    fast = plan("internal_speedup = 2.0; credit_delay = 3;", TORUS).config
    assert (fast.switch.speedup, fast.switch.output_flits, fast.switch.stage_delay) == (2, 64, 0)
    assert (fast.link.latency, fast.link.credit_latency) == (4, 4 + 6 - 1)
    far = plan("internal_speedup = 3.0;", "topology = dragonflynew; routing_function = min; k = 2; n = 1; num_vcs = 2;")
    assert (far.config.link.latency, far.config.topology.latencies) == (30, (0, 270))
    own = mapping.plan(given(MESH + "internal_speedup = 2.0;"), own_switch=True).config.switch
    assert (own.stage_delay, own.vc_stage) == (2, False)


def test_the_longest_wait_of_heads():
    assert plan("routing_delay = 63;").config.switch.head_delay == 63
    assert "routing_delay = 64: heads wait 64 cycles" in refused("routing_delay = 64;")
    own = mapping.plan(
        given(MESH + "routing_delay = 100; sw_allocator = separable_input_first(matrix);"), own_switch=True
    ).config.switch
    assert (own.stage_delay, own.arbiter) == (101, "matrix")


@pytest.mark.parametrize("digits", [1, 3, 8])
def test_a_mesh_of_two_is_a_hypercube(digits):
    """The same nodes, links and hops, with no unconnected port."""
    cube = plan(f"k = 2; n = {digits};").config
    assert (cube.topology.kind, cube.switch.routing, cube.switch.ports) == ("hypercube", "hypercube", digits + 1)
    found, mesh = cube.topology.build(), grid((2,) * digits, wrap=False)
    assert (found.peer_switch[:, :digits] == mesh.peer_switch[mesh.peer_switch >= 0].reshape(-1, digits)).all()
    assert (found.node_switch == mesh.node_switch).all()
    assert plan("k = 2; n = 3;", TORUS).config.topology.kind == "torus"


@pytest.mark.parametrize(("text", "want"), [("", 2), ("use_noc_latency = 0;", 1)])
def test_links_of_a_torus_are_longer(text, want):
    assert plan(text, TORUS).config.link.latency == want
    assert plan(text).config.link.latency == 1


@pytest.mark.parametrize(("text", "want"), [("", "fixed"), ("k = 3;", "dateline"), ("k = 5; num_vcs = 3;", "fixed")])
def test_a_packet_has_one_class_round_a_ring(text, want):
    assert plan(text, TORUS).config.switch.ring_classes == want
    assert plan(text).config.switch.ring_classes == "dateline"


@pytest.mark.parametrize(
    ("text", "load", "sizes", "weights"),
    [
        ("injection_rate = 0.2; packet_size = 3;", 0.6, (3,), ()),
        ("injection_rate = 0.6; packet_size = {3}; injection_rate_uses_flits = 1;", 0.6, (3,), ()),
        ("injection_rate = 0.1; packet_size = {{1,5}};", 0.3, (1, 5), (1, 1)),
        ("injection_rate = 0.1; packet_size = {{1,5}}; packet_size_rate = {{3,1}};", 0.2, (1, 5), (3, 1)),
        ("injection_rate = 0.1; packet_size = {{1,5,9}}; packet_size_rate = {{0,1}};", 0.7, (5, 9), (1, 1)),
    ],
)
def test_loads_and_sizes(text, load, sizes, weights):
    found = plan(text)
    assert found.load == pytest.approx(load, rel=1e-12)
    assert (found.sizes.all, found.sizes.packet_weights) == (sizes, weights)


@pytest.mark.parametrize(
    "text",
    [
        "injection_process = on_off; burst_alpha = 0.1; burst_beta = 0.3;",
        "injection_process = on_off({0.1,0.3});",
        "injection_process = on_off({-1,0.3,0.4});",
        "injection_process = on_off({0.1,-1,0.4});",
    ],
)
def test_bursts_have_booksims_three_parameters(text):
    """Rate 0.1 with α = 0.1, β = 0.3: on a quarter of the time, r1 = 0.1 · (α + β) / α = 0.4."""
    found = plan(f"injection_rate = 0.1; {text}").arrivals
    assert (found.burst_cycles, found.burst_duty) == (pytest.approx(1 / 0.3), pytest.approx(0.25))


def test_the_procedure():
    text = "sim_type = throughput; sample_period = 50; warmup_periods = 0; max_samples = 7; sim_count = 2; seed = 9;"
    text += "latency_thres = -1; warmup_thres = 0.1; acc_warmup_thres = 0.2; stopping_thres = 0.3;"
    found = plan(text + "acc_stopping_thres = 0.4;")
    assert found.procedure == mapping.Procedure(False, 50, 0, 7, 2, -1.0, 0.1, 0.2, 0.3, 0.4)
    assert found.seed == found.config.run.seed == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_vc = 2;", "net.cfg:1: num_vc = 2: BookSim2 has no such key; did you mean num_vcs?"),
        ("topology = tree4;", "net.cfg:1: topology = tree4: must be one of mesh, torus, cmesh, flatfly, fattree, fly"),
        ("routing_function = min_adapt;", "routing_function = min_adapt: must be one of dor, dim_order, xy_yx on mesh"),
        ("topology = torus;", "routing_function = dor: must be dim_order on torus"),
        ("k = eight;", "net.cfg:1: k = eight: must be an integer"),
        ("k = 1;", "k = 1: must be at least 2"),
        ("k = 400;", "k = 400: 400 to the power of n = 2 are 160000 nodes; at most 131072"),
        ("n = 13;", "n = 13: must be 1 to 12"),
        ("num_vcs = 17;", "num_vcs = 17: must be 1 to 16"),
        ("vc_buf_size = 0;", "vc_buf_size = 0: must be 1 to 4096"),
        ("buf_size = 3;", "buf_size = 3: must be at least num_vcs = 4"),
        (
            "sw_allocator = wavefront;",
            "net.cfg:1: sw_allocator = wavefront: must be one of islip, separable_input_first, separable_output_first",
        ),
        (
            "vc_allocator = wavefront;",
            "net.cfg:1: vc_allocator = wavefront: must be one of islip, separable_input_first, separable_output_first; "
            "piggyback with speculative = 1",
        ),
        ("vc_allocator = piggyback;", "vc_allocator = piggyback: must be one of islip"),
        ("vc_allocator = piggyback; speculative = 1; vc_busy_when_full = 7;", "vc_busy_when_full = 7"),
        ("spec_check_cred = 9;", "spec_check_cred = 9"),
        (
            "sw_allocator = separable_input_first(tree_matrix);",
            "sw_allocator = separable_input_first(tree_matrix): arbiters must be one of round_robin, matrix",
        ),
        ("sw_allocator = islip(2);", "sw_allocator = islip(2): iSLIP makes one iteration: must be islip, or islip(1)"),
        (
            "sw_allocator = separable_input_first(tree(4,matrix));",
            "separable_input_first(tree(4,matrix)): arbiters must be one of round_robin, matrix",
        ),
        ("sw_allocator = islip({1,2});", "islip({1,2}): iSLIP makes one iteration"),
        ("vc_allocator = piggyback(3); speculative = 1;", "piggyback(3): must be one of islip"),
        ("vc_allocator = islip(2);", "vc_allocator = islip(2): iSLIP makes one iteration"),
        (
            "vc_allocator = separable_input_first(matrix);",
            "vc_allocator = separable_input_first(matrix): arbiters must be round_robin: VCs are given in turn",
        ),
        ("vc_alloc_delay = 0;", "vc_alloc_delay = 0: must be at least 1"),
        ("speculative = 1; routing_delay = 0; st_final_delay = 0;", "the delays of a hop make 1 cycles; must be 2"),
        ("injection_rate = 0;", "injection_rate = 0: must be above 0"),
        ("injection_rate = 1.5;", "injection_rate = 1.5: must be above 0, and at most 1 packet/node/cycle"),
        ("classes = 2;", "net.cfg:1: classes = 2: must be 1 on our own switch"),
        ("input_speedup = 2;", "input_speedup = 2: must be 1 on our own switch"),
        ("use_read_write = 1;", "use_read_write = 1: must be 0 on our own switch"),
        ("num_vcs = {2,4};", "num_vcs = {2,4}: must be one value"),
        ("injection_rate = {};", "injection_rate = {}: must be one value"),
        ("latency_thres = nan;", "latency_thres = nan: must be a number"),
        ("packet_size = 0;", "packet_size = 0: must be 1 to 65536 flits"),
        ("packet_size = {{1,x}};", "packet_size = {{1,x}}: must be an integer, or a list of them in a list"),
        ("packet_size_rate = 0;", "packet_size_rate = 0: must be 0 or more, and not all 0"),
        ("packet_size_rate = {{}};", "packet_size_rate = {{}}: must be 0 or more, and not all 0"),
        (f"packet_size_rate = {{{{1,{LONG}}}}};", "or a list of them in a list: {{1,4}}; at most 2147483647"),
        (f"num_vcs = {LONG};", "must be an integer from -2147483648 to 2147483647"),
        ("num_vcs = 1_0;", "num_vcs = 1_0: must be an integer from"),
        (f"k = {LONG}; n = 16;", "must be an integer from"),
        ("sim_count = 65537;", "sim_count = 65537: must be 1 to 65536"),
        ("injection_process = on_off({nan,0.5,-1});", "on_off({nan,0.5,-1}): arguments must be numbers"),
        ("injection_process = on_off({0.5,1e-10,-1});", "burst_beta = 1e-10 must be above 0 and at most 1 together"),
        ("injection_process = on_off({0.999999999,0.000000001,-1});", "must be above 0 and at most 1 together"),
        ("traffic = worst;", "net.cfg:1: traffic = worst: must be one of asymmetric, background"),
        ("injection_process = poisson;", "injection_process = poisson: must be bernoulli or on_off"),
        ("injection_process = on_off({0.1,0.3,0.4});", "one of burst_alpha, burst_beta, burst_r1 must be negative"),
        ("injection_process = on_off({0.1,0.95});", "burst_alpha = 0.1 and burst_beta = 0.95 must be above 0 and"),
        ("injection_process = on_off({0.01,0.9});", "and burst_r1 = 9.1 at most 1"),
        ("sim_type = batch;", "sim_type = batch: must be one of latency, throughput"),
        ("internal_speedup = 1.7;", "net.cfg:1: internal_speedup = 1.7: must be 1, 2, 3 or 4"),
        ("output_buffer_size = 8;", "output_buffer_size = 8: must be -1 with internal_speedup = 1"),
        ("output_buffer_size = 1; internal_speedup = 2;", "output_buffer_size = 1: must be -1, or 2 to 64 flits"),
        ("internal_speedup = 2; vc_alloc_delay = 2;", "vc_alloc_delay = 2: must be 1 with internal_speedup above 1"),
        ("internal_speedup = 2; routing_delay = 2;", "routing_delay = 2: must be 0 or 1 with internal_speedup above 1"),
        ("internal_speedup = 2; st_final_delay = 0;", "st_final_delay = 0: must be 1 to 511 with st_prepare_delay"),
        ("seed = time;", "seed = time: must be an integer"),
        ("sample_period = 0;", "sample_period = 0: must be at least 1"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_and_place(text, message):
    assert message in refused(text)


def test_defaults_that_are_not_supported_are_refused_too():
    message = refused("", "topology = mesh;")
    assert message == "routing_function = none (BookSim2's default): must be one of dor, dim_order, xy_yx on mesh"
    assert "num_vcs = 1: must be 2 to 16" in refused("num_vcs = 1;", TORUS)


@pytest.mark.parametrize("key", ONLY)
def test_every_key_of_one_value_refuses_others(key):
    known = ONLY[key]
    for value in known.allowed:
        plan(f"{key} = {value};")
    other = {int: "97", float: "97.5", str: "another"}[type(known.default)]
    message = refused(f"{key} = {other};")
    assert message.startswith(f"net.cfg:1: {key} = {other}: must be ")
    assert message.endswith(known.note)


FLATFLY = "topology = flatfly; routing_function = ran_min; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2;"
SIXTEEN = "num_vcs = 16; "
READ_WRITE = SIXTEEN + "use_read_write = 1; "
TYPES = ("read_request", "read_reply", "write_request", "write_reply")
BURSTS = "injection_process = on_off; "
CHANGES = {
    "topology": ("routing_function = dim_order;", "torus"),
    "k": ("", "3"),
    "n": ("", "3"),
    "routing_function": ("topology = torus; routing_function = dim_order;", "dor"),
    "c": (FLATFLY, "3"),
    "x": (FLATFLY, "5"),
    "y": (FLATFLY, "5"),
    "yr": (FLATFLY, "3"),
    "network_file": ("topology = anynet; routing_function = min;", "nowhere.txt"),
    "use_noc_latency": ("topology = torus; routing_function = dim_order;", "0"),
    "num_vcs": ("", "5"),
    "vc_buf_size": ("", "4"),
    "buf_size": ("", "20"),
    "credit_delay": ("", "3"),
    "vc_busy_when_full": ("", "1"),
    "wait_for_tail_credit": ("", "1"),
    "hold_switch_for_packet": ("", "1"),
    "vc_allocator": ("", "separable_input_first"),
    "sw_allocator": ("", "separable_input_first"),
    "routing_delay": ("", "0"),
    "vc_alloc_delay": ("", "2"),
    "sw_alloc_delay": ("", "2"),
    "st_prepare_delay": ("", "1"),
    "st_final_delay": ("", "2"),
    "internal_speedup": ("", "2.0"),
    "output_buffer_size": ("internal_speedup = 2;", "8"),
    "speculative": ("", "1"),
    "spec_sw_allocator": ("speculative = 1;", "islip"),
    "spec_check_elig": ("speculative = 1;", "0"),
    "spec_check_cred": ("speculative = 1;", "0"),
    "traffic": ("", "tornado"),
    "perm_seed": ("traffic = randperm;", "1"),
    "xr": ("", "2"),
    "injection_rate": ("", "0.2"),
    "injection_rate_uses_flits": ("packet_size = 2;", "1"),
    "packet_size": ("", "2"),
    "packet_size_rate": ("packet_size = {{1,3}};", "{{1,2}}"),
    "injection_process": ("", "on_off"),
    "burst_alpha": (BURSTS, "0.4"),
    "burst_beta": (BURSTS, "0.4"),
    "burst_r1": (BURSTS + "burst_beta = -1;", "0.2"),
    "sim_type": ("", "throughput"),
    "warmup_periods": ("", "4"),
    "sample_period": ("", "500"),
    "max_samples": ("", "4"),
    "latency_thres": ("", "100"),
    "warmup_thres": ("", "0.1"),
    "acc_warmup_thres": ("", "0.1"),
    "stopping_thres": ("", "0.1"),
    "acc_stopping_thres": ("", "0.1"),
    "sim_count": ("", "2"),
    "seed": ("", "1"),
    "input_speedup": ("", "2"),
    "output_speedup": ("", "2"),
    "vc_prioritize_empty": ("", "1"),
    "vc_shuffle_requests": ("", "1"),
    "classes": ("", "2"),
    "measure_stats": ("", "0"),
    "priority": ("", "age"),
    "class_priority": ("priority = class;", "3"),
    "use_read_write": (SIXTEEN, "1"),
    "write_fraction": (READ_WRITE, "0.25"),
    **{f"{kind}_size": (READ_WRITE, "3") for kind in TYPES},
    "subnets": ("", "2"),
    **{f"{kind}_subnet": (READ_WRITE + "subnets = 2; ", "1") for kind in TYPES},
    **{f"{kind}_begin_vc": (READ_WRITE, "1") for kind in TYPES},
    **{f"{kind}_end_vc": (READ_WRITE, "14") for kind in TYPES},
}


@pytest.mark.parametrize("key", MAPPED)
def test_every_mapped_key_has_an_effect(key):
    """Another value makes another plan, or is refused where the other keys do not allow it."""
    base, value = CHANGES[key]
    before = ""
    if key not in ("burst_r1", "network_file"):  # of which one of three must be negative; which names no file
        before = repr(plan(base))
    try:
        after = repr(plan(f"{base} {key} = {value};"))
    except TsujiError as error:
        after = str(error)
        assert f"{key} = {value}" in after
    assert before != after


def test_digits_may_be_wider_than_k():
    """tornado's digits are k · xr wide: one digit of 16 on 4×4."""
    found = plan("traffic = tornado({4,1,4});")
    choose = found.pattern.chooser(found.config.topology.build())
    assert choose(np.random.default_rng(0), np.arange(16)).tolist() == [(n + 7) % 16 for n in range(16)]
