"""Places of large networks, and head delays far from cycle 0."""

import pytest

from models.params import LinkParams, SwitchParams
from models.params.parts import MAX_PORTS, MAX_VCS
from sim.analysis.zero_load import zero_load_latency
from sim.engine.address import (
    MOST_PLACES,
    MOST_SWITCHES,
    PORT_SHIFT,
    SOURCE_BIT,
    SWITCH_SHIFT,
    is_source,
    port_of,
    seen_at,
    seen_of,
    source_of,
    switch_of,
    vc_of,
)
from sim.engine.network import Network
from sim.packets import Packets
from sim.topology.torus import MAX_SWITCHES, grid


@pytest.mark.parametrize("switch", [0, MAX_SWITCHES - 1, MOST_SWITCHES - 1])
def test_a_place_has_room_for_every_switch_port_and_vc(switch):
    port, vc = MAX_PORTS - 1, MAX_VCS - 1
    place = switch << SWITCH_SHIFT | port << PORT_SHIFT | vc
    assert (switch_of(place), port_of(place), vc_of(place), is_source(place)) == (switch, port, vc, 0)
    assert place < MOST_PLACES


@pytest.mark.parametrize("number", [0, 60 * MAX_SWITCHES])
def test_a_source_is_numbered_beside_the_cycle_in_which_it_sees_a_flit(number):
    place = SOURCE_BIT | number << PORT_SHIFT | 5
    seen = place + seen_at(70_000)
    assert (is_source(seen), source_of(place), vc_of(seen)) == (1, number, 5)
    assert seen_of(seen) == seen_of(place) + 70_000 % (1 << 16)


@pytest.mark.parametrize("birth", [0, 1 << 40, 1 << 50])
def test_head_delays_end_in_any_cycle(birth):
    params = SwitchParams(routing="dimension_order", radix=(4, 2), wrap=True, head_delay=3, vc_stage=True)
    topology = grid((4, 2), wrap=True)
    link = LinkParams()
    network = Network(params, link, topology.with_addresses(topology.coordinate_tags), None)
    network.offer(Packets([birth], [0], [6], [1]))
    network.advance(birth)
    got = network.advance(200)
    assert (got.eject - birth).tolist() == [1 + int(zero_load_latency(params, link, got.hops, got.size, "hit")[0])]
