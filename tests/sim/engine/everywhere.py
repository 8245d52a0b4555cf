"""Reference for the engine: a network of model switches in which every switch is stepped in every cycle."""

from collections import deque

import numpy as np

from models.node.terminal import (
    new_sources,
    source_choose,
    source_credit,
    source_may_send,
    source_rests,
    source_send,
    source_take,
)
from models.power_up import new_state
from models.reset import reset
from models.state.registers import NO_PORT
from models.top import (
    CREDIT,
    CREDIT_VC,
    DATA,
    FIRST_AHEAD,
    FIRST_OPEN,
    FLIT,
    FLIT_VC,
    HANDLE,
    PORT_INPUTS,
    PORT_OUTPUTS,
    TAIL,
    top_step,
)
from sim.engine.links import CREDITED, EJECTED, INJECTED
from sim.traffic.injection import ONE_A_PORT
from tests.sim.engine.owners import check_owners

FORWARD = [FLIT, FLIT_VC, TAIL, HANDLE]  # what a slow link carries at its pace, while credits and hints pass


class Wires:
    """Links, each with its latency, and a queue before those that take a flit in several cycles only."""

    def __init__(self, topology, link, shape):
        self.wired = topology.peer_switch >= 0
        self.peers = topology.peer_switch[self.wired], topology.peer_port[self.wired]
        self.delay = (link.latency + topology.link_latency)[self.wired]
        interval = np.maximum(link.interval, topology.link_interval)
        self.slow = {tuple(at): interval[tuple(at)] for at in np.argwhere(self.wired & (interval > 1))}
        self.queues = {at: deque() for at in self.slow}
        self.free = dict.fromkeys(self.slow, 0)
        self.history = np.zeros((self.delay.max() + 1, *shape), np.int64)

    def carry(self, cycle, sent):
        """Take the outputs of the switches in a cycle; return the arrivals in it, for each wired port."""
        line = self.history[cycle % len(self.history)]
        line[:] = sent
        for at, queue in self.queues.items():
            if line[at][FLIT]:
                queue.append(line[at][FORWARD].copy())
            line[at][FORWARD] = 0
            if queue and cycle >= self.free[at]:
                line[at][FORWARD] = queue.popleft()
                self.free[at] = cycle + self.slow[at]
        return self.history[(cycle - self.delay) % len(self.history), *self.peers]


class Takes:
    """Packets that the sources of nodes take: a second description, by counts and times instead of registers."""

    def __init__(self, params, injection):
        self.params = params
        self.of_port = 1 if injection.packets_at_once is None else injection.packets_at_once
        self.of_node = injection.packets_at_once or params.node_ports
        self.think_time = injection.think_time
        self.taken_in = {}

    def in_turn(self, sources, sending, cycle, node, queue):
        """Make the sources of a node take packets, one after the other; return each packet with its source."""
        mine = range(node * self.params.node_ports, (node + 1) * self.params.node_ports)
        for n in mine:
            under_way = [self.under_way(sources, other) for other in mine]
            soon = cycle - self.taken_in.get(node, -self.think_time) < self.think_time
            if not queue or soon or sum(under_way) >= self.of_node:
                return
            able = [
                count for count, other in zip(under_way, mine, strict=True) if self.able(sources, sending, other, cycle)
            ]
            if self.able(sources, sending, n, cycle) and self.under_way(sources, n) == min(able):
                self.taken_in[node] = cycle
                yield queue.pop(0), n

    def under_way(self, sources, n):
        return self.params.vcs - int(sources[n].free).bit_count()

    def able(self, sources, sending, n, cycle):
        vcs = [v for v in range(self.params.vcs) if int(sources[n].free) >> v & 1]
        room = any(int(sending[n, v].credits) >= self.params.credit_need for v in vcs)
        return room and self.under_way(sources, n) < self.of_port and not source_rests(sources, n, cycle)


def eject(arriving, cycle, log):
    """Log the flits that nodes take; return the credits for them, which go to the switches in the next cycle."""
    returned = np.zeros((len(arriving), PORT_INPUTS), np.int64)
    for local, out in enumerate(arriving):
        if out[FLIT]:
            log.append((EJECTED, cycle, local, out[FLIT_VC] << 1 | out[TAIL], out[HANDLE]))
            returned[local, CREDIT] = 1
            returned[local, CREDIT_VC] = out[FLIT_VC]
    return returned


