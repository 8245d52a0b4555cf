"""Networks whose switches are batched, against the same switches visited one by one."""

from dataclasses import fields

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import seed
from models.batched.limits import batch_widths, can_batch
from models.batched.link import DUE_WORD
from models.errors import TsujiError
from models.jit.simd_type import batches_of
from models.params import AdaptiveParams, LinkParams, LpiParams, PredictionParams, SwitchParams
from models.power_up import new_state
from sim.config.run import RunParams
from sim.engine.batched.bundle_search import MOST_BUNDLES
from sim.engine.batched.bundles import IRREGULAR
from sim.engine.network import Network
from sim.packets import Delivered, Packets
from sim.routing.up_down import UpDown
from sim.topology.fat_tree import fat_tree
from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.hypercube import hypercube
from sim.topology.random_regular import random_regular
from sim.topology.torus import TorusFamily, grid
from sim.traffic.closed_loop import ClosedLoop
from tests.sim.engine.batched.consistency import check_batches

VC_STAGE = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
ONE_STEP = {"allocator": "input_first", "vc_stage": False}
CUT_THROUGH = {"depth": 8, "buffering": "dynamic", "max_packet": 6}
PLAIN_LINK, OPEN_LOOP = LinkParams(), ClosedLoop()
TORI = {
    "two batches, overloaded": ((9, 8), 1.0, {"vcs": 4, "head_delay": 1, "ring_classes": "fixed"}),
    "a batch that is not full": ((6, 7), 0.5, {"vcs": 2, "depth": 2}),
    "more batches than a word has bytes": ((23, 23), 0.2, {"vcs": 3, "stage_delay": 1}),
    "nearly empty": ((23, 23), 0.0005, {"vcs": 2, "head_delay": 5}),
    "ties drawn": ((6, 8), 0.6, {"vcs": 4, "head_delay": 1, "ring_classes": "fixed", "ties": "random"}),
    "outputs of 16 bits": ((3, 3, 3, 3), 0.6, {"vcs": 2, "depth": 2}),
    "all of 16 bits": ((9, 9), 0.7, {"vcs": 9}),
    "packets to oneself are dropped": ((5, 7), 0.4, {"vcs": 2}),
}
TORI = {name: (radix, load, VC_STAGE | more) for name, (radix, load, more) in TORI.items()} | {
    "one step, two batches, overloaded": ((9, 8), 1.0, ONE_STEP | {"vcs": 4}),
    "one step, nothing held": ((6, 7), 0.5, ONE_STEP | {"vcs": 3, "depth": 2, "hold_packets": False}),
    "one step, nearly empty, head delay": ((23, 23), 0.0005, ONE_STEP | {"vcs": 2, "head_delay": 5}),
    "one step, one flit deep": ((6, 8), 0.6, ONE_STEP | {"vcs": 4, "depth": 1, "ring_classes": "fixed"}),
    "one step, low-power idle": ((9, 8), 0.3, ONE_STEP | {"vcs": 2, "lpi": LpiParams(idle=20, sleep=9, wake=7)}),
    "one step, low-power idle, nearly empty": (
        (23, 23),
        0.002,
        ONE_STEP | {"vcs": 2, "lpi": LpiParams(idle=0, sleep=30, wake=50, refresh_interval=40, refresh=5)},
    ),
    "one step, cut-through": ((9, 8), 0.5, ONE_STEP | CUT_THROUGH | {"vcs": 3}),
    "one step, static buffering": ((9, 8), 0.5, ONE_STEP | CUT_THROUGH | {"vcs": 3, "buffering": "static"}),
    "one step, output buffers": ((9, 8), 0.5, ONE_STEP | {"vcs": 3, "speedup": 2, "stage_delay": 1}),
    "one step, small output buffers, adaptive": (
        *((9, 8), 0.6),
        ONE_STEP | {"vcs": 3, "speedup": 3, "output_buffer": 2, "adaptive": AdaptiveParams()},
    ),
    "one step, matrix arbiters": ((9, 8), 0.6, ONE_STEP | {"vcs": 3, "arbiter": "matrix"}),
    "matrix arbiters": ((6, 7), 0.6, VC_STAGE | {"vcs": 3, "arbiter": "matrix"}),
    "one step, adaptive": ((9, 8), 0.7, ONE_STEP | {"vcs": 4, "adaptive": AdaptiveParams()}),
    "one step, adaptive, head delay": (
        *((9, 8), 0.3),
        ONE_STEP | {"vcs": 3, "head_delay": 3, "adaptive": AdaptiveParams(selection="order")},
    ),
    "one step, outputs of 16 bits": ((3, 3, 3, 3), 0.6, ONE_STEP | {"vcs": 2, "depth": 2}),
    "one step, packets to oneself are dropped": ((5, 7), 0.4, ONE_STEP | {"vcs": 2}),
}


