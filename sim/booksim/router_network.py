"""A network of BookSim2's routers, wired and at reset, that takes and delivers packets as our own engine does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from models.booksim.iq_advance import advance
from models.booksim.iq_node import offer
from models.booksim.iq_requests import ISLIP, Allocator, allocator
from models.booksim.iq_state import (
    CYCLE,
    DELIVERED,
    FLIT_HOPS,
    FREE,
    INPUT_VC,
    NONE,
    OUTPUT_VC,
    PACKET,
    PLAIN,
    QUEUE,
    SENDING,
    Lists,
    Parameters,
    Routers,
    Shape,
)
from models.errors import TsujiError
from sim.booksim.router_wiring import Wiring
from sim.packets import Delivered, Int64, Packets

FIRST_PACKETS = 1 << 12
MOST_BYTES = 1 << 32  # of the state
VC_NUMBERS = 10  # of 64 bits: an input VC and an output VC, in lists of those that wait
DELIVERIES = 1 << 14  # read at a time
COLUMNS = 9  # of `delivered`


@dataclass(frozen=True)
class AllocatorKind:
    """An allocator: its kind (`models.booksim.iq_requests`), its arbiters, its iterations."""

    kind: int = ISLIP
    matrix: bool = False
    iterations: int = 1


@dataclass(frozen=True)
class Answers:
    """Of each class of traffic: whether requests are answered, flits of each type of packet, priority.

    `subnet` is the network of each type of packet.
    """

    answered: tuple[bool, ...]
    flits: tuple[tuple[int, ...], ...]
    priority: tuple[int, ...]
    subnet: tuple[int, ...]


class RouterNetwork:
    """A network of BookSim2's routers.

    Parameters
    ----------
    k : Parameters
        Parameters of every router.
    shape : Shape
        What routing functions know of the network.
    wiring : Wiring
        Routers, channels, nodes of each network.
    claims, switch : AllocatorKind
        VC allocator and switch allocator.
    answers : Answers
        Classes of traffic.
    seed : int
        Seed of the routers' random numbers.
    """

    def __init__(
        self,
        k: Parameters,
        shape: Shape,
        wiring: Wiring,
        claims: AllocatorKind,
        switch: AllocatorKind,
        answers: Answers,
        seed: int,
    ) -> None:
        self.nodes = k.nodes
        self._state = _reset(k, shape, wiring, claims, switch, answers, seed)

    @property
    def cycle(self) -> int:
        """Next cycle to simulate."""
        return int(self._state.clock[CYCLE])

    @property
    def flit_hops(self) -> int:
        """Flits sent over channels between routers so far."""
        return int(self._state.clock[FLIT_HOPS])

    def offer(self, packets: Packets, traffic: int = 0, kinds: Int64 | None = None) -> None:
        """Add packets of a class of traffic, in order of birth; `kinds` are their types, plain by default."""
        state = self._room(len(packets))
        kinds = np.zeros(len(packets), np.int64) if kinds is None else kinds
        offer(state, packets.birth, packets.source, packets.destination, packets.size, kinds, traffic)

    def expect(self, end: int) -> None:
        """Do nothing: the expected end of a run matters where code is specialised (`Network.expect`)."""

    def advance(self, cycles: int) -> list[Delivered]:
        """Simulate; return for each class of traffic the packets that arrived.

        Times do not include the channels of the nodes, as those of our own network do not.
        """
        end, state, parts = self.cycle + cycles, self._state, []
        while True:
            advance(state, end)
            parts.append(state.delivered[: state.clock[DELIVERED]].copy())
            state.clock[DELIVERED] = 0
            if self.cycle == end:
                break
        rows = np.concatenate(parts)
        return [_delivered(rows[rows[:, -1] == traffic]) for traffic in range(state.k.classes)]

    def requests_under_way(self, traffic: int) -> tuple[int, int]:
        """Return the flits of requests and replies of a class that are not delivered, and the sum of their births."""
        packet = self._state.packet
        here = packet[(packet.type != PLAIN) & (packet.traffic == traffic)]
        return int(here.flits.sum()), int(here.flits.astype(np.int64) @ here.birth)

    def _room(self, count: int) -> Routers:
        """Return the state, with room for further packets."""
        state = self._state
        have, free = len(state.packet), int(state.clock[FREE])
        if count <= free:
            return state
        more = max(have, count - free)
        packet = np.zeros(have + more, PACKET).view(np.recarray)
        packet[:have] = state.packet
        numbers = np.concatenate((state.free[:free], np.arange(have, have + more), np.zeros(have - free, np.int64)))
        state.clock[FREE] = free + more
        self._state = state._replace(packet=packet, free=numbers)
        return self._state


def _delivered(rows: Int64) -> Delivered:
    nothing = np.zeros((2, len(rows)), np.int64)  # flight and lag
    return Delivered(*map(np.ascontiguousarray, (*rows.T[:-1], *nothing)))


def _reset(
    k: Parameters,
    shape: Shape,
    wiring: Wiring,
    claims: AllocatorKind,
    switch: AllocatorKind,
    answers: Answers,
    seed: int,
) -> Routers:
    routers = len(wiring.ports) * k.subnets
    places, vcs, ports = routers * k.ports, routers * k.ports * k.vcs, k.nodes * k.subnets
    channels = places + ports
    inputs, outputs, port_vcs = k.ports * k.input_speedup, k.ports * k.output_speedup, k.ports * k.vcs
    queued, across, slots, requests = _lengths(k, wiring)
    sink, latency = np.full(channels, NONE), np.ones(channels, np.int64)
    source, ejection = np.full(places, NONE), np.zeros(ports, np.int64)
    for first in range(0, places, len(wiring.ports) * k.ports):
        for router, out, other, port, cycles in wiring.channels:
            channel, place = first + router * k.ports + out, first + other * k.ports + port
            sink[channel], latency[channel], source[place] = place, cycles, channel
        nodes = first // k.ports // len(wiring.ports) * k.nodes
        for node, (router, port, last, out, cycles) in enumerate(wiring.nodes, nodes):
            channel, place = first + last * k.ports + out, first + router * k.ports + port
            ejection[node], latency[channel] = channel, cycles
            sink[places + node], latency[places + node], source[place] = place, cycles, places + node
    random = np.array([np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] | np.uint64(1)])
    classes = k.classes
    queue, replies = (np.zeros(count, QUEUE).view(np.recarray) for count in (k.nodes * classes, k.nodes))
    queue.first = replies.first = NONE
    sending = np.zeros(k.nodes * classes, SENDING).view(np.recarray)
    sending.packet = sending.vc = NONE
    output_vc = np.zeros(channels * k.vcs, OUTPUT_VC).view(np.recarray)
    output_vc.owner = NONE
    lists = [Lists(np.zeros((routers, port_vcs), np.int32), np.zeros(routers, np.int32)) for _ in range(4)]
    return Routers(
        k=k,
        shape=shape,
        random=random,
        clock=np.array([0, 0, 0, FIRST_PACKETS]),
        fraction=np.zeros(1),
        ports=np.array(wiring.ports * k.subnets, np.int64),
        number=np.array(wiring.numbers or range(len(wiring.ports)), np.int64),
        sink=sink,
        source=source,
        ejection=ejection,
        latency=latency,
        flits=np.full((slots, channels), NONE),
        credits=np.zeros((slots, channels, k.input_speedup), np.int32),
        output_vc=output_vc,
        used=np.zeros(channels, np.int64),
        vc=np.zeros(vcs, INPUT_VC).view(np.recarray),
        buffer=np.zeros((vcs, k.depth), np.int64),
        routing=lists[0],
        claiming=lists[1],
        switching=lists[2],
        holding=lists[3],
        claims=_allocator(claims, routers, port_vcs, port_vcs, requests, random),
        switch=_allocator(switch, routers, inputs, outputs, inputs * outputs, random),
        turn=np.tile(np.arange(inputs) % k.input_speedup, (routers, 1)),
        turn_of_output=np.full((places, classes), NONE),
        held_in=np.full((routers, inputs), NONE),
        held_out=np.full((routers, outputs), NONE),
        held_vc=np.full((routers, inputs), NONE),
        asked=np.zeros(inputs * outputs, np.int64),
        result=np.zeros(port_vcs, np.int64),
        claimed=np.zeros(port_vcs, np.int64),
        kept=np.zeros(port_vcs, np.int32),
        crossing=np.zeros((routers, across, 3), np.int64),
        crossing_at=np.zeros((routers, 2), np.int64),
        waiting=np.zeros((places, queued), np.int64),
        waiting_at=np.zeros((places, 2), np.int64),
        returning=np.zeros((places, queued, k.input_speedup), np.int32),
        returning_at=np.zeros((places, 2), np.int64),
        queue=queue,
        replies=replies,
        sending=sending,
        last_class=np.zeros(ports, np.int64),
        last_vc=np.full((ports, classes), NONE),
        subnet=np.array(answers.subnet, np.int64),
        answers=np.array(answers.answered, np.bool_),
        reply_flits=np.array(answers.flits, np.int64),
        class_priority=np.array(answers.priority, np.int64),
        packet=np.zeros(FIRST_PACKETS, PACKET).view(np.recarray),
        free=np.arange(FIRST_PACKETS),
        delivered=np.zeros((DELIVERIES + ports, COLUMNS), np.int64),
    )


class _Lengths(NamedTuple):
    """Of the queues of flits before a channel, and in a crossbar; of channels; of a VC allocator's requests."""

    queued: int
    across: int
    slots: int
    requests: int