def write_addresses(inputs, topology, packets, params, state):
    """Give flits that arrive their data: the address of the destination, or that part of it which the flit carries."""
    for s, p in np.argwhere(inputs[:, :, FLIT]):
        flit = inputs[s, p]
        flit[DATA] = topology.addresses[packets.destination[flit[HANDLE]]]
        if params.header_flits > 1:
            flit[DATA] >>= params.data_width * int(state.vc[s, p, flit[FLIT_VC]].header)


def inject(sources, sending, back, params, cycle, log):
    """Send a flit from each node interface that may, and take the credits that came back; return what is sent."""
    injected = np.zeros((len(back), PORT_INPUTS), np.int64)
    for local in range(len(back)):
        if not source_rests(sources, local, cycle) and source_may_send(sources, local):
            sources[local].ready = cycle + params.speedup
            vc = source_choose(sources, local)
            packet = sending[local, vc].packet
            tail = source_send(sources, sending, local, vc, params.credit_need)
            injected[local, [FLIT, FLIT_VC, TAIL, HANDLE]] = 1, vc, tail, packet
            log.append((INJECTED, cycle + 1, local, vc << 1 | tail, packet))
        if back[local, CREDIT]:
            source_credit(sources, sending, local, back[local, CREDIT_VC], params.credit_need)
            log.append((CREDITED, cycle, local, back[local, CREDIT_VC] << 1, -1))
    return injected


def everywhere(network, link, packets, cycles, injection=ONE_A_PORT):
    """Simulate by visiting every switch in every cycle; return the log in the engine's form."""
    params, topology = network.params, network.topology
    latency = network._engine.k.latency
    state = new_state(params, topology.switches, topology.ports)
    state.switch.crossbar = network._engine.switches.switch.crossbar
    for name in ("table_route", "table_tag", "table_choices", "compared", "position"):
        getattr(state, name)[:] = getattr(network._engine.switches, name)
    for s in range(topology.switches):
        reset(state, s, -1)
    shape = topology.switches, topology.ports
    sent = np.zeros((*shape, PORT_OUTPUTS), np.int64)
    wires = Wires(topology, link, sent.shape)
    asking = topology.ports if params.reserves else 0
    status = np.zeros((topology.switches, FIRST_OPEN + params.vcs + asking), np.int64)
    control = np.zeros((topology.switches, FIRST_AHEAD + len(params.radix) * params.vcs + asking), np.int64)
    told = [np.zeros((topology.switches, asking), np.int64) for _ in range(latency + 1)]
    shown = [np.full((topology.switches, params.vcs), -1, np.int64) for _ in range(latency + 1)]
    exchangers = np.flatnonzero(state.switch.crossbar == NO_PORT) if params.lookahead else ()
    here = topology.local_ends
    locals_ = range(len(here[0]))
    sources, sending = new_sources(len(locals_), params.vcs, params.depth)
    takes = Takes(params, injection)
    queues = [[] for _ in range(topology.nodes)]
    injected = np.zeros((len(locals_), PORT_INPUTS), np.int64)
    returned = np.zeros_like(injected)
    log = []
    born = 0
    for cycle in range(cycles):
        arriving = wires.carry(cycle, sent)
        if cycle:
            shown[cycle % (latency + 1)] = status[:, FIRST_OPEN : FIRST_OPEN + params.vcs].copy()
            told[cycle % (latency + 1)] = status[:, FIRST_OPEN + params.vcs :].copy()
        for s in exchangers:
            ahead = shown[(cycle + 1) % (latency + 1)][topology.peer_switch[s, : len(params.radix)]]
            control[s, FIRST_AHEAD : FIRST_AHEAD + ahead.size] = ahead.ravel()
        if asking:
            words = told[(cycle + 1) % (latency + 1)][topology.peer_switch, topology.peer_port]
            control[:, -asking:] = np.where(wires.wired, words, 0)
        inputs = np.zeros((*shape, PORT_INPUTS), np.int64)
        inputs[wires.wired] = arriving
        inputs[here] = injected + returned
        returned = eject(sent[here], cycle, log)
        write_addresses(inputs, topology, packets, params, state)
        while born < len(packets) and packets.birth[born] <= cycle:
            queues[packets.source[born]].append(born)
            born += 1
        back = sent[here].copy()
        for node, queue in enumerate(queues):
            for packet, local in takes.in_turn(sources, sending, cycle, node, queue):
                source_take(sources, sending, local, packet, packets.size[packet])
        injected = inject(sources, sending, back, params, cycle, log)
        for s in range(topology.switches):
            top_step(state, s, cycle, inputs[s], control[s], sent[s], status[s])
        if cycle % 5 == 0:
            check_owners(state)
    return log, state