def random_packets(nodes, load, cycles, to_itself):
    """Return Bernoulli arrivals of 1 to 6 flits."""
    rng = np.random.default_rng(nodes)
    birth, source = np.nonzero(rng.random((cycles, nodes)) < load / 3.5)
    destination = (source + rng.integers(0 if to_itself else 1, nodes, len(birth))) % nodes
    return Packets(birth, source, destination, rng.integers(1, 7, len(birth)))


def run(params, topology, packets, link=PLAIN_LINK, loop=OPEN_LOOP, tables=None, batches=True):
    """Advance in several steps; return the packets that left, sorted, cycles of links, flits of links, and counters."""
    network = Network(params, link, topology, tables, loop=loop, simd=batches)
    network.offer(packets)
    gone, busy = [], []
    while network.cycle < 2500:
        gone.append(network.advance(97 + network.cycle % 7))
        busy.append(network.busy_cycles())  # what waits for a link was sent but is not carried
        if network.cycle % 5 == 0 and network._engine.switches.k.batched:
            check_batches(network._engine.switches)
    gone = Delivered.join(gone)
    columns = np.array([getattr(gone, field.name) for field in fields(gone)])
    left = columns[:, np.lexsort(columns)]
    assert network._engine.switches.k.batched == batches
    return left, np.array(busy), network.flits_sent(), network.counters(), network.wakes(), network.dropped


@pytest.mark.parametrize(
    ("name", "batches", "widths"),
    [
        ("two batches, overloaded", 2, (8, 8)),
        ("more batches than a word has bytes", DUE_WORD + 1, (8, 8)),
        ("nearly empty", DUE_WORD + 1, (8, 8)),
        ("outputs of 16 bits", 2, (8, 16)),
        ("all of 16 bits", 2, (16, 16)),
    ],
)
def test_tori_are_of_the_rows_that_they_are_for(name, batches, widths):
    radix, _, more = TORI[name]
    topology = grid(radix, wrap=True)
    assert batches_of(topology.switches) == batches
    assert batch_widths(SwitchParams(**VC_STAGE | {"ports": topology.ports, "vcs": more["vcs"]})) == widths


# Each lane width needs an engine of its own to be compiled.
OTHER_WIDTHS = {"outputs of 16 bits", "all of 16 bits", "one step, outputs of 16 bits"}


@pytest.mark.parametrize("name", tiered(TORI, TORI.keys() - OTHER_WIDTHS))
def test_batched_as_one_by_one(name):
    radix, load, more = TORI[name]
    topology = grid(radix, wrap=True)
    topology = topology.with_addresses(topology.coordinate_tags)
    params = SwitchParams(
        **{"ports": topology.ports, "routing": "dimension_order", "radix": radix, "wrap": True} | more
    )
    packets = random_packets(topology.nodes, load, 2000, "dropped" in name)
    found, expected = (run(params, topology, packets, batches=batches) for batches in (True, False))
    for got, wanted in zip(found, expected, strict=True):
        assert np.array_equal(got, wanted)
    assert found[0].shape[1] > min(len(packets), 3000) * 0.8
    assert (found[-1] > 0) == ("dropped" in name)


@pytest.mark.parametrize("output_buffer", [2, 6])
def test_slow_links_beside_fast_ones_behind_faster_crossbars(output_buffer):
    """A link of one cycle takes a flit every `speedup` cycles; slow ones have a queue behind the buffer."""
    topology = TorusFamily(radix=(6, 6), intervals=(1, 3)).build()
    topology = topology.with_addresses(topology.coordinate_tags)
    more = {"vcs": 4, "speedup": 2, "output_buffer": output_buffer, "stage_delay": 1}
    ring = {"ports": topology.ports, "routing": "dimension_order", "radix": (6, 6), "wrap": True}
    packets = random_packets(topology.nodes, 0.4, 1000, False)
    link = LinkParams(latency=2)
    found, expected = (
        run(SwitchParams(**ONE_STEP | ring | more), topology, packets, link, batches=b) for b in (True, False)
    )
    for got, wanted in zip(found, expected, strict=True):
        assert np.array_equal(got, wanted)


