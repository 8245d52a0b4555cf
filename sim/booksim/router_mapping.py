"""Maps BookSim2's keys to its own router, for what our switch does not do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from models.booksim.iq_requests import (
    INPUT_FIRST,
    ISLIP,
    LOA,
    MAX_SIZE,
    OUTPUT_FIRST,
    PIM,
    RR_WAVEFRONT,
    WAVEFRONT,
)
from models.booksim.iq_state import BY_AGE, BY_CLASS, BY_NOTHING, BY_SEQUENCE, MOST_VCS, Parameters, Shape
from sim.booksim import pipeline, router_networks
from sim.booksim.class_stream import Nodes
from sim.booksim.router_network import AllocatorKind, Answers, RouterNetwork, check_size
from sim.booksim.router_wiring import Wiring
from sim.booksim.settings import Settings
from sim.booksim.traffic_keys import TYPE_KEYS, BookSimClass, check_patterns, traffic_classes, vc_ranges

ALLOCATORS = {
    "islip": ISLIP,
    "select": OUTPUT_FIRST,  # with one iteration
    "separable_input_first": INPUT_FIRST,
    "separable_output_first": OUTPUT_FIRST,
    "pim": PIM,
    "loa": LOA,
    "wavefront": WAVEFRONT,
    "rr_wavefront": RR_WAVEFRONT,
    "max_size": MAX_SIZE,
}
ITERATING = ("islip", "pim")
ARBITERS = ("round_robin", "matrix")
PRIORITIES = {"none": BY_NOTHING, "class": BY_CLASS, "age": BY_AGE, "sequence": BY_SEQUENCE}
MOST_SPEEDUP = 16
MOST_DELAY = 1023
MOST_ITERATIONS = 64
MOST_SUBNETS = 16
MOST_DEPTH = 1 << 20


@dataclass(frozen=True)
class RouterPlan:
    """Network, traffic and measurement that a BookSim2 configuration describes, on its own routers.

    Attributes
    ----------
    parameters : Parameters
        Of every router.
    shape : Shape
        What routing functions know of the network.
    wiring : Wiring
        Routers, channels, nodes.
    claims, switch : AllocatorKind
        VC allocator and switch allocator.
    classes : tuple of BookSimClass
        Traffic and measurement.
    subnet : tuple of int
        Network of each type of packet, of several.
    seed : int
        Seed of all random numbers.
    notes : tuple of str
        Why our own switch is not used.
    for_peer : tuple of str
        Overrides for BookSim2 itself.
    """

    parameters: Parameters
    shape: Shape
    wiring: Wiring
    claims: AllocatorKind
    switch: AllocatorKind
    classes: tuple[BookSimClass, ...]
    subnet: tuple[int, ...]
    seed: int
    notes: tuple[str, ...]
    for_peer: tuple[str, ...] = ()

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.wiring.nodes)

    def network(self, seed: int) -> RouterNetwork:
        """Return the network at reset; its routers draw their random numbers from `seed`."""
        requests = [each.requests for each in self.classes]
        answers = Answers(
            tuple(each is not None for each in requests),
            tuple(each.flits if each else (1,) * len(TYPE_KEYS) for each in requests),
            tuple(each.priority for each in self.classes),
            self.subnet,
        )
        return RouterNetwork(self.parameters, self.shape, self.wiring, self.claims, self.switch, answers, seed)

    def specialising(self, specialise: bool) -> Self:
        """Return the plan itself: routers are not specialised."""
        return self

    def document(self) -> dict[str, Any]:
        """Return the network as plain values: the parameters of BookSim2's router, which is a model alone."""
        return {
            "booksim_router": self.parameters._asdict(),
            "routers": len(self.wiring.ports) * self.parameters.subnets,
            "nodes": self.nodes,
        }


def plan(given: Settings, why: str) -> RouterPlan:
    """Return the plan that settings describe, with BookSim2's router; `why` says why it is not ours.

    Raises
    ------
    TsujiError
        If a value is not supported; the message names place, key, value and what is allowed.
    """
    vcs = given.integer("num_vcs", 1, MOST_VCS)
    net = router_networks.net(given, vc_ranges(given, vcs))
    classes = traffic_classes(given, ())
    nodes = len(net.wiring.nodes)
    check_patterns(given, classes, Nodes(nodes).topology)
    parameters = _parameters(given, vcs, max(net.wiring.ports), nodes, len(classes))
    subnet = (0, *(given.integer(f"{name}_subnet", 0, parameters.subnets - 1) for name in TYPE_KEYS[1:]))
    claims, switch = (_allocator(given, key) for key in ("vc_allocator", "sw_allocator"))
    check_size(parameters, net.wiring, claims, switch)
    note = f"simulated with BookSim2's router, a model alone; not on our own switch: {why}"
    seed = given.integer("seed", 0)
    return RouterPlan(
        parameters, net.shape, net.wiring, claims, switch, classes, subnet, seed, (note, *net.notes), net.for_peer
    )


