"""Neighbours of a switch whose ports are driven by their names: sources and sinks at every link."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bfm.link import Flit, Sink, Source, packet
from cocotb_tests.bfm.stall import stalls
from models.params import SwitchParams


class Neighbours:
    """Sends packets into each input link, and takes flits from each output link.

    Attributes
    ----------
    arrived : list of list of Flit
        Flits that came out of each port.
    """

    def __init__(self, dut: Any, params: SwitchParams, source: random.Random) -> None:
        self._dut, self._params, self._random = dut, params, source
        ports = range(params.ports)
        self._sources = [Source(params, f"link_in_{p}", stalls("mixed", source), source) for p in ports]
        self._sinks = [Sink(params, f"link_out_{p}", stalls("mixed", source), source) for p in ports]

    @property
    def arrived(self) -> list[list[Flit]]:
        """Flits that came out of each port."""
        return [sink.received for sink in self._sinks]

    def send(self, port: int, tag: int, flits: int) -> list[Flit]:
        """Queue a packet at an input port, on any VC; return its flits."""
        made = packet(self._params, self._random.randrange(self._params.vcs), tag, flits, self._random)
        self._sources[port].push(made)
        return made

    async def run(self, cycles: int) -> None:
        """Let cycles pass."""
        for _ in range(cycles):
            await RisingEdge(self._dut.clk)

    async def settle(self) -> None:
        """Wait until nothing has moved for longer than a lookup takes."""
        quiet, before = 0, None
        while quiet < 2 * self._params.cam.latency + 500:
            now = [len(flits) for flits in self.arrived], [sum(map(len, each.queues)) for each in self._sources]
            quiet, before = (quiet + 1 if now == before else 0), now
            await RisingEdge(self._dut.clk)

    def start(self) -> None:
        """Begin."""
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self._dut
        ends: list[Source | Sink] = [*self._sources, *self._sinks]
        while True:
            await FallingEdge(dut.clk)
            seen = {}
            for p in range(self._params.ports):
                for name in (f"link_in_{p}_credit", f"link_out_{p}_flit"):
                    seen[f"{name}_valid"] = int(getattr(dut, f"{name}_valid").value)
                    seen[f"{name}_payload"] = int(getattr(dut, f"{name}_payload").value)
            for end in ends:
                end.observe(seen)
            await RisingEdge(dut.clk)
            for p, (source, sink) in enumerate(zip(self._sources, self._sinks, strict=True)):
                for name, driven in ((f"link_in_{p}_flit", source.drive()), (f"link_out_{p}_credit", sink.drive())):
                    getattr(dut, f"{name}_valid").value = driven.get(f"{name}_valid", 0)
                    getattr(dut, f"{name}_payload").value = driven.get(f"{name}_payload", 0)