def some_network(rng):
    """Return random switches that can be batched, a topology for them, and tables if they need any."""
    family = rng.choice(["torus", "hypercube", "fat tree", "random graph"])
    steps = VC_STAGE | {"vc_allocator": str(rng.choice(["output_first", "input_first"]))}
    if rng.integers(2):
        steps = ONE_STEP | {"hold_packets": bool(rng.integers(2))}
        if rng.integers(2):
            idle, sleep, wake = (int(cycles) for cycles in rng.integers(1, 30, 3))
            steps |= {"lpi": LpiParams(idle=idle, sleep=sleep, wake=wake)}
    steps |= {"arbiter": str(rng.choice(["round_robin", "matrix"]))}
    more = steps | {
        "vcs": int(rng.choice([1, 2, 3, 8, 15])),
        "depth": int(rng.choice([1, 2, 5, 17])),
        "head_delay": int(rng.choice([0, 1, 7])),
        "stage_delay": int(rng.choice([0, 0, 2])),
        "u_turn": bool(rng.integers(2)),
    }
    if family == "torus":
        radix = tuple(map(int, rng.choice([2, 3, 5, 8], rng.integers(1, 4))))
        topology = grid(radix, wrap=True, local_ports=int(rng.integers(1, 3)))
        classes = 2 if max(radix) > 3 else 1
        more |= {"routing": "dimension_order", "radix": radix, "wrap": True, "vcs": max(classes, more["vcs"])}
        more |= {"ties": str(rng.choice(["parity", "random"])) if any(k % 2 == 0 for k in radix) else "parity"}
    elif family == "hypercube":
        topology = hypercube(int(rng.integers(2, 7)))
        more |= {"routing": "hypercube"} | topology.computed_params
    elif family == "fat tree":
        topology = fat_tree(2, int(rng.integers(2, 5)))
    else:
        topology = random_regular(int(rng.choice([10, 40])), 3, seed=int(rng.integers(1 << 16)))
    if family in ("fat tree", "random graph"):
        more |= {"routing": "linear", "table_entries": 1 << (topology.nodes - 1).bit_length()}
    if not more["vc_stage"] and rng.integers(2):
        more |= {"depth": int(rng.choice([6, 9])), "buffering": str(rng.choice(["static", "dynamic"])), "max_packet": 6}
    if not more["vc_stage"] and "lpi" not in more and rng.integers(3) == 0:
        more |= {"speedup": int(rng.integers(2, 5)), "output_buffer": int(rng.choice([2, 5]))}
    if family in ("torus", "random graph") and not more["vc_stage"] and "lpi" not in more and rng.integers(2):
        selection = str(rng.choice(["credits", "order", "route"]))
        escape_vcs = int(rng.integers(2, 4))
        more |= {"adaptive": AdaptiveParams(selection=selection, escape_vcs=escape_vcs)}
        more["vcs"] = max(escape_vcs + 1, more["vcs"])
    if "lpi" in more:
        more["head_delay"] = 0
    params = SwitchParams(**{"ports": topology.ports} | more)
    if params.programmed:
        return params, topology, UpDown().tables(topology, params.escape_vcs)
    return params, topology.with_addresses(topology.coordinate_tags), None


@pytest.mark.parametrize("draw", range(16))
def test_any_network_batched_as_one_by_one(draw):
    """Random switches, links of several latencies and intervals, replies and windows; registers are compared, too."""
    rng = np.random.default_rng([seed(), draw])
    params, topology, tables = some_network(rng)
    link = LinkParams(
        latency=int(rng.choice([0, 1, 5])),
        interval=int(rng.choice([1, 1, 2 if params.lpi is None else 1])),
        credit_latency=[None, 0, 3][rng.integers(3)],
    )
    loop = ClosedLoop(reply_size=2, reply_delay=3, window=2) if rng.integers(4) == 0 else OPEN_LOOP
    packets = random_packets(topology.nodes, float(rng.choice([0.01, 0.2, 1.0])), 1000, bool(rng.integers(2)))
    found, expected = (run(params, topology, packets, link, loop, tables, batches) for batches in (True, False))
    for got, wanted in zip(found, expected, strict=True):
        assert np.array_equal(got, wanted), f"TSUJI_SEED={seed()}"


@pytest.mark.parametrize("vcs", tiered([2, 9], [2]))
def test_links_one_by_one_as_in_bundles(vcs, monkeypatch):
    """Scattering of ports has no effect: none, the usual number, and the largest number of bundles."""
    topology = random_regular(70, 4, seed=2)
    entries = 1 << (topology.nodes - 1).bit_length()
    more = {"ports": topology.ports, "vcs": vcs, "routing": "linear", "table_entries": entries}
    params = SwitchParams(**VC_STAGE | more)
    tables = UpDown().tables(topology, params.escape_vcs)
    packets = random_packets(topology.nodes, 0.3, 500, False)
    found = []
    scattered = []
    for most in (-1, MOST_BUNDLES, 64):
        monkeypatch.setattr("sim.engine.batched.bundle_search.MOST_BUNDLES", most)
        ports = Network(params, PLAIN_LINK, topology, tables, simd=True)._engine.bundles.ports
        scattered.append(float((ports["count"] == IRREGULAR).mean()))
        found.append(run(params, topology, packets, tables=tables))
    for got in found[1:]:
        assert all(np.array_equal(*pair) for pair in zip(got, found[0], strict=True))
    assert scattered[0] == 1 > scattered[1] > scattered[2] == 0


