"""Allocates the state of the engine at reset."""

from __future__ import annotations

import numpy as np

from models.errors import TsujiError
from models.jit.specialise import Known
from models.node.terminal import NODE, new_queues, new_sources
from models.params import SwitchParams, hint_hops
from models.power_up import new_state_beside
from models.reset import reset_every
from models.state.layout import Place, absent, aligned
from models.state.registers import NEVER
from sim.engine.address import MOST_SWITCHES, PORT_SHIFT, SOURCE_BIT, SWITCH_SHIFT
from sim.engine.batched.bundle_search import bundled
from sim.engine.interfaces import no_ranks
from sim.engine.prefetch import AHEAD, exceeds_cache
from sim.engine.state import (
    CLOCK,
    EVENT,
    MOST_EVENTS,
    NOBODY,
    PACKET,
    Constants,
    Engine,
    Hooks,
)
from sim.engine.threads.parts import no_part
from sim.lib.array_check import check_int
from sim.topology.base import Int64, Topology
from sim.topology.computed import ComputedTopology
from sim.topology.link_times import LinkTimes
from sim.traffic.closed_loop import ClosedLoop
from sim.traffic.injection import Injection

MOST_LOGGED = 1 << 28  # most logged events at nodes' ports, 40 bytes each


def new_engine(
    params: SwitchParams,
    topology: Topology,
    times: LinkTimes,
    crossbars: Int64 | None,
    loop: ClosedLoop,
    injection: Injection,
    log: int,
    window: int = 0,
    batched: bool = False,
) -> Engine:
    """Return the engine's state of a network at reset, its tables empty.

    Parameters
    ----------
    params : SwitchParams
        Parameters of every switch.
    topology : Topology
        Wiring of S switches.
    times : LinkTimes
        Latencies and intervals of the links between switches.
    crossbars : array [S] or None
        Dimension of each switch that is a crossbar of a hyper-crossbar; -1 of others.
    loop : ClosedLoop
        Replies and windows.
    injection : Injection
        How nodes send their packets.
    log : int
        Number of events at the nodes' ports to keep.
    window : int
        Cycles that parts of the network advance by themselves; 0: it is not cut (`sim.engine.threads`).
    batched : bool
        Whether switches are advanced 64 at a time.

    Raises
    ------
    TsujiError
        If there are more switches, or more flits on links, than a place has bits for, if the switches cannot compute
        the routes, or if nodes are to send more packets at once than they have VCs.
    """
    switches, ports, nodes = topology.switches, topology.ports, topology.nodes
    if switches > MOST_SWITCHES:
        raise TsujiError(f"{topology.name} has {switches} switches; at most {MOST_SWITCHES} can be simulated")
    check_int("log", log, 0, MOST_LOGGED)
    slots = 1 << (times.longest + params.link_lead + 1 + window).bit_length()
    flit_room, credit_room = switches * ports + AHEAD, 2 * switches * ports + AHEAD
    if 2 * slots * credit_room >= MOST_EVENTS:
        most = 1 << ((MOST_EVENTS - 1) // (2 * credit_room)).bit_length() - 1
        raise TsujiError(
            f"{topology.name}, {switches} switches of {ports} ports: flits can be on their way for {times.longest} "
            "cycles, by the latency of links and in queues before slow ones; must be at most "
            f"{most - params.link_lead - 2} cycles, or fewer switches"
        )
    # A crossbar has other ports than an exchanger; unconnected ports change nothing.
    of_switch = [Place(name, np.int64) for name in ("mover_mark", "router_mark", "waits_mark")]
    of_port = [Place("link", np.int64)] if batched else [Place("sent", np.int64, (params.vcs,))]
    of_switch += [] if batched else [Place("link", np.int64, (ports,))]
    others = nodes * params.node_ports if batched else 0
    state, arrays = new_state_beside(params, switches, ports, of_switch, of_port, batched, slots, others, window > 0)
    arrays["mover_mark"][:] = arrays["router_mark"][:] = arrays["waits_mark"][:] = -1
    begins = np.cumsum([0, *np.repeat([switches + AHEAD, switches + AHEAD, nodes + 1], 2)])
    if crossbars is not None:
        state.switch.crossbar = crossbars
    if params.computed:
        state.position[:] = _own_coordinates(topology, params)
    reset_every(state, switches)
    sources, sending = new_sources(nodes * params.node_ports, params.vcs, params.depth)
    at_once, at_once_on_port = injection.limits(params)
    wired = topology.peer_switch >= 0
    target = arrays["link"]
    target[:] = np.where(wired, topology.peer_switch << SWITCH_SHIFT | topology.peer_port << PORT_SHIFT, NOBODY)
    local_switch, local_port = topology.local_ends
    target[local_switch, local_port] = SOURCE_BIT | np.arange(len(local_port)) << PORT_SHIFT
    hinting = switches if hint_hops(params.lpi) else 0
    constants = Constants(
        need=params.credit_need,
        slots=slots,
        latency=times.latency,
        credit_lag=times.credit_lag,
        plain=times.plain,
        closed=bool(loop.reply_size or loop.window),
        exceeds_cache=exceeds_cache(state),
        logs=log > 0,
        of_port=at_once_on_port,
        of_node=at_once,
        think_time=injection.think_time,
        node_delay=2 * times.node,
        paced=bool(injection.think_time) or at_once < at_once_on_port * params.node_ports,
    )
    return Engine(
        k=constants,
        hooks=Known(Hooks(messages=False, history=False, batched=batched, parts=False)),
        switches=state,
        delay=times.delay,
        interval=times.interval,
        line_free=np.zeros((switches, ports), np.int64),
        catch_up=_catch_up(params, switches, crossbars),
        clock=np.zeros(1, CLOCK).view(np.recarray),
        link=target,
        bundles=bundled(state, target, times),
        home=local_switch << SWITCH_SHIFT | local_port << PORT_SHIFT,
        queues=new_queues(nodes),
        nodes=np.zeros(nodes, NODE).view(np.recarray),
        sources=sources,
        sending=sending,
        packets=aligned((0,), PACKET),
        arrivals=np.empty(0, np.int64),
        flit=aligned(((2 * slots + 2) * flit_room,), EVENT),
        flits=np.arange(2 * slots + 1) * flit_room,
        flit_room=flit_room,
        credit=aligned((2 * slots * credit_room,), np.int64),
        credits=np.arange(2 * slots) * credit_room,
        credit_room=credit_room,
        listed=np.zeros(begins[-1], np.int64),
        begins=begins[:-1],
        ends=begins[:-1].copy(),
        mover_mark=arrays["mover_mark"],
        router_mark=arrays["router_mark"],
        sender_mark=np.full(nodes, -1, np.int64),
        wake_first=np.full(_wake_slots(params), NOBODY, np.int64),
        wake_next=np.full(switches, NOBODY, np.int64),
        wake_previous=np.full(switches, NOBODY, np.int64),
        wake_at=np.full(switches, NEVER, np.int64),
        waits_mark=arrays["waits_mark"],
        waits=np.zeros(_waits_room(params, switches), np.int64),
        waits_ends=np.zeros(2, np.int64),
        delivered=np.zeros(0, np.int64),
        arrived=aligned((0,), PACKET),
        dropped=np.zeros(0, np.int64),
        sent=arrays.get("sent", absent(np.int64, 3)),
        reply=np.zeros(0, np.int64),
        reply_delay=loop.reply_delay,
        window=loop.window,
        outstanding=np.zeros(nodes, np.int64),
        held=new_queues(nodes),
        later_at=np.zeros((2, 1), np.int64),
        later_what=np.zeros((2, 1), np.int64),
        later_ends=np.zeros((2, 2), np.int64),
        log=np.zeros((log, 5), np.int64),
        reserves_at=np.zeros((slots, switches * ports if params.reserves else 0), np.int64),
        reserves=np.zeros((slots, switches * ports if params.reserves else 0), np.int64),
        reserve_count=np.zeros(slots, np.int64),
        hints=aligned((slots, hinting * ports), EVENT),
        hint_ends=np.zeros(slots, np.int64),
        hint_mark=np.full(hinting, -1, np.int64),
        hinting=np.zeros(hinting, np.int64),
        hinting_end=np.zeros(1, np.int64),
        shown_by=np.zeros((slots, switches if params.lookahead else 0), np.int64),
        shown=np.zeros((slots, switches if params.lookahead else 0, params.vcs), np.int64),
        shows=np.zeros(slots, np.int64),
        paths=1,
        threshold=0,
        path_out=np.zeros((0, 0), np.int8),
        path_hops=np.zeros((0, 0), np.int16),
        ranks=no_ranks(),
        part=no_part(),
    )


def _wake_slots(params: SwitchParams) -> int:
    """Return a power of two above the longest time that a switch can sleep until a route or a link is due."""
    longest = max(params.cam.latency, params.cam.occupancy) if params.has_cam else 1
    if params.lpi:
        longest = max(longest, params.lpi.sleep + params.lpi.wake)
    return 1 << (longest + 1).bit_length()


def _waits_room(params: SwitchParams, switches: int) -> int:
    """Return the size of the ring of head delays, a power of two: one delay may begin per switch and cycle."""
    return 1 << (switches * (params.head_delay + 2)).bit_length() if params.head_delay else 0


def _catch_up(params: SwitchParams, switches: int, crossbars: np.ndarray | None) -> np.ndarray:
    """Return the cycles by which route computation delays only heads, int64 [switches]."""
    cycles = np.full(switches, params.route_cycles_hit - 1, np.int64)
    if crossbars is not None and params.selects:
        cycles[crossbars != NOBODY] -= 1  # they have no selection function
    return cycles


def _own_coordinates(topology: Topology, params: SwitchParams) -> Int64:
    """Return the coordinates of switches that compute routes [S, dimensions].

    Raises
    ------
    TsujiError
        If the topology has no coordinates, or others than the switches' parameters say.
    """
    if not isinstance(topology, ComputedTopology) or topology.routing != params.routing:
        raise TsujiError(f'switch.routing = "{params.routing}": no such routes on {topology.name}')
    for key, needed in topology.computed_params.items():
        value = getattr(params, key)
        if (list(value) if key == "radix" else value) != needed:
            raise TsujiError(f"switch.{key} = {value}: {topology.name} needs {needed}")
    return topology.own_coordinates
