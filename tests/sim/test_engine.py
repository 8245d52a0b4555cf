"""The event-driven engine against the same model stepped in every switch in every cycle."""

import numpy as np
import pytest

from models.formats import Counter
from models.params import (
    AdaptiveParams,
    CacheParams,
    CamParams,
    LinkParams,
    LpiParams,
    PredictionParams,
    SwitchParams,
)
from models.state import new_state
from models.switch import reset
from models.terminal import (
    new_sources,
    source_credit,
    source_may_send,
    source_may_start,
    source_rests,
    source_send,
    source_start,
)
from models.top import (
    CREDIT,
    CREDIT_VC,
    DATA,
    FLIT,
    FLIT_VC,
    HANDLE,
    PORT_INPUTS,
    PORT_OUTPUTS,
    TAIL,
    control_inputs,
    control_outputs,
    top_step,
)
from sim.engine import CREDITED, EJECTED, INJECTED
from sim.network import Network
from sim.packets import Packets
from sim.routing.adaptive import with_choices
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid


def everywhere(network, packets, cycles):
    """Simulate by visiting everything always; return the log in the engine's form."""
    params, topology = network.params, network.topology
    latency = network._engine.latency
    state = new_state(params, topology.switches)
    state.table[:] = network._engine.switches.table
    state.position[:] = network._engine.switches.position
    for s in range(topology.switches):
        reset(state, s, -1)
    shape = topology.switches, params.ports
    sent = np.zeros((*shape, PORT_OUTPUTS), np.int64)
    wires = [np.zeros_like(sent) for _ in range(latency + 1)]
    status = np.zeros(control_outputs(params), np.int64)
    control = np.zeros(control_inputs(params), np.int64)
    here = topology.local_ends
    locals_ = range(len(here[0]))
    sources, credits = new_sources(len(locals_), params.vcs, params.depth)
    queues = [[] for _ in range(topology.nodes)]
    injected = np.zeros((len(locals_), PORT_INPUTS), np.int64)
    returned = np.zeros_like(injected)
    log = []
    born = 0
    for cycle in range(cycles):
        wires[cycle % (latency + 1)] = sent.copy()
        arriving = wires[(cycle + 1) % (latency + 1)]
        inputs = np.zeros((*shape, PORT_INPUTS), np.int64)
        wired = topology.peer_switch >= 0
        inputs[wired] = arriving[topology.peer_switch[wired], topology.peer_port[wired]]
        inputs[here] = injected + returned
        returned = np.zeros_like(returned)
        for local, (s, p) in enumerate(zip(*here, strict=True)):
            out = sent[s, p]
            if out[FLIT]:
                log.append((EJECTED, cycle, local, out[FLIT_VC] << 1 | out[TAIL], out[HANDLE]))
                returned[local, CREDIT] = 1
                returned[local, CREDIT_VC] = out[FLIT_VC]
        for s in range(topology.switches):
            for p in range(params.ports):
                if inputs[s, p, FLIT]:
                    inputs[s, p, DATA] = topology.addresses[packets.destination[inputs[s, p, HANDLE]]]
                    if params.header_flits > 1:
                        inputs[s, p, DATA] >>= params.data_width * int(state.vc[s, p, inputs[s, p, FLIT_VC]].header)
        while born < len(packets) and packets.birth[born] <= cycle:
            queues[packets.source[born]].append(born)
            born += 1
        injected = np.zeros_like(injected)
        back = sent[here].copy()
        for local in locals_:
            queue = queues[local // params.lanes]
            rests = source_rests(sources, local, cycle)
            if queue and not rests and source_may_start(sources, local):
                packet = queue.pop(0)
                source_start(sources, local, packet, packets.size[packet], params.vcs)
            if not rests and source_may_send(sources, local):
                sources[local].ready = cycle + params.speedup
                packet, vc = sources[local].packet, sources[local].vc
                tail = source_send(sources, credits, local, params.credit_need)
                injected[local, [FLIT, FLIT_VC, TAIL, HANDLE]] = 1, vc, tail, packet
                log.append((INJECTED, cycle + 1, local, vc << 1 | tail, packet))
            if back[local, CREDIT]:
                source_credit(sources, credits, local, back[local, CREDIT_VC], params.credit_need)
                log.append((CREDITED, cycle, local, back[local, CREDIT_VC] << 1, -1))
        for s in range(topology.switches):
            top_step(state, s, cycle, inputs[s], control, sent[s], status)
    return log, state


CASES = {
    "cached": {},
    "cold often": {
        "cache": CacheParams(entries=4, ways=2, policy="plru"),
        "cam": CamParams(latency=9, occupancy=4, entries=16),
    },
    "no cache": {"cache": CacheParams(entries=0), "cam": CamParams(latency=4, occupancy=1, entries=16)},
    "computed": {"routing": "dimension_order", "radix": (4, 3), "wrap": True, "arbiter": "matrix"},
    "cut-through": {"buffering": "dynamic", "max_packet": 4, "vcs": 4, "hold_packets": False},
    "static": {"buffering": "static", "max_packet": 3, "vcs": 4, "depth": 4},
    "low-power idle": {"lpi": LpiParams(idle=5, sleep=9, wake=6, refresh_interval=20, refresh=3)},
    "low-power idle, computed": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=1, sleep=1, wake=17),
    },
    "predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "prediction": PredictionParams(kind="latest"),
    },
    "predicted, cached": {
        "prediction": PredictionParams(kind="history", order=1),
        "cache": CacheParams(entries=8, ways=2),
        "cam": CamParams(latency=9, occupancy=4, entries=16),
    },
    "predicted straight, low-power idle": {
        "prediction": PredictionParams(kind="static"),
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
        "vcs": 4,
        "hold_packets": False,
    },
    "stage delay": {
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
        "stage_delay": 6,
    },
    "speed-up": {"speedup": 2, "depth": 6, "vcs": 4},
    "speed-up, low-power idle": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=1, sleep=2, wake=3),
        "speedup": 3,
        "output_buffer": 2,
        "stage_delay": 1,
    },
    "speed-up, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=4, sleep=2, wake=3),
        "prediction": PredictionParams(kind="static"),
        "speedup": 2,
        "stage_delay": 1,
    },
    "speed-up, predicted, cached": {
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
        "lpi": LpiParams(idle=4, sleep=2, wake=3),
        "speedup": 3,
        "output_buffer": 2,
    },
    "lanes": {"lanes": 3, "network_ports": 4},
    "lanes, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lanes": 2,
        "prediction": PredictionParams(kind="latest"),
    },
    "adaptive": {"adaptive": AdaptiveParams(escape_vcs=2), "vcs": 3, "lpi": LpiParams(idle=4, sleep=3, wake=7)},
    "adaptive, static, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "adaptive": AdaptiveParams(),
        "buffering": "static",
        "max_packet": 4,
        "vcs": 4,
        "prediction": PredictionParams(kind="latest"),
    },
    "adaptive, static, predicted, cached": {
        "adaptive": AdaptiveParams(escape_vcs=2),
        "buffering": "static",
        "max_packet": 4,
        "vcs": 4,
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
    },
    "adaptive, predicted, cached, low-power idle": {
        "adaptive": AdaptiveParams(escape_vcs=2),
        "vcs": 4,
        "prediction": PredictionParams(kind="latest"),
        "lpi": LpiParams(idle=1, sleep=2, wake=15),
        "cache": CacheParams(entries=8, ways=2),
        "cam": CamParams(latency=9, occupancy=1, entries=16),
    },
    "header flits": {
        "data_width": 8,
        "tag_width": 24,
        "depth": 5,
        "cache": CacheParams(entries=8, ways=8, policy="fifo"),
    },
}


