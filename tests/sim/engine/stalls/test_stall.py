"""Deadlocked networks are reported, with the cycle of packets; networks that are only full are not."""

import re
import sys

import numpy as np
import pytest

from models.params import AdaptiveParams, CamParams, LinkParams, LpiParams, SwitchParams
from models.power_up import new_state
from sim.engine.network import Network
from sim.engine.stalls.snapshot import note_fronts
from sim.engine.stalls.stall import StalledError
from sim.engine.state import NOBODY, PACKET
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.torus import grid
from tsuji.cli import main

TORUS = grid((4, 3), wrap=True)
ROWS = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
AROUND = np.array([0, 1, 2, 3])


def one_class(vcs):
    """Return routes around rings without VC classes, always + in the first dimension."""
    tables = DimensionOrder().tables(TORUS, 2)
    tables.vc_first[:], tables.vc_last[:] = 0, vcs - 1
    x = TORUS.coordinates[:, 0]
    differs = x[:, None] != x[None, TORUS.node_switch]
    tables.out[differs] = 0
    return tables


def network(vcs=1, stall_cycles=10_000, tables=None, **options):
    params = SwitchParams(ports=TORUS.ports, cam=CamParams(entries=16), vcs=vcs, **options)
    simd = options.items() >= ROWS.items()
    return Network(params, LinkParams(), TORUS, tables or one_class(vcs), stall_cycles=stall_cycles, simd=simd)


def around(birth, count=20, row=0):
    """Return long packets from each node of a ring to the opposite one, a few each."""
    source = np.tile(AROUND + 4 * row, count)
    destination = np.tile((AROUND + 2) % 4 + 4 * row, count)
    return Packets(np.full(4 * count, birth), source, destination, np.full(4 * count, 8))


def circle(message):
    """Return the places that a message names, with what each waits for."""
    return [tuple(map(int, found)) for found in re.findall(r"switch (\d+) \(.*?\) port (\d+) VC (\d+)", message)]


def test_fronts_differ_however_many_packets_there_are():
    """Packet number times depth exceeds 32 bits; a packet that is unchanged at the next look counts as stalled."""
    state = new_state(SwitchParams(depth=4096))
    packets = np.broadcast_to(np.zeros(1, PACKET), (1 << 30,)).view(np.recarray)
    before, fronts, later = (np.full(state.vc.shape, NOBODY) for _ in range(3))
    still = np.zeros((2, *state.vc.shape), np.bool_)
    state.vc.count[0, :4, 0] = 1
    for port in range(4):
        state.flits[0, port, 0, 0] = port << 29
    note_fronts(state, packets, before, fronts, still[0])
    assert fronts[0, :, 0].tolist() == [*((port << 28) * 4097 + 1 for port in range(4)), NOBODY]
    assert (fronts[0, :, 1] == NOBODY).all()
    assert not still[0].any()
    state.flits[0, 1, 0, 0] += 2
    state.vc.count[0, 2, 0] = 0
    state.vc.count[0, 4, 0] = 1
    note_fronts(state, packets, fronts, later, still[1])
    assert [tuple(place) for place in np.argwhere(still[1])] == [(0, 0, 0), (0, 3, 0)]


@pytest.mark.parametrize("rows", [False, True])
def test_a_packet_in_the_place_of_another_does_not_stand_still(rows):
    net = network(2, **ROWS if rows else {})
    state = net._engine.switches
    assert state.k.batched == rows
    net.offer(around(0))
    net.advance(50)
    places = state.vc.shape
    first, second, third = (np.full(places, NOBODY) for _ in range(3))
    same, other = np.zeros((2, *places), np.bool_)
    packets = net._engine.packets
    note_fronts(state, packets, np.full(places, NOBODY), first, np.zeros(places, np.bool_))
    note_fronts(state, packets, first, second, same)
    packets.birth += 1
    note_fronts(state, packets, first, third, other)
    assert np.array_equal(same, first != NOBODY)
    assert same.any()
    assert not other.any()


@pytest.mark.parametrize("vcs", [1, 2])
@pytest.mark.parametrize("more", [{}, {"buffering": "flexible"}, ROWS, {"output_buffer": 2}])
def test_a_ring_without_dateline_stands_still(vcs, more):
    net = network(vcs, **more)
    net.offer(around(300))
    with pytest.raises(
        StalledError, match=r"nothing moves any more; .* buffers form a cycle of waits \(deadlock\):"
    ) as error:
        net.advance(3000)
    places = circle(str(error.value))
    assert len(places) >= 4
    assert {switch for switch, _, _ in places} == {0, 1, 2, 3}
    assert {vc for _, _, vc in places} <= set(range(vcs))
    assert "from node 0 to node 2, 8 flits, born in cycle 300, waits for port 0 VC 0" in str(error.value)
    upstream = {(s, p): (TORUS.peer_switch[s, p], TORUS.peer_port[s, p]) for s in range(4) for p in (0, 1)}
    # Packets that wait for a full buffer wait for the next packet of the cycle, which is behind the output named.
    lines = str(error.value).splitlines()[1:]
    for line, (switch, _, _), (following, port, vc) in zip(lines, places, places[1:] + places[:1], strict=True):
        wanted = re.search(r"waits for port (\d+) VC (\d+), full", line)
        if wanted:
            assert upstream[switch, int(wanted[1])] == (following, port)
            assert int(wanted[2]) == vc


