"""Ternary match, directed tests: prefixes, masks of any bits, and what caches keep of an entry of many destinations."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.switch.play import Play, Script
from models.formats import Counter

EVERY = (1 << 16) - 1  # of the tag's low bits: the higher ones are 0


def _mask(play: Play, low: int) -> int:
    """Return a mask that compares the tag's bits above the lowest 16, and of these the ones in `low`."""
    return (1 << play.params.tag_width) - 1 & ~EVERY | low


@cocotb.test()
async def longer_prefix_at_a_lower_number(dut: Any) -> None:
    """Prefixes within prefixes: each destination takes the longest one, which the manager wrote at a lower number."""
    play = Play(Bench(dut, "longer_prefix_at_a_lower_number"))
    length = play.params.header_flits

    def script() -> Script:
        yield from play.program(0x1200, 0, mask=_mask(play, 0xFF00), entry=5)
        yield from play.program(0x1230, 1, mask=_mask(play, 0xFFF0), entry=3)
        yield from play.program(0x1234, 2, entry=2)
        yield from play.settled()
        wanted = {0x1201: 0, 0x12FF: 0, 0x1230: 1, 0x123F: 1, 0x1234: 2}
        for tag, out in wanted.items():
            port = (out + 1) % 3
            play.send(port, tag, length)
            yield from play.settled()
            assert [len(arrived) for arrived in play.arrived[:3]] == [length * (o == out) for o in range(3)], hex(tag)
            play.arrived[out].clear()
        play.send(0, 0x1300, length)
        yield from play.settled()
        assert not any(play.arrived)
        assert (yield from play.counter(0, Counter.PACKETS_DROPPED)) == 1

    await play.run(script())


@cocotb.test()
async def lowest_number_wins(dut: Any) -> None:
    """Of several entries that match, the lowest counts, whatever their masks; without it, the next one."""
    play = Play(Bench(dut, "lowest_number_wins"))
    length = play.params.header_flits

    def script() -> Script:
        yield from play.program(0x0001, 1, mask=_mask(play, 0x0001), entry=0)
        yield from play.program(0x0F01, 2, entry=1)
        yield from play.program(0, 2, mask=0, entry=play.params.cam.entries - 1)
        yield from play.settled()
        for found, out in ((1, 1), (0, 2)):
            yield from play.program(0x0001, 1, mask=_mask(play, 0x0001), entry=0, found=found)
            yield from play.flush()
            play.send(0, 0x0F01, length)
            yield from play.settled()
            assert [len(arrived) for arrived in play.arrived[:3]] == [length * (o == out) for o in range(3)]
            play.arrived[out].clear()

    await play.run(script())


@cocotb.test()
async def cached_by_destination(dut: Any) -> None:
    """One entry of many destinations misses once for each, and after an update each is stale until the flush."""
    play = Play(Bench(dut, "cached_by_destination"))
    length = play.params.header_flits
    tags = (0x40, 0x41, 0x47)

    def sent(out: int) -> Script:
        for tag in tags:
            play.send(0, tag, length)
            yield from play.settled()
        assert len(play.arrived[out]) == length * len(tags)
        play.arrived[out].clear()

    def script() -> Script:
        yield from play.program(0x40, 1, mask=_mask(play, 0xFFF8), entry=4)
        yield from play.settled()
        for _ in range(2):
            yield from sent(1)
        assert (yield from play.counter(0, Counter.CACHE_MISSES)) == len(tags)
        assert (yield from play.counter(0, Counter.CACHE_HITS)) == len(tags)
        yield from play.program(0x40, 2, mask=_mask(play, 0xFFF8), entry=4)
        yield from sent(1)
        yield from play.flush()
        yield from sent(2)
        assert (yield from play.counter(0, Counter.CACHE_MISSES)) == 2 * len(tags)

    await play.run(script())
