"""UART of 8 data bits, no parity, 1 stop bit: a receiver and a transmitter."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from hdl.formats import ValidSignature

DATA_BITS = 8
SMALLEST_DIVISOR = 4


def check_divisor(divisor: int) -> None:
    """Refuse a bit time of too few cycles to find the middle of a bit."""
    if divisor < SMALLEST_DIVISOR:
        raise ValueError(f"divisor = {divisor}: a bit takes at least {SMALLEST_DIVISOR} cycles")


class UartReceiver(wiring.Component):
    """Receiver: samples each bit in its middle, and drops a byte whose stop bit is 0.

    Parameters
    ----------
    divisor : int
        Cycles per bit.

    Ports
    -----
    rx : In(1)
        The line, not synchronised.
    received : Out(ValidSignature(8))
        A byte, for one cycle; there is no ready.
    """

    def __init__(self, divisor: int) -> None:
        check_divisor(divisor)
        self._divisor = divisor
        super().__init__({"rx": In(1, init=1), "received": Out(ValidSignature(DATA_BITS))})

    def elaborate(self, platform: object) -> Module:
        """Build synchroniser, bit timer and shift register."""
        m = Module()
        line = Signal(init=1)
        m.submodules.synchroniser = FFSynchronizer(self.rx, line, init=1)
        timer = Signal(range(self._divisor))
        left = Signal(range(DATA_BITS + 2))
        m.d.sync += self.received.valid.eq(0)
        with m.If(timer > 0):
            m.d.sync += timer.eq(timer - 1)
        with m.FSM():
            with m.State("idle"), m.If(~line):
                # The first sample is the middle of the start bit.
                m.d.sync += [timer.eq(self._divisor // 2 - 1), left.eq(DATA_BITS)]
                m.next = "start"
            with m.State("start"), m.If(timer == 0):
                m.d.sync += timer.eq(self._divisor - 1)
                with m.If(line):
                    m.next = "idle"
                with m.Else():
                    m.next = "data"
            with m.State("data"), m.If(timer == 0):
                m.d.sync += [timer.eq(self._divisor - 1), left.eq(left - 1)]
                m.d.sync += self.received.payload.eq(Cat(self.received.payload[1:], line))
                with m.If(left == 1):
                    m.next = "stop"
            with m.State("stop"), m.If(timer == 0):
                m.d.sync += self.received.valid.eq(line)
                with m.If(line):
                    m.next = "idle"
                with m.Else():
                    m.next = "break"
            with m.State("break"), m.If(line):
                m.next = "idle"
        return m


class UartTransmitter(wiring.Component):
    """Transmitter.

    Parameters
    ----------
    divisor : int
        Cycles per bit.

    Ports
    -----
    data : In(stream.Signature(8))
        Bytes to send.
    tx : Out(1)
        The line, a register.
    """

    def __init__(self, divisor: int) -> None:
        check_divisor(divisor)
        self._divisor = divisor
        super().__init__({"data": In(stream.Signature(DATA_BITS)), "tx": Out(1, init=1)})

    def elaborate(self, platform: object) -> Module:
        """Build bit timer and shift register."""
        m = Module()
        timer = Signal(range(self._divisor))
        left = Signal(range(DATA_BITS + 3))
        bits = Signal(DATA_BITS + 1)
        m.d.comb += self.data.ready.eq(left == 0)
        with m.If(left == 0), m.If(self.data.valid):
            m.d.sync += [
                self.tx.eq(0),
                bits.eq(Cat(self.data.payload, 1)),
                left.eq(DATA_BITS + 2),
                timer.eq(self._divisor - 1),
            ]
        with m.Elif(timer > 0):
            m.d.sync += timer.eq(timer - 1)
        with m.Else():
            m.d.sync += [self.tx.eq(bits[0]), bits.eq(Cat(bits[1:], 1)), left.eq(left - 1)]
            m.d.sync += timer.eq(self._divisor - 1)
        return m
