"""Mean latencies of BookSim2, measured with it, and ours on its router: within 1 %.

BookSim2 was built outside the project from its public repository; each number is the mean packet latency that it prints
for the configuration, with sample_period = 3000, or up to 60000 where few packets are sent. All loads are below three
quarters of saturation.
"""

import pytest

from sim.booksim.measure import measure
from sim.booksim.parser import parse
from sim.booksim.router_mapping import plan
from sim.booksim.settings import settings

MESH4 = "topology = mesh; k = 4; n = 2; num_vcs = 4;"
MESH = f"{MESH4} routing_function = dor;"
TORUS4 = "topology = torus; k = 4; n = 2; num_vcs = 4;"
FLATFLY = "topology = flatfly; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; num_vcs = 8;"
CMESH = "topology = cmesh; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2;"
ANYNET = "topology = anynet; routing_function = min;"
READ_WRITE = (
    "num_vcs = 16; use_read_write = 1; read_request_size = 1; write_request_size = 4; read_reply_size = 4; "
    "write_reply_size = 1;"
)
FILES = {
    "one_way": "router 0 node 0 router 1 3\nrouter 1 node 1\n",
    "ring": (
        "router 0 node 0 router 1 4 router 3 2\nrouter 1 node 1 router 2 4 router 0 2\n"
        "router 2 node 2 router 3 4 router 1 2\nrouter 3 node 3 router 0 4 router 2 2\n"
    ),
    "node_cycles": "node 0 router 0 5\nnode 1 router 1 3\nrouter 0 router 1 2\nrouter 1 router 0 2\n",
}


