"""Manager of an AXI4-Lite bus, which pauses at random on all five channels."""

from __future__ import annotations

import logging
import random
from typing import Any

from cocotb.task import bridge, resume
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from cocotb_tests.bfm.stall import stalls
from models.params import SwitchParams
from models.register_driver import RegisterDriver


class Manager:
    """Manager of the bus `s_axil_…` of a design.

    Parameters
    ----------
    dut : cocotb handle
        Top level of the simulation.
    pattern : str
        Pattern of the pauses (`cocotb_tests.bfm.stall`).
    source : random.Random
        Random numbers.
    """

    def __init__(self, dut: Any, pattern: str, source: random.Random) -> None:
        logging.getLogger(f"cocotb.{dut._name}.s_axil").setLevel(logging.WARNING)
        self._master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        writes, reads = self._master.write_if, self._master.read_if
        channels = writes.aw_channel, writes.w_channel, writes.b_channel, reads.ar_channel, reads.r_channel
        for channel in channels:
            channel.log.setLevel(logging.WARNING)
            channel.set_pause_generator(stalls(pattern, random.Random(source.random())))

    async def read(self, address: int) -> tuple[int, int]:
        """Return the response to the read of a word, and the word."""
        answer = await self._master.read(address, 4)
        return int(answer.resp), int.from_bytes(answer.data, "little")

    async def write(self, address: int, value: int, size: int = 4) -> int:
        """Return the response to the write of `size` bytes from `address` on, within a word."""
        answer = await self._master.write(address, value.to_bytes(size, "little"))
        return int(answer.resp)

    def driver(self, params: SwitchParams, **options: Any) -> Driven:
        """Return the driver of a switch on this bus; options as of `RegisterDriver`."""

        @resume
        async def read(address: int) -> int:
            response, value = await self.read(address)
            assert response == 0, f"read of {address:#x}: response {response}"
            return value

        @resume
        async def write(address: int, value: int) -> None:
            response = await self.write(address, value)
            assert response == 0, f"write of {address:#x}: response {response}"

        return Driven(RegisterDriver(params, read, write, **options))


class Driven:
    """A driver whose methods are awaited: they run beside the simulation, which goes on until they return."""

    def __init__(self, driver: RegisterDriver) -> None:
        self._driver = driver

    def __getattr__(self, name: str) -> Any:
        return bridge(getattr(self._driver, name))
