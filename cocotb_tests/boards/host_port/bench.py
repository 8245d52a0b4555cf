"""Host port: good frames among noise, cut and changed ones; only what a good frame says is ever written or answered."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from synth.boards import host_frame as frame

KINDS = ("good", "noise", "cut", "changed bit", "wrong operation", "too many words", "host goes away")


def word_at(address: int) -> int:
    """Return what the bus answers at an address."""
    return (address * 0x9E3779B1 ^ 0x5BD1E995) & 0xFFFFFFFF


class Host:
    """A host that sends good and broken frames, and knows which writes and which answers must follow."""

    def __init__(self, bench: Bench) -> None:
        self._draw = bench.random
        self._cover = bench.coverage
        self._timeout = bench.parameters["timeout"]
        self._bytes: deque[int | None] = deque()  # None: a cycle without a byte
        self.writes: deque[tuple[int, int]] = deque()
        self.answer: deque[int] = deque()
        self._sequence = 0

    @property
    def waits(self) -> bool:
        """Whether an answer or a write is still to come, or bytes to be sent."""
        return bool(self._bytes or self.writes or self.answer)

    def next_byte(self) -> int | None:
        """Return the byte of this cycle."""
        return self._bytes.popleft() if self._bytes else None

    def begin(self, kind: str) -> None:
        """Queue something of a kind, then the silence after which the port must be back at the first byte."""
        draw = self._draw
        self._cover.hit(kind)
        if kind == "noise":
            self._send(bytes(draw.getrandbits(8) for _ in range(draw.randint(1, 60))), broken=True)
            return
        operation = draw.choice([frame.WRITE, frame.READ])
        most = frame.MOST_WRITTEN if operation == frame.WRITE else 12
        count, address = draw.randint(1, most), draw.getrandbits(24)
        words = [draw.getrandbits(32) for _ in range(count)] if operation == frame.WRITE else []
        self._sequence = self._sequence + 1 & 0xFF
        if kind == "wrong operation":
            operation = draw.choice([0, 3, 0x81, 255])
        if kind == "too many words":
            operation, count = draw.choice([(frame.WRITE, frame.MOST_WRITTEN + 1), (frame.READ, 0), (frame.WRITE, 0)])
            words = [draw.getrandbits(32) for _ in range(count)] if operation == frame.WRITE else []
        sent = frame.request(operation, self._sequence, count, address, words)
        if kind in ("cut", "host goes away"):
            cut = draw.randint(1, len(sent) - 1)
            sent = sent[:cut] if kind == "host goes away" or draw.random() < 0.5 else sent[cut:]
        elif kind == "changed bit":
            bit = draw.randrange(8 * len(sent))
            sent = (int.from_bytes(sent, "little") ^ 1 << bit).to_bytes(len(sent), "little")
        elif kind == "good":
            addresses = [address + number & 0xFFFFFF for number in range(count)]
            self.writes.extend(zip(addresses, words, strict=False))
            read = [] if words else [word_at(each) for each in addresses]
            self.answer.extend(frame.answer(operation, self._sequence, count, read))
        self._send(sent, broken=kind != "good")

    def _send(self, sent: bytes, broken: bool) -> None:
        gap = self._draw.choice([1, 3])
        for byte in sent:
            self._bytes.extend([None] * gap)
            self._bytes.append(byte)
        if broken:
            self._bytes.extend([None] * (self._timeout + 2))


@cocotb.test()
async def frames(dut: Any) -> None:
    """Check that after whatever was broken the next good frame is executed, and that nothing else ever is."""
    bench = Bench(dut, "frames")
    draw, cover, latency = bench.random, bench.coverage, bench.parameters["read_latency"]
    cover.require([*KINDS, "write", "read"])
    host = Host(bench)
    addresses: deque[int] = deque([0] * latency, maxlen=latency)
    ready = [0]

    def stimulus(cycle: int, seen: Values) -> Values:
        if seen:
            if seen["write"]:
                cover.hit("write")
                assert host.writes, f"cycle {cycle}: wrote {seen['write_data']:#x} at {seen['address']:#x}"
                assert (seen["address"], seen["write_data"]) == host.writes.popleft(), f"cycle {cycle}"
            if seen["sent_valid"] and ready[0]:
                cover.hit("read", len(host.answer) > frame.answer_bytes(frame.WRITE, 1))
                assert host.answer, f"cycle {cycle}: answered {seen['sent_payload']:#x}"
                assert seen["sent_payload"] == host.answer.popleft(), f"cycle {cycle}"
            addresses.append(seen["address"])
        if not host.waits and cycle < bench.cycles - 3000:
            host.begin(draw.choice(KINDS) if draw.random() < 0.6 else "good")
        byte = host.next_byte()
        ready[0] = int(draw.random() < 0.3)
        # A register file of this latency: what it answers was addressed `latency` cycles ago.
        inputs = {"sent_ready": ready[0], "read_data": word_at(addresses[0])}
        return inputs if byte is None else inputs | {"received_valid": 1, "received_payload": byte}

    def model(inputs: Values) -> dict[str, None]:
        names = ("address", "write", "write_data", "captured", "sent_valid", "sent_payload")
        return dict.fromkeys(names)

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)
    assert not host.waits, f"{len(host.writes)} words not written, {len(host.answer)} bytes not answered"
