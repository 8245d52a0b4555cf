"""A switch of the golden model, seen from one output port: inputs of its bypass in a cycle, and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cocotb_tests.soak.stimulus import Stimulus
from hdl import formats
from models.formats import Counter
from models.params import SwitchParams
from models.predict.predictor import predicted
from models.state.registers import NO_PORT
from models.state.vc_set import vcs_within
from models.top import FLIT, FLIT_VC, TAIL
from models.transfer.output_buffer import link_clear
from models.transfer.output_unit import claimable


@dataclass
class Before:
    """State of registers and links in a cycle. Input ports are numbered as in `formats.inputs` of the output.

    Parameters
    ----------
    named, head : list of bool
        Per input port: its predictor names the output; the flit on its link is a head.
    arrives : list of int
        Per input port: VC of the flit on its link, one-hot; 0 if a flit is buffered.
    available, has_credit : int
        VCs of the output; 0 unless a flit sent now goes straight to its link.
    connected : bool
        A packet is being sent through the output.
    owner : int or None
        Input port for which the output is preset.
    confirmed : int or None
        VC of the head that was sent speculatively in the cycle before and is right.
    shown_tail : int
        The flit in the output register is a tail.
    control : numpy.ndarray
        Inputs from the operator in this cycle.
    """

    named: list[bool]
    head: list[bool]
    arrives: list[int]
    available: int
    has_credit: int
    connected: bool
    owner: int | None
    confirmed: int | None
    shown_tail: int
    control: np.ndarray


class GoesOn(NamedTuple):
    """Input port and VC of the packet that is being sent through an output, and its output VC."""

    number: int
    vc: int
    output_vc: int


class Output:
    """A switch under random traffic.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch, without low-power idle.
    out : int
        Number of the output port.
    seed : int
        Seed of the traffic.
    position : tuple of int
        Coordinates of the switch, with computed routes.
    """

    def __init__(self, params: SwitchParams, out: int, seed: int, position: tuple[int, ...]) -> None:
        self._params, self._out = params, out
        self._run = Stimulus(params, seed, reset_odds=1 << 14, position=position)
        self._cycle = 0
        self._new = np.zeros(0)
        self.sources = formats.inputs(params, out)

    def advance(self) -> Before:
        """Advance by a cycle, and return the state before it."""
        st, o, cycle = self._run.state, self._out, self._run.cycle
        self._cycle = cycle
        output, ahead = st.output[0, o], st.prediction[0]
        named = [bool(predicted(st, 0, i, cycle) == o) for i in self.sources]
        idle = [vcs_within(st, st.filled, 0, i) == 0 for i in self.sources]
        inside, counters = st.vc["inside"][0].copy(), st.counters[0].copy()
        available, has_credit = int(claimable(st, 0, o)), int(output.credited)
        if not link_clear(st, 0, o, cycle):
            available = has_credit = 0
        goes_on = self.connection()
        owner = goes_on.number if goes_on else self._preset_for(named)
        resolved = [i for i in self.sources if self._forwarded_speculatively(i, cycle - 1) and ahead[i].confirmed]
        confirmed = int(ahead[resolved[0]].forwarded_vc) if resolved else None
        ports, control, sent, _ = self._run.block(1)
        self._new = st.counters[0] - counters
        vcs = [int(ports[0, i, FLIT_VC]) for i in self.sources]
        comes = [bool(ports[0, i, FLIT]) for i in self.sources]
        head = [come and not inside[i, v] for i, v, come in zip(self.sources, vcs, comes, strict=True)]
        arrives = [int(come and free) << v for v, come, free in zip(vcs, comes, idle, strict=True)]
        tail = int(sent[0, o, TAIL])
        return Before(
            named, head, arrives, available, has_credit, goes_on is not None, owner, confirmed, tail, control[0]
        )

    def _preset_for(self, named: list[bool]) -> int | None:
        """Return the input port for which the output is preset, while no packet is being sent through it."""
        used = int(self._run.state.prediction[0, self._out].latest) != NO_PORT
        if self._params.predicts_local and used and named[self.latest()]:
            return self.latest()
        return named.index(True) if any(named) else None

    def _forwarded_speculatively(self, i: int, cycle: int) -> bool:
        port = self._run.state.prediction[0, i]
        return bool(self._params.has_cache and port.forwarded_in == cycle and port.forwarded_out == self._out)

    def requested(self) -> bool:
        """Return whether an input VC had a request for the output."""
        return bool(int(self._run.state.switch[0].requested) >> self._out & 1)

    def sent(self) -> bool:
        """Return whether a flit was sent, other than speculatively."""
        return bool(self._run.state.prediction[0, self._out].sent_in == self._cycle)

    def connection(self) -> GoesOn | None:
        """Return the packet that is being sent through the output at the end of the cycle."""
        connected = int(self._run.state.prediction[0, self._out].connected)
        if connected == NO_PORT:
            return None
        i, v = divmod(connected, 256)
        return GoesOn(self.sources.index(i), v, int(self._run.state.vc[0, i, v].out_vc))

    def latest(self) -> int:
        """Return the input port from which the latest flit was sent, other than a speculative packet of one flit."""
        return self.sources.index(int(self._run.state.prediction[0, self._out].latest))

    def meets(self, before: Before) -> int:
        """Return the input ports, one-hot, whose head met all conditions."""
        met = 0
        for n, i in enumerate(self.sources):
            if self._params.has_cache:
                met |= int(self._forwarded_speculatively(i, self._cycle)) << n
            else:
                events = self._new[i, Counter.BYPASS_HEADS] + self._new[i, Counter.BYPASS_SQUASHED]
                met |= int(before.named[n] and events > 0) << n
        return met

    @property
    def squashed(self) -> bool:
        """Return whether a head that met all conditions was mispredicted."""
        return bool(self._new[:, Counter.BYPASS_SQUASHED].any())