def _parameters(given: Settings, vcs: int, ports: int, nodes: int, classes: int) -> Parameters:
    """Return the parameters of every router."""
    fast = given.number("internal_speedup")
    if not 1 <= fast <= MOST_SPEEDUP:
        raise given.refuse("internal_speedup", f"must be 1 to {MOST_SPEEDUP}")
    for key in ("vc_alloc_delay", "sw_alloc_delay"):
        if given.integer(key, 1) != 1:
            raise given.refuse(key, "must be 1 with BookSim2's router, in which an assertion fails otherwise")
    across = given.integer("st_prepare_delay", 0, MOST_DELAY) + given.integer("st_final_delay", 0, MOST_DELAY)
    if across < 1:
        raise given.refuse("st_final_delay", "must be at least 1, with st_prepare_delay")
    size = given.integer("output_buffer_size", -1)
    if size == 0:
        raise given.refuse("output_buffer_size", "must be -1, or at least 1 flit")
    priority = given.word("priority")
    if priority not in PRIORITIES:
        raise given.refuse("priority", f"must be one of {', '.join(PRIORITIES)}")
    speculative = bool(given.integer("speculative", 0, 1))
    piggyback = given.word("vc_allocator") == "piggyback"
    if speculative and given.word("spec_sw_allocator") != "prio":
        raise given.refuse("spec_sw_allocator", "must be prio: all that ask for the crossbar ask the same allocator")
    if piggyback and not speculative:
        raise given.refuse("vc_allocator", "piggyback needs speculative = 1")
    return Parameters(
        ports=ports,
        vcs=vcs,
        depth=pipeline.depth(given, vcs, MOST_DEPTH),
        input_speedup=min(vcs, given.integer("input_speedup", 1, MOST_SPEEDUP)),  # a VC has one input at most
        output_speedup=given.integer("output_speedup", 1, MOST_SPEEDUP),
        internal_speedup=fast,
        routing_delay=given.integer("routing_delay", 0, MOST_DELAY),
        crossbar_delay=across,
        credit_delay=given.integer("credit_delay", 0, MOST_DELAY),
        output_buffer_size=size,
        speculative=speculative,
        piggyback=piggyback,
        priority=PRIORITIES[priority],
        classes=classes,
        nodes=nodes,
        subnets=given.integer("subnets", 1, MOST_SUBNETS),
        **{key: bool(given.integer(key, 0, 1)) for key in _SWITCHES},
    )


_SWITCHES = (
    "wait_for_tail_credit",
    "vc_busy_when_full",
    "vc_prioritize_empty",
    "vc_shuffle_requests",
    "hold_switch_for_packet",
    "spec_check_elig",
    "spec_check_cred",
)


def _allocator(given: Settings, key: str) -> AllocatorKind:
    """Return an allocator; its parameter is that of its arbiters, or its iterations."""
    name, bracket, rest = given.word(key).partition("(")
    parameter = rest.removesuffix(")")
    if name == "piggyback" and key == "vc_allocator" and not bracket:
        return AllocatorKind()
    if name not in ALLOCATORS:
        raise given.refuse(key, f"must be one of {', '.join(ALLOCATORS)}")
    if name.startswith("separable"):
        if bracket and parameter not in ARBITERS:
            raise given.refuse(key, f"arbiters must be one of {', '.join(ARBITERS)}")
        return AllocatorKind(ALLOCATORS[name], parameter == "matrix")
    short = len(parameter) <= len(str(MOST_ITERATIONS))
    iterations = int(parameter) if short and parameter.isdecimal() and parameter.isascii() else 0
    most = MOST_ITERATIONS if name in ITERATING else 1 if name == "select" else 0
    if bracket and not 1 <= iterations <= most:
        raise given.refuse(key, f"must be {name}" + (f", or {name}(1) to {name}({most})" if most > 1 else ""))
    return AllocatorKind(ALLOCATORS[name], iterations=max(1, iterations))
