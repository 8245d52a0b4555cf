"""Flow control, directed tests: exhausted credits, full buffers, contention for outputs and VCs.

All routes are in the table, and latencies do not matter here.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.switch.play import Play, Script

TO_1, ONE_VC = 1, 2  # tags: to output 1 on any VC, on VC 0 only


def _routes(play: Play) -> Script:
    """Program the tags, and bring them into the caches of ports 0 and 2."""
    yield from play.program(TO_1, 1)
    yield from play.program(ONE_VC, 1, 0, 0)
    for port in (0, 2):
        for tag in (TO_1, ONE_VC):
            play.send(port, tag, play.params.header_flits)
    yield from play.settled()
    for arrived in play.arrived:
        arrived.clear()


def _runs(flits: list[Flit], packets: list[list[Flit]]) -> list[int]:
    """Return the packet of each flit, without immediate repetitions."""
    owner = {flit.data: number for number, packet in enumerate(packets) for flit in packet}
    owners = [owner[flit.data] for flit in flits]
    return [number for k, number in enumerate(owners) if k == 0 or number != owners[k - 1]]


@cocotb.test()
async def packet_longer_than_buffers(dut: Any) -> None:
    """Send a packet three times as long as a buffer: it arrives whole, in order, on one VC."""
    play = Play(Bench(dut, "packet_longer_than_buffers"))

    def script() -> Script:
        yield from _routes(play)
        sent = play.send(0, TO_1, 3 * play.params.depth + play.params.header_flits)
        yield from play.settled()
        assert play.data(1) == [flit.data for flit in sent]
        assert len({flit.vc for _, flit in play.arrived[1]}) == 1
        assert [flit.tail for _, flit in play.arrived[1]] == [0] * (len(sent) - 1) + [1]

    await play.run(script())


@cocotb.test()
async def credits_run_out(dut: Any) -> None:
    """Without credits exactly `depth` flits pass and `depth` wait; with credits again, all of them arrive."""
    play = Play(Bench(dut, "credits_run_out"))
    depth = play.params.depth

    def script() -> Script:
        yield from _routes(play)
        play.asleep.add(1)
        sent = play.send(0, TO_1, 2 * depth + 5)
        yield from play.wait(4 * depth + 50)
        assert len(play.arrived[1]) == depth
        assert len(play.sources[0].queues[0]) == 5
        assert play.sources[0].credits[0] == 0
        play.asleep.clear()
        yield from play.settled()
        assert play.data(1) == [flit.data for flit in sent]

    await play.run(script())


@cocotb.test()
async def head_needs_room(dut: Any) -> None:
    """Check that a head claims a VC exactly if it has the credits needed: one, or those of a largest packet."""
    play = Play(Bench(dut, "head_needs_room"))
    depth, need = play.params.depth, play.params.credit_need

    def script() -> Script:
        yield from _routes(play)
        play.asleep.add(1)
        for _ in range(depth + 1):
            play.send(0, ONE_VC, 1)
        yield from play.wait(depth + 50)
        assert len(play.arrived[1]) == depth - need + 1
        play.asleep.clear()
        yield from play.settled()
        assert len(play.arrived[1]) == depth + 1

    if play.params.header_flits == 1:
        await play.run(script())


@cocotb.test()
async def everything_full(dut: Any) -> None:
    """All other ports send to a sleeping port on all VCs until all buffers are full; later all flits arrive."""
    play = Play(Bench(dut, "everything_full"))
    params = play.params
    others = [port for port in range(params.ports) if port != 1]

    def script() -> Script:
        yield from _routes(play)
        play.asleep.add(1)
        packets = [play.send(port, TO_1, 2 * params.depth + 3, vc) for port in others for vc in range(params.vcs)]
        yield from play.wait((params.cam.latency + params.cam.occupancy) * params.ports + 4 * params.depth * params.vcs)
        assert all(not any(play.sources[port].credits) for port in others)
        assert len(play.arrived[1]) == params.depth * params.vcs
        play.asleep.clear()
        yield from play.settled()
        assert len(play.arrived[1]) == sum(map(len, packets))
        for vc in range(params.vcs):
            on_vc = [flit for _, flit in play.arrived[1] if flit.vc == vc]
            runs = _runs(on_vc, packets)
            assert len(runs) == len(set(runs)), f"packets mixed on VC {vc}"

    await play.run(script())


@cocotb.test()
async def two_ports_to_one_output(dut: Any) -> None:
    """Two packets to one output: one after the other if connections are held, else flits alternate."""
    play = Play(Bench(dut, "two_ports_to_one_output"))
    params = play.params

    def script() -> Script:
        yield from _routes(play)
        length = max(params.depth, params.header_flits)
        packets = [play.send(port, TO_1, length) for port in (0, 2)]
        yield from play.settled()
        flits = [flit for _, flit in play.arrived[1]]
        assert len(flits) == 2 * length
        runs = _runs(flits, packets)
        if params.hold_packets:
            assert runs in ([0, 1], [1, 0])
        else:
            assert len(runs) == len(flits), "flits of the two packets do not take turns"
        cycles = [cycle for cycle, _ in play.arrived[1]]
        assert cycles == list(range(cycles[0], cycles[0] + 2 * length)), "the output was idle"

    if params.vcs > 1 and params.has_cache:  # both know the route in the same cycle
        await play.run(script())


@cocotb.test()
async def one_vc_for_two_packets(dut: Any) -> None:
    """Two packets for one VC: the second head waits until the first packet is through, even while that one pauses."""
    play = Play(Bench(dut, "one_vc_for_two_packets"))
    params = play.params

    def script() -> Script:
        yield from _routes(play)
        first = play.send(0, ONE_VC, params.header_flits + 3)
        rest = [play.sources[0].queues[0].pop() for _ in range(2)][::-1]
        yield from play.until(lambda: len(play.arrived[1]) == len(first) - 2)
        second = play.send(2, ONE_VC, params.header_flits + 1)
        yield from play.wait(100)
        assert len(play.arrived[1]) == len(first) - 2, "the second packet did not wait"
        play.sources[0].push(rest)
        yield from play.settled()
        assert play.data(1) == [flit.data for flit in first + second]

    await play.run(script())


@cocotb.test()
async def reset_in_the_middle(dut: Any) -> None:
    """Reset with packets in flight: they and their claims are gone; all credits and VCs are available again."""
    play = Play(Bench(dut, "reset_in_the_middle"))
    params = play.params

    def script() -> Script:
        yield from _routes(play)
        play.asleep.add(1)
        play.send(0, TO_1, 3 * params.depth + 5)
        yield from play.wait(3 * params.depth + 40)
        play.inputs["rst"] = 1
        yield
        play.asleep.clear()
        play.arrived[1].clear()
        yield from play.wait(50)
        assert not play.arrived[1]
        sent = play.send(0, TO_1, params.depth + 5)
        yield from play.settled()
        assert play.data(1) == [flit.data for flit in sent]

    await play.run(script())
