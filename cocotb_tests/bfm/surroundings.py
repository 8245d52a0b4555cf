"""Random environment of a whole switch: a neighbour at each port, an operator of table, caches and counters.

Neighbours obey the link protocol and check that the switch does. Within that everything is tried: packets of all
lengths, malformed ones, unknown destinations, invalid routes, stalls on both sides, neighbours that return no credits
for a while, routes changed and caches flushed under traffic, resets at any time. Scenes of some hundred cycles differ
in load, in the destinations in use, and in the ports that send.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle

from cocotb_tests.bfm.link import Sink, Source, packet
from cocotb_tests.bfm.lockstep import Values
from cocotb_tests.bfm.stall import stalls
from models import formats
from models.params import SwitchParams, index_width
from models.route.crc_hash import crc_hash, crc_rows


class Surroundings:
    """Environment of a switch.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch.
    source : random.Random
        Random choices.
    resets : float
        Probability of a reset in a cycle.
    first : int
        The only port with traffic at the beginning.
    """

    def __init__(self, params: SwitchParams, source: random.Random, resets: float = 0.003, first: int = 0) -> None:
        # With a slow CAM shared by many ports few events happen per cycle.
        self._slow = 1 + params.ports * params.cam.occupancy // 50 if params.has_cam else 1
        self._params, self._random, self._resets = params, source, resets / self._slow
        ports = range(params.ports)
        self._sources = [Source(params, f"link_in_{p}", self._stalls(), source) for p in ports]
        self._sinks = [Sink(params, f"link_out_{p}", self._stalls(), source) for p in ports]
        self._families = _families(params, source)
        self._entries = [tag for family in self._families[:2] for tag in family] if params.programmed else []
        self._to_program = list(self._entries)
        self._left = 0
        self._begin_scene()
        if params.has_cache:
            self._begin_sweep(first)

    def drive(self, seen: Values) -> Values:
        """Return all inputs of the switch in a cycle; `seen` is its outputs in the cycle before."""
        if not self._left:
            self._begin_scene()
        self._left -= 1
        inputs: Values = {}
        for p, (source, sink) in enumerate(zip(self._sources, self._sinks, strict=True)):
            source.observe(seen)
            sink.observe(seen)
            for vc, queue in enumerate(source.queues):
                if not queue and p not in self._silent and self._random.random() < self._load:
                    source.push(packet(self._params, vc, self._tag(p), self._length(), self._random))
            inputs |= source.drive()
            inputs |= {} if p in self._asleep else sink.drive()
        inputs |= self._operate()
        if not self._sweep and self._random.random() < self._resets:
            inputs["rst"] = 1
            for end in self._sources + self._sinks:
                end.reset()
        return inputs

    def _stalls(self) -> Iterator[bool]:
        """Yield stalls that depend on cycle and port; none in a scene without stalls."""
        pattern = stalls("mixed", self._random)
        for _ in range(self._random.randrange(600)):
            next(pattern)
        for pause in pattern:
            yield pause and not self._hurry

    def _begin_scene(self) -> None:
        draw, params = self._random, self._params
        self._left = draw.randint(50, 250) * self._slow
        self._load = draw.choice((0.02, 0.2, 0.5, 1.0))
        self._longest = draw.choice((1, 2, params.depth, 2 * params.depth + 2)) + params.header_flits - 1
        self._silent = set(draw.sample(range(params.ports), draw.choice((0, 0, params.ports - 1))))
        self._asleep = set(draw.sample(range(params.ports), draw.choice((0, 0, 1, (params.ports + 1) // 2))))
        family = draw.choice(self._families)
        few = draw.choice((1, 1, 2, 4, len(family)))
        self._tags = draw.sample(family, min(few, len(family)))
        self._changes = draw.choice((0.0, 0.0, 0.0, 0.02, 0.2)) / self._slow
        self._hurry = draw.random() < 0.2
        self._followed = draw.choices(self._tags, k=params.ports) if params.prediction else []
        self._sweep: Iterator[int] | None = None

    def _begin_sweep(self, port: int) -> None:
        """Begin with a scene in which one port looks up more destinations of a cache set than the set has ways."""
        params = self._params
        tags = self._families[0]
        self._left = len(self._entries) + params.cache.sets + 3 * len(tags) * (params.route_cycles_miss + 4)
        self._load, self._longest, self._changes = 1.0, params.header_flits, 0.0
        self._silent, self._asleep = set(range(params.ports)) - {port}, set()
        self._sweep = cycle(tags)

    def _tag(self, port: int) -> int:
        """Return a tag of this scene, seldom another one; predictions are right while tags repeat."""
        if self._sweep:
            return next(self._sweep)
        if self._params.prediction and self._random.random() < 0.25:
            self._followed[port] = self._any_tag()
        return self._followed[port] if self._params.prediction else self._any_tag()

    def _any_tag(self) -> int:
        if self._random.random() < 0.03:
            return self._random.choice(self._random.choice(self._families))
        return self._random.choice(self._tags)

    def _length(self) -> int:
        """Return a packet length; one in ten may be too short for the header."""
        shortest = 1 if self._random.random() < 0.1 else self._params.header_flits
        return self._random.randint(shortest, max(shortest, self._longest))

    def _operate(self) -> Values:
        """Return the operator's inputs: address a counter, program the table, flush the caches."""
        draw, params = self._random, self._params
        inputs: Values = {}
        if params.counter_width:
            inputs["counter_port"] = draw.randrange(1 << params.port_bits)
            inputs["counter_number"] = draw.randrange(1 << index_width(formats.COUNTERS))
        if not params.programmed:
            return inputs
        if self._to_program:
            inputs |= {"program_valid": 1, "program_payload": self._route(self._to_program.pop(), known=True)}
        elif draw.random() < self._changes:
            tag = draw.choice(self._entries)
            inputs |= {"program_valid": 1, "program_payload": self._route(tag, known=draw.random() < 0.8)}
        if params.has_cache and draw.random() < self._changes / 10:
            inputs["flush"] = 1
        return inputs

    def _route(self, tag: int, known: bool) -> int:
        """Return a programming operation for a tag, occasionally with an invalid route."""
        draw, params = self._random, self._params
        first, last = sorted(draw.choices(range(params.vcs), k=2))
        fields = {
            "tag": tag,
            "found": int(known),
            "out": draw.randrange(params.ports),
            "vc_first": first,
            **({"choices": draw.getrandbits(params.ports)} if params.selects else {}),
            "vc_last": last,
        }
        if params.ternary:
            fields |= self._some_entry(tag)
        if draw.random() < 0.05:
            name = draw.choice(("out", "vc_first", "vc_last"))
            fields[name] = draw.getrandbits(params.port_bits if name == "out" else params.vc_bits)
        return formats.pack(formats.program(params), fields)

    def _some_entry(self, tag: int) -> Values:
        """Return number and mask of a ternary entry: at first one entry per tag, later of any bits."""
        draw, width = self._random, self._params.tag_width
        every = (1 << width) - 1
        entries = self._params.cam.entries
        if self._to_program or self._sweep:
            return {"mask": every, "entry": self._entries.index(tag) % entries}
        mask = draw.choice((every, every & -1 << draw.randrange(8), draw.getrandbits(width)))
        return {"mask": mask, "entry": draw.randrange(entries)}


def _families(params: SwitchParams, source: random.Random) -> list[list[int]]:
    """Return groups of tags: of one cache set, dense ones, and random ones (most of them unknown).

    With computed routes, addresses of nodes and some tags beyond them.
    """
    if not params.programmed:
        beyond = min(params.address_bits + 2, params.tag_width)
        return [
            [source.getrandbits(params.address_bits) for _ in range(24)],
            [source.getrandbits(beyond) for _ in range(12)],
        ]
    dense = list(range(min(params.programmed_entries, 32)))
    rows = crc_rows(params.tag_width, params.cache.crc_polynomial)
    sets: dict[int, list[int]] = {}
    wanted = params.cache.ways + 2
    for tag in source.sample(range(params.programmed_entries), min(params.programmed_entries, 4096)):
        alike = sets.setdefault(int(crc_hash(tag, rows)) % params.cache.sets, [])
        alike.append(tag)
        if len(alike) == wanted:
            break
    conflicting = max(sets.values(), key=len)
    return [conflicting, dense, [source.getrandbits(params.tag_width) for _ in range(8)] + dense[:2]]
