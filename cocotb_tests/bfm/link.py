"""Bus models of the two ends of a link (microarchitecture.md, section 2).

A `Source` sends packets into a design; a `Sink` takes packets out and returns credits. Both obey flow control, and
raise when the design does not. In each cycle they get the design's outputs of the cycle before, and return inputs.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from models import formats
from models.params import SwitchParams

Values = dict[str, int]


@dataclass(frozen=True)
class Flit:
    """One flit on a link."""

    vc: int
    tail: int
    data: int

    def word(self, params: SwitchParams) -> int:
        """Return the flit as a link carries it."""
        return formats.pack(formats.flit(params), {"vc": self.vc, "tail": self.tail, "data": self.data})

    @staticmethod
    def read(params: SwitchParams, word: int) -> Flit:
        """Return the flit of a link's payload."""
        return Flit(**formats.unpack(formats.flit(params), word))


def packet(params: SwitchParams, vc: int, tag: int, flits: int, source: random.Random) -> list[Flit]:
    """Return a packet: its tag in the header flits, low bits first, random bits elsewhere.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch, for widths.
    vc : int
        Virtual channel.
    tag : int
        Destination tag.
    flits : int
        Number of flits; fewer than the header has make the packet malformed.
    source : random.Random
        Random numbers for the other bits.
    """
    width = params.data_width
    data = [source.getrandbits(width) for _ in range(flits)]
    for j in range(min(flits, params.header_flits)):
        bits = min(width, params.tag_width - j * width)
        part = (tag >> (j * width)) & ((1 << bits) - 1)
        data[j] = data[j] >> bits << bits | part
    return [Flit(vc, int(number == flits - 1), word) for number, word in enumerate(data)]


class Source:
    """Sender of flits: one queue per VC, packets of different VCs interleaved at random.

    Parameters
    ----------
    params : SwitchParams
        Widths, VCs, and depth, the initial credits per VC.
    prefix : str
        Name of the port of the design that receives the flits.
    stall : iterator of bool
        For each cycle, whether to pause.
    source : random.Random
        Random choices.
    """

    def __init__(self, params: SwitchParams, prefix: str, stall: Iterator[bool], source: random.Random) -> None:
        self._params, self._prefix, self._stall, self._random = params, prefix, stall, source
        self.reset()

    def reset(self) -> None:
        """Drop all packets, and restore all credits."""
        self.queues: list[deque[Flit]] = [deque() for _ in range(self._params.vcs)]
        self.credits = [self._params.depth] * self._params.vcs

    def push(self, flits: list[Flit]) -> None:
        """Queue a packet."""
        self.queues[flits[0].vc].extend(flits)

    def observe(self, outputs: Values) -> None:
        """Accept the credit in the design's outputs.

        Raises
        ------
        AssertionError
            If there are more credits than buffer places.
        """
        if outputs.get(f"{self._prefix}_credit_valid"):
            vc = outputs[f"{self._prefix}_credit_payload"]
            assert vc < self._params.vcs, f"{self._prefix}: credit for VC {vc} of {self._params.vcs}"
            self.credits[vc] += 1
            assert self.credits[vc] <= self._params.depth, f"{self._prefix}: a credit too many for VC {vc}"

    def drive(self) -> Values:
        """Return the inputs of this cycle: a flit, if one may be sent."""
        ready = [vc for vc, queue in enumerate(self.queues) if queue and self.credits[vc]]
        if next(self._stall) or not ready:
            return {}
        vc = self._random.choice(ready)
        self.credits[vc] -= 1
        word = self.queues[vc].popleft().word(self._params)
        return {f"{self._prefix}_flit_valid": 1, f"{self._prefix}_flit_payload": word}


class Sink:
    """Receiver of flits: buffers them for a while, then returns credits in any order of VCs.

    Parameters
    ----------
    params : SwitchParams
        Widths, VCs, depth.
    prefix : str
        Name of the port of the design that sends the flits.
    stall : iterator of bool
        For each cycle, whether to return no credit.
    source : random.Random
        Random choices.

    Attributes
    ----------
    received : list of Flit
        All flits received, in order.
    """

    def __init__(self, params: SwitchParams, prefix: str, stall: Iterator[bool], source: random.Random) -> None:
        self._params, self._prefix, self._stall, self._random = params, prefix, stall, source
        self.reset()

    def reset(self) -> None:
        """Forget all flits."""
        self.received: list[Flit] = []
        self.buffered = [0] * self._params.vcs

    def observe(self, outputs: Values) -> Flit | None:
        """Accept the flit in the design's outputs.

        Raises
        ------
        AssertionError
            If it was sent without a credit.
        """
        if not outputs.get(f"{self._prefix}_flit_valid"):
            return None
        flit = Flit.read(self._params, outputs[f"{self._prefix}_flit_payload"])
        assert flit.vc < self._params.vcs, f"{self._prefix}: flit on VC {flit.vc} of {self._params.vcs}"
        self.received.append(flit)
        self.buffered[flit.vc] += 1
        assert self.buffered[flit.vc] <= self._params.depth, f"{self._prefix}: flit on VC {flit.vc} without a credit"
        return flit

    def drive(self) -> Values:
        """Return the inputs of this cycle: a credit, if one may be returned."""
        full = [vc for vc, count in enumerate(self.buffered) if count]
        if next(self._stall) or not full:
            return {}
        vc = self._random.choice(full)
        self.buffered[vc] -= 1
        return {f"{self._prefix}_credit_valid": 1, f"{self._prefix}_credit_payload": vc}