@pytest.mark.parametrize("latency", [0, 1, 3])
@pytest.mark.parametrize("case", CASES)
def test_sleeping_changes_nothing(case, latency):
    options = {"cam": CamParams(entries=16)} | CASES[case]
    topology = grid((4, 3), wrap=True).with_lanes(options.get("lanes", 1))
    params = SwitchParams(ports=topology.ports, **options)
    tables = DimensionOrder().tables(topology, params.escape_vcs) if params.has_cam else None
    if tables is not None and params.selects:
        tables = with_choices(topology, tables, params)
    if tables is None:
        topology = topology.with_addresses(topology.coordinate_tags)
    rng = np.random.default_rng(latency)
    cycles = 800
    count = 700
    birth = np.sort(np.concatenate((rng.integers(0, 250, count // 2), rng.integers(0, cycles, count - count // 2))))
    source = rng.integers(0, topology.nodes, count)
    destination = (source + rng.integers(1, topology.nodes, count)) % topology.nodes
    packets = Packets(birth, source, destination, rng.integers(3 if params.header_flits > 1 else 1, 7, count))
    network = Network(params, LinkParams(latency=latency), topology, tables, log=100_000)
    network.offer(packets)
    log, state = everywhere(network, packets, cycles)
    network.advance(cycles)
    got = sorted(tuple(row) for row in network.log.tolist() if row[1] < cycles)
    assert got == sorted(tuple(int(x) for x in row) for row in log if row[1] < cycles)
    assert len(got) > 1500
    same = network.counters() == state.counters
    assert same[..., : Counter.CAM_MERGED].all()
    assert same[..., Counter.LINK_ACT :].all()
    assert (state.counters[..., Counter.LINK_WAKES].sum() > 0) == (params.lpi is not None)
