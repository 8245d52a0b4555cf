"""Output queues: flits as fast as queues have room, credits that come and go; link, room and levels in every cycle."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench, Values
from models.params import SwitchParams
from models.reset import reset
from models.transfer.output_queue import choose_queued, dequeue, leaving, pass_or_queue


class OutputQueue:
    """Model: output port 0 of a switch, whose credits are inputs."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)
        self._cycle = 0
        self._on_link: int | None = None
        self._queues: list[list[int]] = [[] for _ in range(params.vcs)]

    @property
    def room(self) -> int:
        """VCs whose queue has room for a flit."""
        return int(self._state.output[0, 0].credited)

    @property
    def nonempty(self) -> int:
        """VCs whose queue holds a flit."""
        return int(self._state.output_queue[0, 0].waiting)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        st, seen = self._state, self._registers()
        st.output_queue[0, 0].linked = inputs["has_credit"]
        st.credits[0, 0] = self._params.depth
        choose_queued(st, 0, self._cycle)
        self._on_link, loads = None, 0
        if inputs["flit_valid"]:
            flit = Flit.read(self._params, inputs["flit_payload"])
            # The model's flit is the head bit that a queue keeps beside it, and the number of its payload.
            if pass_or_queue(st, 0, 0, flit.vc, flit.data & 0xFF, flit.tail):
                self._on_link, loads = inputs["flit_payload"], 1 << flit.vc
            else:
                self._queues[flit.vc].append(inputs["flit_payload"])
        if leaving(st, 0) & 1:
            vc, taken = dequeue(st, 0, 0)
            self._on_link, loads = self._queues[vc].pop(0), 1 << vc
            kept = Flit.read(self._params, self._on_link)
            assert taken == (kept.data & 0xFF) << 1 | kept.tail, "the model takes another flit from its queue"
        if inputs["rst"]:
            reset(st, 0, self._cycle)
            self._on_link = None
            self._queues = [[] for _ in self._queues]
        self._cycle += 1
        return seen | {"loads": loads}

    def _registers(self) -> dict[str, int | None]:
        link = {"link_valid": int(self._on_link is not None), "link_payload": self._on_link}
        return link | {"room": self.room, "nonempty": self.nonempty}


@cocotb.test()
async def flits(dut: Any) -> None:
    """Flits and credits in all proportions; resets."""
    bench = Bench(dut, "flits")
    params = SwitchParams(**bench.parameters["switch"])
    model = OutputQueue(params)
    draw, cover = bench.random, bench.coverage
    every = (1 << params.vcs) - 1
    cover.require(["passes an empty queue", "waits for a credit", "no room", "all full"])
    cover.require(["waits though it has one"] if params.vcs > 1 or params.output_flits > 1 else [])
    cover.require(["enters as one leaves"] if params.output_flits > 1 else [])
    cover.require(["several may go", "passes those that wait"] if params.vcs > 1 else [])
    cover.require(["reset with flits in it"])

    def stimulus(cycle: int, seen: Values) -> Values:
        # Flits and credits: many and few, few and many, as many of both.
        odds = (0.9, 0.2), (0.3, 0.8), (1.0, 0.02), (0.8, 0.7), (1.0, 1.0)
        sending, crediting = odds[cycle // (64 + 2 * params.vcs * params.output_flits) % len(odds)]
        room, nonempty = model.room, model.nonempty
        credits = sum(1 << vc for vc in range(params.vcs) if draw.random() < crediting)
        open_vcs = [vc for vc in range(params.vcs) if room >> vc & 1]
        flit = Flit(draw.choice(open_vcs or [0]), draw.getrandbits(1), draw.getrandbits(params.data_width))
        send = bool(open_vcs) and draw.random() < sending
        goes = nonempty & credits
        cover.hit("no room", room != every)
        cover.hit("all full", room == 0)
        mine = send << flit.vc
        passes = not goes and mine & credits & ~nonempty
        cover.hit("passes an empty queue", passes)
        cover.hit("waits for a credit", mine & ~credits)
        if params.vcs > 1:
            cover.hit("several may go", goes & (goes - 1))
            cover.hit("passes those that wait", passes and nonempty)
        if params.vcs > 1 or params.output_flits > 1:
            cover.hit("waits though it has one", goes and mine & credits)
        if params.output_flits > 1:
            cover.hit("enters as one leaves", mine and goes == mine)
        reset_now = draw.random() < 0.003
        cover.hit("reset with flits in it", reset_now and nonempty)
        inputs = {"flit_valid": int(send), "flit_payload": flit.word(params), "has_credit": credits}
        return inputs | {"rst": int(reset_now)}

    await bench.start()
    await bench.random_traffic(stimulus, model)