@pytest.mark.parametrize("steps", [VC_STAGE, ONE_STEP], ids=["VC stage", "one step"])
def test_replies_to_tails_of_one_cycle_are_in_order(steps):
    """A node with two ports gets two tails at once: the order in which they are handled must not matter."""
    topology = random_regular(10, 3, seed=1).with_node_ports(2)
    entries = 1 << (topology.nodes - 1).bit_length()
    more = {
        "network_ports": topology.ports - 2,
        "node_ports": 2,
        "vcs": 4,
        "routing": "linear",
        "table_entries": entries,
    }
    params = SwitchParams(**steps | {"ports": topology.ports} | more)
    tables = UpDown().tables(topology, params.escape_vcs)
    loop = ClosedLoop(reply_size=2, reply_delay=1, window=3)
    packets = random_packets(topology.nodes, 1.0, 1000, False)
    found, expected = (run(params, topology, packets, PLAIN_LINK, loop, tables, batches) for batches in (True, False))
    for got, wanted in zip(found, expected, strict=True):
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("radix", [14, 15, 17])
def test_crossbars_with_more_ports_than_a_row_has_bits(radix):
    """An exchanger has two ports, but the crossbar of its dimension has as many as there are exchangers."""
    topology = hyper_crossbar((radix,), 1)
    topology = topology.with_addresses(topology.coordinate_tags)
    params = SwitchParams(**VC_STAGE | {"ports": 2, "vcs": 2, "routing": "hyper_crossbar", "radix": (radix,)})
    fits = topology.ports < 16
    network = Network(params, LinkParams(), topology, None, simd=fits)
    assert network._engine.switches.k.batched == fits == can_batch(params, topology.ports)
    network.offer(random_packets(topology.nodes, 0.3, 500, False))
    network.advance(3000)
    assert network.idle()


def test_states_that_cannot_be_batched_are_refused():
    assert can_batch(SwitchParams(**VC_STAGE))
    with pytest.raises(TsujiError, match="switches of 16 ports"):
        new_state(SwitchParams(**VC_STAGE), ports=16, batched=True)
    with pytest.raises(TsujiError, match="batched"):
        new_state(SwitchParams(prediction=PredictionParams()), batched=True)


def test_who_waits_for_a_link_to_wake_is_not_stalled():
    """Nothing else happens for longer than the time between two checks."""
    topology = grid((4, 4), wrap=True)
    topology = topology.with_addresses(topology.coordinate_tags)
    lpi = LpiParams(idle=1, sleep=1, wake=3 * RunParams().stall_cycles)
    ring = {"routing": "dimension_order", "radix": (4, 4), "wrap": True}
    params = SwitchParams(**ONE_STEP | ring | {"ports": topology.ports, "lpi": lpi})
    network = Network(params, PLAIN_LINK, topology, None, simd=True)
    network.offer(Packets(*(np.array([n]) for n in (10, 0, 1, 4))))
    assert len(network.advance(8 * lpi.wake)) == 1
    assert network.wakes().sum() >= 2 * lpi.wake


@pytest.mark.parametrize("later", [1, 2, 1000])
def test_counters_of_a_later_cycle(later):
    """Read in the cycle after the last flit left, in which its switch has not been visited yet; then time goes on."""
    topology = grid((4, 4), wrap=True)
    topology = topology.with_addresses(topology.coordinate_tags)
    ring = {"routing": "dimension_order", "radix": (4, 4), "wrap": True}
    lpi = LpiParams(idle=5, sleep=3, wake=4)
    params = SwitchParams(**ONE_STEP | ring | {"ports": topology.ports, "lpi": lpi})
    told = []
    for simd in True, False:
        network = Network(params, PLAIN_LINK, topology, None, simd=simd)
        network.offer(Packets(*(np.array([n]) for n in (3, 0, 5, 4))))
        while not len(network.advance(1)):
            pass
        at = network.cycle + later
        read = [network.counters(at), network.wakes(at), network.counters(at + 7)]
        network.advance(at + 7 - network.cycle)
        network.offer(Packets(*(np.array([n]) for n in (network.cycle + 3, 5, 9, 4))))
        network.advance(300)
        told.append([*read, network.counters(), network.wakes()])
    assert all(np.array_equal(*pair) for pair in zip(*told, strict=True))


def test_an_empty_network_costs_nothing():
    """Nothing is due, so that time advances to the end at once, however far."""
    topology = fat_tree(2, 3)
    params = SwitchParams(**VC_STAGE | {"ports": topology.ports, "routing": "linear", "table_entries": 8})
    network = Network(params, LinkParams(), topology, UpDown().tables(topology, params.escape_vcs), simd=True)
    network.offer(Packets(*(np.array([n]) for n in (10, 0, 7, 4))))
    assert len(network.advance(1_000_000_000_000)) == 1