def test_with_the_dateline_it_does_not():
    net = network(2, tables=DimensionOrder().tables(TORUS, 2))
    net.offer(around(300))
    assert len(net.advance(20_000)) == 80


@pytest.mark.parametrize("more", [{}, {"output_buffer": 1}])
def test_a_deadlock_is_seen_while_others_move(more):
    net = network(**more)
    n = 3000
    others = Packets(np.arange(300, 300 + 5 * n, 5), np.full(n, 4), np.full(n, 5), np.full(n, 2))
    both = Packets.join([around(300), others])
    net.offer(both[np.argsort(both.birth, kind="stable")])
    assert len(net.advance(1000)) > 50
    net.advance(500)
    with pytest.raises(StalledError, match="some packets never move again; "):
        net.advance(500)


def test_zero_looks_for_nothing():
    net = network(stall_cycles=0)
    net.offer(around(300))
    for _ in range(3):
        net.advance(3000)
    assert net.in_flight > 0


def test_full_is_not_stalled():
    """All packets go to one node, at one flit per cycle: most buffers are full, and their heads wait long."""
    net = network(2, stall_cycles=50, tables=DimensionOrder().tables(TORUS, 2))
    n = 30
    source = np.tile(np.arange(1, 12), n)
    net.offer(Packets(np.full(len(source), 300), source, np.zeros_like(source), np.full(len(source), 12)))
    got = []
    while net.cycle < 300 + 20 * len(source):
        got.append(len(net.advance(50)))
    assert sum(got) == len(source)


def test_adaptive_routes_may_wait_for_any_output():
    adaptive = {"adaptive": AdaptiveParams(escape_vcs=2), "vcs": 3}
    net = network(tables=DimensionOrder().tables(TORUS, 2), stall_cycles=50, **adaptive)
    net.offer(around(300))
    while net.cycle < 8000:
        net.advance(50)
    assert net.idle()


def test_adaptive_routes_wait_for_no_output_but_theirs():
    """All go round the ring in one direction, on the escape VC or the other; that outputs in y are free is no help."""
    net = network(2, adaptive=AdaptiveParams(escape_vcs=1))
    net.offer(around(300))
    with pytest.raises(StalledError, match=r"nothing moves any more; 8 buffers form a cycle of waits \(deadlock\):"):
        net.advance(3000)


def test_sleeping_links_are_not_stalled():
    sleepy = LpiParams(idle=5, sleep=400, wake=300)
    net = network(2, tables=DimensionOrder().tables(TORUS, 2), stall_cycles=60, lpi=sleepy)
    net.offer(around(1000, count=1))
    got = 0
    while net.cycle < 8000:
        got += len(net.advance(20))
    assert got == 4


def test_a_crossbar_that_is_asked_is_not_stalled():
    """Nothing moves while request and answer are in flight, 403 cycles here; `stall_cycles` counts from then on."""
    topology = hyper_crossbar((3, 4))
    adaptive = AdaptiveParams(kind="step", lookahead=True, reservation=True)
    params = SwitchParams(routing="hyper_crossbar", radix=(3, 4), ports=3, adaptive=adaptive)
    addressed = topology.with_addresses(topology.coordinate_tags)
    net = Network(params, LinkParams(latency=200), addressed, None, stall_cycles=20)
    net.offer(Packets(np.array([50]), np.array([0]), np.array([11]), np.array([2])))
    got = 0
    while net.cycle < 2500:
        got += len(net.advance(10))
    assert got == 1


@pytest.mark.filterwarnings("ignore:.*can deadlock")
def test_the_command_exits_with_code_1(monkeypatch, capsys):
    routes = ["routing.kind=minimal", "routing.vc_classes=none", "switch.vcs=1", "run.force=true"]
    settings = ["topology.radix=[8,2]", *routes, "traffic.pattern=tornado", "traffic.packet_size=16"]
    arguments = ["examples/torus8x8.toml", *(part for setting in settings for part in ("--set", setting))]
    monkeypatch.setattr(sys, "argv", ["tsuji", "run", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    said = capsys.readouterr().err
    assert "error: 8×2 torus: cycle " in said
    assert "buffers form a cycle of waits (deadlock):" in said
