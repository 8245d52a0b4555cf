"""Packets that pass a switch one after the other; all outputs are compared with the model, as in any bench."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.switch.play import Play, Script


@cocotb.test()
async def one_by_one(dut: Any) -> None:
    """Program the given routes, and send the given packets, each when the one before has left."""
    play = Play(Bench(dut, "one_by_one"))
    given = play.bench.parameters

    def script() -> Script:
        for tag, out in given["routes"]:
            yield from play.program(tag, out)
        yield from play.settled()
        for tag in given["tags"]:
            play.send(given["port"], tag, given["flits"])
            yield from play.settled()

    await play.run(script())