def _lengths(k: Parameters, wiring: Wiring) -> _Lengths:
    fast = k.internal_speedup > 1 or k.input_speedup > 1 or k.output_speedup > 1
    longest = max(each[-1] for each in (*wiring.channels, *wiring.nodes))
    return _Lengths(
        # Credits bound what waits. A fast crossbar, or one that lets go several cycles' flits at once, needs that much.
        queued=k.vcs * k.depth + 2 if fast or k.crossbar_delay > 1 else 3,
        across=2 * k.ports * k.output_speedup * (k.crossbar_delay + 1) * int(np.ceil(k.internal_speedup)) + 1,
        slots=longest + k.credit_delay + 2,
        requests=2 * k.ports * k.vcs * k.vcs,
    )


def check_size(k: Parameters, wiring: Wiring, claims: AllocatorKind, switch: AllocatorKind) -> None:
    """Refuse a network that takes up too much memory; arguments as for `RouterNetwork`.

    Raises
    ------
    TsujiError
        If it does.
    """
    routers, port_vcs = len(wiring.ports) * k.subnets, k.ports * k.vcs
    inputs, outputs = k.ports * k.input_speedup, k.ports * k.output_speedup
    places = routers * k.ports
    queued, across, slots, requests = _lengths(k, wiring)
    numbers = (
        places * k.vcs * (k.depth + VC_NUMBERS)
        + places * queued * (1 + k.input_speedup)
        + slots * (places + k.nodes * k.subnets) * (1 + k.input_speedup)
        + routers * across * 3
        + _allocator_numbers(claims, routers, port_vcs, port_vcs, requests)
        + _allocator_numbers(switch, routers, inputs, outputs, inputs * outputs)
    )
    if 8 * numbers > MOST_BYTES:
        raise TsujiError(
            f"{routers} routers with {port_vcs} VCs of {k.depth} flits: too large to be simulated: "
            f"{8 * numbers / 2**30:.3g} GiB of memory; at most {MOST_BYTES >> 30}"
        )


def _allocator_numbers(made: AllocatorKind, routers: int, inputs: int, outputs: int, requests: int) -> int:
    """Return how many numbers of 64 bits `_allocator` keeps."""
    return routers * (inputs + outputs + 2 * made.matrix * inputs * outputs) + 6 * requests


def _allocator(
    made: AllocatorKind, routers: int, inputs: int, outputs: int, requests: int, random: np.ndarray
) -> Allocator:
    return allocator(made.kind, routers, inputs, outputs, requests, made.matrix, made.iterations, random)