def latencies(text, folder):
    """Return the mean packet latency of each class of traffic."""
    for name, lines in FILES.items():
        (folder / name).write_text(lines)
    period = 30000 if "anynet" in text else 6000
    given = settings(parse(f"{text} sample_period = {period};", f"{folder / 'net.cfg'}:1"))
    outcome = measure(plan(given, ""))
    assert not outcome.unstable
    return [spread.average for name, spread in outcome.figures.items() if name.endswith("Packet latency")]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (
            "topology = mesh; k = 8; n = 2; routing_function = dor; num_vcs = 4; internal_speedup = 1.5;",
            {"0.1": 27.34, "0.2": 27.94, "0.3": 28.85},
        ),
        (f"{MESH} input_speedup = 2;", {"0.1": 19.69, "0.2": 19.91, "0.3": 20.26}),
        (f"{MESH} output_speedup = 2; output_buffer_size = 8;", {"0.1": 19.69, "0.2": 19.93, "0.3": 20.3}),
        (
            f"{MESH} input_speedup = 2; output_speedup = 2; internal_speedup = 1.7; packet_size = 4; "
            "injection_rate_uses_flits = 1;",
            {"0.1": 17.84, "0.3": 19.54, "0.5": 22.86},
        ),
        (f"{MESH4} routing_function = valiant;", {"0.1": 32.67, "0.2": 34.39, "0.3": 38.21}),
        (f"{MESH4} routing_function = romm;", {"0.1": 19.68, "0.2": 19.92, "0.3": 20.39}),
        (f"{MESH4} routing_function = min_adapt;", {"0.1": 19.89, "0.2": 20.54, "0.3": 21.94}),
        (f"{MESH4} routing_function = planar_adapt;", {"0.1": 19.75, "0.2": 20.12, "0.3": 20.83}),
        (f"{MESH4} routing_function = adaptive_xy_yx;", {"0.1": 19.62, "0.2": 19.89, "0.3": 20.33}),
        (f"{MESH4} routing_function = dim_order_pni;", {"0.1": 20.01, "0.2": 20.93, "0.3": 23.09}),
        (
            "topology = mesh; k = 4; n = 2; num_vcs = 32; routing_function = dim_order_ni;",
            {"0.1": 19.65, "0.2": 19.82, "0.3": 20.16},
        ),
        (
            "topology = mesh; k = 4; n = 2; num_vcs = 32; routing_function = romm_ni;",
            {"0.1": 19.63, "0.2": 19.79, "0.3": 20.12},
        ),
        (f"{TORUS4} routing_function = min_adapt;", {"0.1": 19.16, "0.2": 19.56, "0.3": 19.98}),
        (f"{TORUS4} routing_function = dim_order_bal;", {"0.1": 19.17, "0.2": 19.3, "0.3": 19.53}),
        (
            "topology = torus; k = 4; n = 2; num_vcs = 32; routing_function = dim_order_ni;",
            {"0.1": 19.07, "0.2": 19.2, "0.3": 19.4},
        ),
        (
            "topology = fly; k = 2; n = 4; num_vcs = 4; routing_function = dest_tag;",
            {"0.1": 22.24, "0.3": 23.22, "0.5": 25.96},
        ),
        (
            "topology = fly; k = 4; n = 3; num_vcs = 4; routing_function = dest_tag;",
            {"0.1": 17.29, "0.2": 17.76, "0.4": 19.94},
        ),
        (
            "topology = fattree; k = 4; n = 3; num_vcs = 4; routing_function = anca;",
            {"0.1": 24.26, "0.2": 24.87, "0.3": 25.83},
        ),
        (
            "topology = qtree; k = 4; n = 3; num_vcs = 4; routing_function = nca;",
            {"0.02": 24.49, "0.03": 24.87, "0.05": 28.64},
        ),
        (
            "topology = tree4; k = 4; n = 3; num_vcs = 4; routing_function = nca;",
            {"0.05": 24.24, "0.1": 24.73, "0.2": 26.64},
        ),
        (f"{CMESH} num_vcs = 4; routing_function = dor;", {"0.02": 20.65, "0.05": 20.83, "0.1": 21.43}),
        (f"{CMESH} num_vcs = 4; routing_function = xy_yx;", {"0.02": 20.64, "0.05": 20.79, "0.1": 21.36}),
        (f"{FLATFLY} routing_function = adaptive_xyyx;", {"0.1": 18.18, "0.2": 18.53, "0.3": 19.03}),
        (f"{FLATFLY} routing_function = valiant;", {"0.1": 27.66, "0.2": 28.97, "0.3": 33.25}),
        (f"{FLATFLY} routing_function = ugal;", {"0.1": 18.7, "0.2": 19.24, "0.3": 19.84}),
        (f"{FLATFLY} routing_function = ugal_xyyx;", {"0.1": 18.66, "0.2": 19.15, "0.3": 19.67}),
        (f"{FLATFLY} routing_function = ugal_pni;", {"0.1": 18.73, "0.2": 19.29, "0.3": 19.94}),
        (f"{MESH} vc_allocator = wavefront; sw_allocator = wavefront;", {"0.1": 19.76, "0.3": 20.73, "0.5": 23.82}),
        (
            f"{MESH} vc_allocator = rr_wavefront; sw_allocator = rr_wavefront;",
            {"0.1": 19.75, "0.3": 20.61, "0.5": 23.12},
        ),
        (f"{MESH} vc_allocator = max_size; sw_allocator = max_size;", {"0.1": 19.79, "0.3": 21.0, "0.5": 27.14}),
        (f"{MESH} vc_allocator = pim; sw_allocator = pim;", {"0.1": 19.75, "0.3": 20.68, "0.5": 24.66}),
        (f"{MESH} vc_allocator = loa; sw_allocator = loa;", {"0.1": 19.77, "0.3": 20.9, "0.5": 25.78}),
        (f"{MESH} vc_allocator = select; sw_allocator = select;", {"0.1": 19.7, "0.3": 20.35, "0.5": 21.97}),
        (f"{MESH} vc_allocator = islip(2); sw_allocator = islip(2);", {"0.1": 19.69, "0.3": 20.32, "0.5": 21.63}),
        (
            f"{MESH} vc_allocator = separable_input_first(matrix); sw_allocator = separable_input_first(matrix);",
            {"0.1": 19.67, "0.3": 20.21, "0.5": 21.47},
        ),
        (
            "topology = mesh; k = 4; n = 2; num_vcs = 32; vc_buf_size = 2; routing_function = dor;",
            {"0.1": 19.69, "0.3": 20.33, "0.5": 21.71},
        ),
        (f"{ANYNET} network_file = one_way; num_vcs = 4;", {"0.01": 9.98, "0.1": 10.04, "0.3": 10.17}),
        (f"{ANYNET} network_file = ring; num_vcs = 4;", {"0.01": 13.49, "0.1": 13.57, "0.2": 13.66}),
        (f"{ANYNET} network_file = node_cycles; num_vcs = 4;", {"0.01": 15.95, "0.05": 16.07, "0.1": 16.03}),
        (
            f"topology = mesh; k = 4; n = 2; routing_function = dor; {READ_WRITE}",
            {"0.02": 21.91, "0.05": 23.22, "0.08": 25.12},
        ),
        (f"{CMESH} routing_function = dor_no_express; {READ_WRITE}", {"0.01": 24.72, "0.015": 25.24, "0.02": 25.81}),
        (
            f"{MESH} classes = 2; packet_size = {{1,4}}; priority = class; class_priority = {{1,0}}; "
            "sw_allocator = separable_input_first;",
            {"{0.1,0.05}": (19.95, 25.9), "{0.15,0.05}": (20.08, 27.07), "{0.2,0.05}": (20.52, 28.82)},
        ),
        (
            f"{MESH} priority = age; sw_allocator = separable_input_first; packet_size = 4;",
            {"0.02": 23.01, "0.06": 24.66, "0.1": 27.87},
        ),
        (
            f"{MESH} hold_switch_for_packet = 1; input_speedup = 2; packet_size = 4;",
            {"0.02": 22.91, "0.04": 23.42, "0.06": 24.07},
        ),
        (
            f"{MESH} speculative = 1; routing_delay = 0; internal_speedup = 1.5;",
            {"0.1": 9.86, "0.2": 10.25, "0.3": 10.64},
        ),
        (
            "topology = dragonflynew; k = 2; n = 1; num_vcs = 3; vc_buf_size = 64; routing_function = ugal;",
            {"0.05": 119.7, "0.1": 120.51, "0.15": 122.1},
        ),
        (
            f"{MESH} subnets = 2; packet_size = 4;",
            {"0.05": 23.44, "0.1": 24.76, "0.15": 27.01},
        ),
        (
            f"topology = fly; k = 16; n = 1; routing_function = dest_tag; {READ_WRITE} subnets = 2; "
            "read_reply_subnet = 1; write_reply_subnet = 1;",
            {"0.02": 9.249, "0.05": 9.781, "0.08": 10.659},
        ),
        (
            "topology = mesh; k = 4; n = 2; num_vcs = 2; routing_function = dor; input_speedup = 4;",
            {"0.1": 19.84, "0.2": 20.11, "0.3": 20.86},
        ),
        (f"{MESH} st_final_delay = 2; input_speedup = 2;", {"0.1": 24.28, "0.2": 25.18, "0.3": 25.93}),
        (f"{MESH} routing_delay = 2; input_speedup = 2;", {"0.1": 24.53, "0.2": 25.88, "0.3": 27.31}),
    ],
)
def test_latency_is_booksims(text, points, tmp_path):
    for rate, want in points.items():
        got = latencies(f"{text} injection_rate = {rate};", tmp_path)
        assert got == pytest.approx(list(want) if isinstance(want, tuple) else [want], rel=0.01), rate


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("topology = mesh; k = 8; n = 2; routing_function = dor; num_vcs = 4; internal_speedup = 1.5;", 27.31),
        (f"{MESH4} routing_function = valiant;", 32.56),
        ("topology = fly; k = 2; n = 4; num_vcs = 4; routing_function = dest_tag;", 22.27),
    ],
)
def test_latency_is_that_of_one_short_run(text, want, tmp_path):
    """At 0.1, with BookSim2's default seed and sample_period of 1,000 cycles.

    `min_adapt` on the 4×4 mesh is left out: its 20.05 is an outlier, for other seeds BookSim2 prints 19.75 to 19.93.
    """
    assert latencies(f"{text} injection_rate = 0.1;", tmp_path) == [pytest.approx(want, rel=0.01)]


def test_a_link_of_a_file_takes_its_cycles_one_way(tmp_path):
    """3 cycles out, 1 back: 14, 12 and, to the own node, 7; uniform traffic that hardly meets has the mean 10."""
    (got,) = latencies(f"{ANYNET} network_file = one_way; num_vcs = 4; injection_rate = 0.01;", tmp_path)
    assert got == pytest.approx(10.0, rel=0.01)


def test_an_overloaded_network_is_unstable():
    given = settings(parse(f"{TORUS4} routing_function = min_adapt; injection_rate = 1.0;", "net.cfg"))
    assert "mean latency exceeded latency_thres = 500 cycles" in measure(plan(given, "")).unstable
