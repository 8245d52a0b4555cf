import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cocotb_tests.runner.run_bench import run_bench
from hdl.formats import ValidSignature
from synth.boards.uart import UartReceiver, UartTransmitter


class Uart(wiring.Component):
    """Both directions, with the ports of both."""

    def __init__(self, divisor: int) -> None:
        self._divisor = divisor
        super().__init__(
            {
                "rx": In(1, init=1),
                "tx": Out(1, init=1),
                "data": In(stream.Signature(8)),
                "received": Out(ValidSignature(8)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.receiver = receiver = UartReceiver(self._divisor)
        m.submodules.transmitter = transmitter = UartTransmitter(self._divisor)
        m.d.comb += [receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx)]
        connect(m, receiver.received, flipped(self.received))
        connect(m, transmitter.data, flipped(self.data))
        return m


@pytest.mark.parametrize("divisor", [8, 13])
def test_uart(divisor: int) -> None:
    run_bench(Uart(divisor), "cocotb_tests.boards.uart.bench", str(divisor), {"divisor": divisor}, 8000)


@pytest.mark.parametrize("kind", [UartReceiver, UartTransmitter])
def test_a_bit_without_a_middle_is_refused(kind: type) -> None:
    with pytest.raises(ValueError, match="divisor = 3: a bit takes at least 4 cycles"):
        kind(3)
