"""Directed tests of a whole switch: scripts that tell neighbours without stalls what to send.

A script is a generator that yields at the end of each cycle. All outputs are compared with the golden model meanwhile;
the script asserts what the specification says about its situation.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import repeat

from cocotb_tests.bfm.link import Flit, Sink, Source, packet
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.cases.shared import Case, position_word
from cocotb_tests.switch.model import TopModel
from models import formats
from models.formats import Counter
from models.params import SwitchParams

Script = Generator[None, None, None]
LIMIT = 5000


class _EndError(Exception):
    """The script has ended."""


class Play:
    """A switch with its neighbours, driven by a script.

    Parameters
    ----------
    bench : Bench
        The simulation.

    Attributes
    ----------
    bench : Bench
        The simulation.
    params : SwitchParams
        The switch.
    position : tuple of int
        Coordinates of the switch, with computed routes.
    model : TopModel
        Golden model, stepped beside the RTL.
    cycle : int
        The current cycle.
    inputs : dict of str to int
        Values that the script adds to the inputs of the current cycle.
    sent, arrived : list of list of (int, Flit)
        Per port: flits on the link into, and out of, the switch, each with the cycle in which it was visible.
    asleep : set of int
        Output ports whose neighbours return no credits at present.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.params = SwitchParams(**bench.parameters["switch"])
        self.position = tuple(bench.parameters["position"])
        self.model = TopModel(self.params, self.position)
        ports = range(self.params.ports)
        self.sources = [Source(self.params, f"link_in_{p}", repeat(False), bench.random) for p in ports]
        self.sinks = [Sink(self.params, f"link_out_{p}", repeat(False), bench.random) for p in ports]
        self.sent: list[list[tuple[int, Flit]]] = [[] for _ in ports]
        self.arrived: list[list[tuple[int, Flit]]] = [[] for _ in ports]
        self.asleep: set[int] = set()
        self.inputs: Values = {}
        self.cycle = 0
        self._seen: Values = {}

    async def run(self, script: Script) -> None:
        """Run a script to its end."""
        place = {"position": position_word(Case(self.params, self.position))} if self.position else {}

        def stimulus(cycle: int, seen: Values) -> Values:
            self.cycle, self._seen, self.inputs = cycle, seen, dict(place)
            for p, (source, sink) in enumerate(zip(self.sources, self.sinks, strict=True)):
                source.observe(seen)
                flit = sink.observe(seen)
                if flit:
                    self.arrived[p].append((cycle - 1, flit))
            try:
                next(script)
            except StopIteration:
                raise _EndError from None
            return self._drive()

        await self.bench.start()
        try:
            await self.bench.lockstep(LIMIT, stimulus, self.model)
        except _EndError:
            return
        raise AssertionError(f"the script did not end within {LIMIT} cycles")

    def _drive(self) -> Values:
        inputs = self.inputs
        for p, (source, sink) in enumerate(zip(self.sources, self.sinks, strict=True)):
            driven = source.drive()
            if driven:
                self.sent[p].append((self.cycle, Flit.read(self.params, driven[f"link_in_{p}_flit_payload"])))
            inputs |= driven
            inputs |= {} if p in self.asleep else sink.drive()
        if inputs.get("rst"):
            for end in self.sources + self.sinks:
                end.reset()
        return inputs

    def send(self, port: int, tag: int, flits: int, vc: int = 0) -> list[Flit]:
        """Queue a packet at the neighbour of an input port; return its flits."""
        made = packet(self.params, vc, tag, flits, self.bench.random)
        self.sources[port].push(made)
        return made

    def wait(self, cycles: int) -> Script:
        """Let cycles pass."""
        for _ in range(cycles):
            yield

    def until(self, condition: Callable[[], bool], limit: int = 1000) -> Script:
        """Wait until `condition` holds.

        Raises
        ------
        AssertionError
            If it does not hold within `limit` cycles.
        """
        begun = self.cycle
        while not condition():
            assert self.cycle < begun + limit, f"cycle {self.cycle}: still waiting since cycle {begun}"
            yield

    def settled(self) -> Script:
        """Wait until all flits sent have left, all credits are back, and no cache is being flushed."""
        yield from self.wait(self.params.cache.sets + 2 if self.params.has_cache else 1)
        ends = self.sources
        yield from self.until(lambda: not any(queue for source in ends for queue in source.queues))
        full = [self.params.depth] * self.params.vcs
        yield from self.until(lambda: all(source.credits == full for source in ends))
        yield from self.wait(3 + self.params.link_lead)

    def program(
        self,
        tag: int,
        out: int,
        first: int = 0,
        last: int | None = None,
        found: int = 1,
        mask: int | None = None,
        entry: int | None = None,
    ) -> Script:
        """Write a route to the table, or remove it; with ternary match for a tag alone unless `mask` is given."""
        last = self.params.vcs - 1 if last is None else last
        fields = {"tag": tag, "found": found, "out": out, "vc_first": first, "vc_last": last}
        fields |= {"choices": 0} if self.params.selects else {}
        if self.params.ternary:
            every = (1 << self.params.tag_width) - 1
            entry = tag % self.params.cam.entries if entry is None else entry
            fields |= {"mask": every if mask is None else mask, "entry": entry}
        payload = formats.pack(formats.program(self.params), fields)
        self.inputs |= {"program_valid": 1, "program_payload": payload}
        yield

    def flush(self) -> Script:
        """Flush the caches, if the switch has caches."""
        if self.params.has_cache:
            self.inputs["flush"] = 1
        yield

    def counter(self, port: int, number: Counter) -> Generator[None, None, int]:
        """Read a counter; return its value before the events of this cycle."""
        self.inputs |= {"counter_port": port, "counter_number": int(number)}
        yield
        yield
        return self._seen["counter_data"]

    def data(self, port: int) -> list[int]:
        """Return the data of all flits that arrived at the neighbour of an output port."""
        return [flit.data for _, flit in self.arrived[port]]
