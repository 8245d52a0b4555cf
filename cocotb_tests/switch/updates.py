"""Route updates at run time, directed tests: the table is programmed and caches are flushed under traffic."""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np

from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.switch.play import Play, Script
from models.formats import Counter

TAG, BEFORE, AFTER = 1, 0, 1  # the destination, and its output before and after the move


@cocotb.test()
async def update_loses_nothing(dut: Any) -> None:
    """Move a destination while all ports send to it: every packet arrives once, at the old or the new output."""
    play = Play(Bench(dut, "update_loses_nothing"))
    params = play.params
    senders = [port for port in range(params.ports) if params.u_turn or port not in (BEFORE, AFTER)]
    length = params.header_flits + 1

    def accounted() -> None:
        """No flit is lost: each one received was sent on, dropped, or is in a buffer."""
        state = play.model.top.state
        counts = state.counters[0].sum(axis=0)
        gone = counts[Counter.FLITS_OUT] + counts[Counter.FLITS_DROPPED]
        assert counts[Counter.FLITS_IN] == gone + np.sum(state.vc["count"][0])

    def traffic(cycles: int) -> Script:
        for _ in range(cycles):
            for port in senders:
                for vc in range(params.vcs):
                    if not play.sources[port].queues[vc]:
                        play.send(port, TAG, length, vc)
            accounted()
            yield

    def script() -> Script:
        lookup = params.ports * (params.cam.latency + params.cam.occupancy)
        yield from play.program(TAG, BEFORE)
        yield from play.settled()
        yield from traffic(2 * lookup + 100)
        assert play.arrived[BEFORE]
        yield from play.program(TAG, AFTER)
        yield from traffic(20)
        yield from play.flush()
        yield from traffic(2 * lookup + 200)
        settled = play.cycle
        yield from traffic(100)
        yield from play.settled()
        assert play.arrived[BEFORE][-1][0] < settled
        assert play.arrived[AFTER]
        packets = sum(flit.tail for sent in play.sent for _, flit in sent)
        arrived = [flit for arrived in play.arrived for _, flit in arrived]
        assert sum(flit.tail for flit in arrived) == packets
        assert len(arrived) == packets * length
        totals = {}
        for number in (Counter.FLITS_IN, Counter.FLITS_OUT, Counter.FLITS_DROPPED):
            totals[number] = 0
            for port in range(params.ports):
                totals[number] += yield from play.counter(port, number)
        assert totals[Counter.FLITS_IN] == totals[Counter.FLITS_OUT] == len(arrived)
        assert totals[Counter.FLITS_DROPPED] == 0

    await play.run(script())


@cocotb.test()
async def answer_older_than_a_flush(dut: Any) -> None:
    """Flush while a CAM request is outstanding: its answer is used for the packet, but not cached."""
    play = Play(Bench(dut, "answer_older_than_a_flush"))
    params = play.params

    def script() -> Script:
        yield from play.program(TAG, AFTER)
        yield from play.settled()
        for flushed in (True, False, False):
            play.send(0, TAG, params.header_flits)
            yield from play.until(lambda: not play.sources[0].queues[0])
            yield from play.wait(3)
            if flushed:
                yield from play.flush()
            yield from play.settled()
        misses = yield from play.counter(0, Counter.CACHE_MISSES)
        hits = yield from play.counter(0, Counter.CACHE_HITS)
        assert (misses, hits) == (2, 1)
        assert len(play.arrived[AFTER]) == 3 * params.header_flits

    if params.has_cache and params.cam.latency > 6:
        await play.run(script())


@cocotb.test()
async def removed_destination(dut: Any) -> None:
    """Remove a destination: it is still cached until the flush, and dropped afterwards."""
    play = Play(Bench(dut, "removed_destination"))
    params = play.params

    def script() -> Script:
        yield from play.program(TAG, AFTER)
        yield from play.settled()
        for step in range(4):
            if step == 1:
                yield from play.program(TAG, AFTER, found=0)
            if step == 2:
                yield from play.flush()
            play.send(0, TAG, params.header_flits)
            yield from play.settled()
        arrived = 2 if params.has_cache else 1
        assert len(play.arrived[AFTER]) == arrived * params.header_flits
        assert (yield from play.counter(0, Counter.PACKETS_DROPPED)) == 4 - arrived

    await play.run(script())
