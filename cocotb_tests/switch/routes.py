"""Routes, directed tests: unknown destinations, malformed packets, invalid routes, coinciding misses."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.switch.play import Play, Script
from models.formats import Counter

KNOWN, OTHER, UNKNOWN = 1, 2, 3


def _counted(play: Play, expected: dict[tuple[int, Counter], int]) -> Script:
    """Read counters, and compare them with the values expected."""
    for (port, number), value in expected.items():
        read = yield from play.counter(port, number)
        assert read == value, f"{number.name} of port {port}: {read}, not {value}"


@cocotb.test()
async def unknown_destination(dut: Any) -> None:
    """Send a long packet to an unknown destination: it is dropped and counted; the next one on its VC is not."""
    play = Play(Bench(dut, "unknown_destination"))
    params = play.params
    lost, kept = 3 * params.depth + 1, params.header_flits + 1

    def script() -> Script:
        yield from play.program(KNOWN, 1)
        yield from play.settled()
        for vc in range(params.vcs):
            play.send(0, UNKNOWN, lost, vc)
            play.send(0, KNOWN, kept, vc)
        yield from play.settled()
        assert len(play.arrived[1]) == kept * params.vcs
        assert not any(play.arrived[port] for port in range(params.ports) if port != 1)
        yield from _counted(
            play,
            {
                (0, Counter.FLITS_IN): (lost + kept) * params.vcs,
                (0, Counter.PACKETS_IN): 2 * params.vcs,
                (0, Counter.FLITS_DROPPED): lost * params.vcs,
                (0, Counter.PACKETS_DROPPED): params.vcs,
                (1, Counter.FLITS_OUT): kept * params.vcs,
                (1, Counter.PACKETS_OUT): params.vcs,
            },
        )

    await play.run(script())


@cocotb.test()
async def malformed_packets(dut: Any) -> None:
    """Packets that end before their header does (if headers are long enough) are dropped; the next one is not."""
    play = Play(Bench(dut, "malformed_packets"))
    params = play.params

    def script() -> Script:
        yield from play.program(KNOWN, 1)
        yield from play.settled()
        for short in range(1, params.header_flits):
            for vc in range(params.vcs):
                play.send(0, KNOWN, short, vc)
        sent = play.send(0, KNOWN, params.header_flits + 2)
        yield from play.settled()
        assert play.data(1) == [flit.data for flit in sent]
        short_ones = (params.header_flits - 1) * params.vcs
        yield from _counted(play, {(0, Counter.PACKETS_DROPPED): short_ones, (0, Counter.PACKETS_IN): short_ones + 1})

    await play.run(script())


@cocotb.test()
async def routes_that_cannot_be_followed(dut: Any) -> None:
    """Invalid routes of all kinds are dropped; a route back is invalid for one port only."""
    play = Play(Bench(dut, "routes_that_cannot_be_followed"))
    params = play.params
    last = params.vcs - 1
    bad = [(params.ports, 0, last)] if params.ports < 1 << params.port_bits else []
    bad += [(1, 0, params.vcs)] if params.vcs < 1 << params.vc_bits else []
    bad += [(1, last, 0)] if last else []
    bad += [] if params.u_turn else [(0, 0, last)]

    def script() -> Script:
        for number, (out, first, final) in enumerate(bad):
            yield from play.program(8 + number, out, first, final)
        yield from play.program(KNOWN, 0)
        yield from play.settled()
        for number in range(len(bad)):
            play.send(0, 8 + number, params.header_flits)
        play.send(1, KNOWN, params.header_flits)
        yield from play.settled()
        assert [len(arrived) for arrived in play.arrived] == [params.header_flits] + [0] * (params.ports - 1)
        yield from _counted(play, {(0, Counter.PACKETS_DROPPED): len(bad), (0, Counter.PACKETS_IN): len(bad)})

    await play.run(script())


@cocotb.test()
async def misses_merge(dut: Any) -> None:
    """Several headers with one tag that is not cached: one CAM request answers them all."""
    play = Play(Bench(dut, "misses_merge"))
    params = play.params

    def script() -> Script:
        yield from play.program(KNOWN, 1)
        yield from play.settled()
        for vc in range(params.vcs):
            for _ in range(max(1, params.depth // params.header_flits)):
                play.send(0, KNOWN, params.header_flits, vc)
        headers = sum(len(queue) for queue in play.sources[0].queues) // params.header_flits
        yield from play.settled()
        assert len(play.arrived[1]) == headers * params.header_flits
        expected = {(0, Counter.CAM_REQUESTS): 1, (0, Counter.CAM_MERGED): headers - 1}
        yield from _counted(play, expected)

    if params.cam.latency > params.slots:  # all headers arrive before the answer
        await play.run(script())


@cocotb.test()
async def hit_passes_a_miss(dut: Any) -> None:
    """Send a header that hits behind one that waits for the CAM: the hit is not delayed."""
    play = Play(Bench(dut, "hit_passes_a_miss"))
    params = play.params

    def script() -> Script:
        yield from play.program(KNOWN, 1)
        yield from play.program(OTHER, 1)
        play.send(0, KNOWN, params.header_flits)
        yield from play.settled()
        play.sent[0].clear()
        play.arrived[1].clear()
        play.send(0, OTHER, params.header_flits, 0)
        yield from play.until(lambda: not play.sources[0].queues[0])
        play.send(0, KNOWN, params.header_flits, 1)
        yield from play.settled()
        h = params.header_flits
        slow, quick = (
            play.sent[0][h - 1][0] + params.route_cycles_miss,
            play.sent[0][2 * h - 1][0] + params.route_cycles_hit,
        )
        cycles = [cycle for cycle, _ in play.arrived[1]]
        assert cycles == [*range(quick + 1, quick + 1 + h), *range(slow + 1, slow + 1 + h)]

    if params.has_cache and params.vcs > 1 and params.cam.latency > 2 * params.header_flits:
        await play.run(script())


@cocotb.test()
async def ports_contend_for_the_cam(dut: Any) -> None:
    """Misses on two ports in one cycle: the second answer comes `cam.occupancy` cycles after the first."""
    play = Play(Bench(dut, "ports_contend_for_the_cam"))
    params = play.params

    def script() -> Script:
        yield from play.program(KNOWN, 0)
        yield from play.program(OTHER, 1)
        yield from play.settled()
        play.send(0, OTHER, params.header_flits)
        play.send(1, KNOWN, params.header_flits)
        yield from play.settled()
        seen = sorted(play.arrived[out][0][0] for out in (0, 1))
        complete = play.sent[0][params.header_flits - 1][0]
        first = complete + params.route_cycles_miss + 1
        assert seen == [first, first + params.cam.occupancy]
        stalls = yield from play.counter(0, Counter.CAM_STALLS)
        stalls += yield from play.counter(1, Counter.CAM_STALLS)
        assert stalls == 1

    await play.run(script())
