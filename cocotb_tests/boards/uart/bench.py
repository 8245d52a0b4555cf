"""UART: bytes both ways; another clock at the far end, glitches, bytes without stop bit."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values

FRAME_BITS = 10


class Transmitter:
    """Model of the transmitter: its line and its ready, cycle by cycle."""

    def __init__(self, divisor: int) -> None:
        self._divisor = divisor
        self._bits: list[int] = []
        self._line = 1
        self._left = 0  # cycles of the byte

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        ready = self._left == 0
        outputs: dict[str, int | None] = {"tx": self._line, "data_ready": int(ready)}
        if ready and inputs["data_valid"]:
            byte = inputs["data_payload"]
            self._bits = [bit for number in range(8) for bit in [byte >> number & 1] * self._divisor]
            self._bits += [1] * self._divisor
            self._line, self._left = 0, FRAME_BITS * self._divisor
            self._bits = [0] * (self._divisor - 1) + self._bits
        elif self._left:
            self._left -= 1
            self._line = self._bits.pop(0) if self._bits else 1
        return outputs


class Line:
    """The far end of the receiver's line: sends bytes with bits of any length, and says what must be received."""

    def __init__(self, period: float) -> None:
        self.period = period
        self._levels: list[int] = []

    def send(self, byte: int, stop: int = 1) -> None:
        """Queue a byte; without stop bit it is followed by a pause."""
        bits = [0, *(byte >> number & 1 for number in range(8)), stop, *([] if stop else [1, 1])]
        edges = [round(number * self.period) for number in range(len(bits) + 1)]
        for bit, begin, end in zip(bits, edges, edges[1:], strict=False):
            self._levels += [bit] * (end - begin)

    def pause(self, levels: list[int]) -> None:
        """Queue levels."""
        self._levels += levels

    def level(self) -> int:
        """Return the level of a cycle."""
        return self._levels.pop(0) if self._levels else 1

    @property
    def idle(self) -> bool:
        """Whether everything was sent."""
        return not self._levels


@cocotb.test()
async def both_ways(dut: Any) -> None:
    """Compare the transmitter with its model in every cycle, and what the receiver takes with what was sent."""
    bench = Bench(dut, "both_ways")
    divisor, draw, cover = bench.parameters["divisor"], bench.random, bench.coverage
    cover.require(["without stop bit", "glitch", "byte after byte"])
    line, expected = Line(divisor), list[int]()
    transmitter = Transmitter(divisor)

    def stimulus(cycle: int, seen: Values) -> Values:
        if seen.get("received_valid"):
            assert expected, f"cycle {cycle}: {seen['received_payload']:#x} was never sent"
            wanted = expected.pop(0)
            assert seen["received_payload"] == wanted, f"cycle {cycle}: {seen['received_payload']:#x}, not {wanted:#x}"
        if line.idle and cycle < bench.cycles - 40 * divisor:
            # A clock that is up to 3 % off moves the last sample by less than half a bit.
            line.period = divisor * draw.uniform(0.97, 1.03)
            byte, kind = draw.getrandbits(8), draw.random()
            if kind < 0.1:
                line.send(byte, stop=0)
                line.pause([1] * (2 * divisor))
                cover.hit("without stop bit")
            elif kind < 0.2:
                line.pause([0] * draw.randint(1, max(1, divisor // 2 - 2)) + [1] * (2 * divisor))
                cover.hit("glitch")
            else:
                expected.append(byte)
                line.send(byte)
                rest = draw.choice([0, 0, draw.randint(1, 3 * divisor)])
                cover.hit("byte after byte", rest == 0)
                line.pause([1] * rest)
        return {"rx": line.level(), "data_valid": draw.random() < 0.1, "data_payload": draw.getrandbits(8)}

    def model(inputs: Values) -> dict[str, int | None]:
        return transmitter(inputs) | {"received_valid": None, "received_payload": None}

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)
    assert not expected, f"{len(expected)} bytes were not received"
