"""Link: flits and credits both ways with random gaps, with resets; nothing early, late, lost or duplicated."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.link import Sink, Source, packet
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.stall import stalls
from models.params import LinkParams, SwitchParams
from models.transfer.link import link_arrival


class Link:
    """Model: a payload arrives one latency later; reset clears payloads in flight."""

    def __init__(self, params: LinkParams) -> None:
        self._ways = (
            ("source_flit", "sink_flit", params.latency),
            ("sink_credit", "source_credit", params.latency + params.credit_lag),
        )
        self._cycle = 0
        self._arrivals: dict[tuple[int, str], int] = {}

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        here = self._cycle
        outputs: dict[str, int | None] = {}
        for entry, leave, latency in self._ways:
            if inputs[f"{entry}_valid"]:
                # Visible here in this cycle: granted by its sender in the cycle before.
                arrival = int(link_arrival(here - 1, latency))
                self._arrivals[arrival, leave] = inputs[f"{entry}_payload"]
            payload = self._arrivals.pop((here, leave), None)
            outputs |= {f"{leave}_valid": int(payload is not None), f"{leave}_payload": payload}
        if inputs["rst"]:
            self._arrivals.clear()
        self._cycle += 1
        return outputs


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Packets downstream, credits upstream, all stall patterns, resets."""
    bench = Bench(dut, "traffic")
    params = SwitchParams(**bench.parameters["switch"])
    link = LinkParams(**bench.parameters["link"])
    delays = link.latency > 0 or link.credit_lag > 0
    draw = bench.random
    source = Source(params, "source", stalls("mixed", draw), draw)
    sink = Sink(params, "sink", stalls("mixed", draw), draw)
    cover = bench.coverage
    cover.require(["flit", "credit", "no credit left", "idle"])
    cover.require(["both"] if params.vcs * params.depth > 1 else [])
    cover.require(["reset with something under way"] if delays else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        source.observe(seen)
        sink.observe(seen)
        for vc, queue in enumerate(source.queues):
            if not queue and draw.random() < 0.3:
                source.push(packet(params, vc, draw.getrandbits(params.tag_width), draw.randint(1, 6), draw))
        under_way = any(credit < params.depth for credit in source.credits)
        inputs = {**source.drive(), **sink.drive()}
        cover.hit("flit", "source_flit_valid" in inputs)
        cover.hit("credit", "sink_credit_valid" in inputs)
        if params.vcs * params.depth > 1:
            cover.hit("both", "source_flit_valid" in inputs and "sink_credit_valid" in inputs)
        cover.hit("no credit left", 0 in source.credits)
        cover.hit("idle", not inputs)
        if delays and draw.random() < 0.005:
            cover.hit("reset with something under way", under_way)
            inputs["rst"] = 1
            source.reset()
            sink.reset()
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Link(link))
