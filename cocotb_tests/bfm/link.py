"""Bus models of a link's two ends (microarchitecture.md, section 2).

A `Source` sends packets into a design, an `Sink` takes them out and gives credits back. Both keep to the credits and
raise when the other side does not. Per cycle each is told the design's outputs of the cycle before, and returns inputs.
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
        """Return it as a link carries it."""
        return formats.pack(formats.flit(params), {"vc": self.vc, "tail": self.tail, "data": self.data})

    @staticmethod
    def read(params: SwitchParams, word: int) -> Flit:
        """Return the flit that a link carries."""
        return Flit(**formats.unpack(formats.flit(params), word))


def packet(params: SwitchParams, vc: int, tag: int, flits: int, source: random.Random) -> list[Flit]:
    """Return a packet: its tag in the header flits, low bits first, random bits elsewhere.

    Parameters
    ----------
    params : SwitchParams
        Widths.
    vc : int
        Virtual channel.
    tag : int
        Destination tag.
    flits : int
        Length; shorter than the header makes it malformed.
    source : random.Random
        Random bits.
    """
    width = params.data_width
    data = [source.getrandbits(width) for _ in range(flits)]
    for j in range(min(flits, params.header_flits)):
        bits = min(width, params.tag_width - j * width)
        part = (tag >> (j * width)) & ((1 << bits) - 1)
        data[j] = data[j] >> bits << bits | part
    return [Flit(vc, int(number == flits - 1), word) for number, word in enumerate(data)]


class Source:
    """Sender of flits: one queue a VC, packets of different VCs interleaved at random.

    Parameters
    ----------
    params : SwitchParams
        Widths, VCs, depth (the credits it starts with).
    prefix : str
        Name of the link's port on the design, which receives flits there.
    stall : iterator of bool
        Cycles in which to pause.
    source : random.Random
        Random choices.
    """

    def __init__(self, params: SwitchParams, prefix: str, stall: Iterator[bool], source: random.Random) -> None:
        self._params, self._prefix, self._stall, self._random = params, prefix, stall, source
        self.reset()

    def reset(self) -> None:
        """Forget all packets; have all credits."""
        self.queues: list[deque[Flit]] = [deque() for _ in range(self._params.vcs)]
        self.credits = [self._params.depth] * self._params.vcs

    def push(self, flits: list[Flit]) -> None:
        """Queue a packet."""
        self.queues[flits[0].vc].extend(flits)

    def observe(self, outputs: Values) -> None:
        """Take the credit in the design's outputs.

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
        """Return the inputs of this cycle: a flit, if one may go."""
        ready = [vc for vc, queue in enumerate(self.queues) if queue and self.credits[vc]]
        if next(self._stall) or not ready:
            return {}
        vc = self._random.choice(ready)
        self.credits[vc] -= 1
        word = self.queues[vc].popleft().word(self._params)
        return {f"{self._prefix}_flit_valid": 1, f"{self._prefix}_flit_payload": word}


class Sink:
    """Receiver of flits: keeps them a while, then returns credits in any order of VCs.

    Parameters
    ----------
    params : SwitchParams
        Widths, VCs, depth.
    prefix : str
        Name of the link's port on the design, which sends flits there.
    stall : iterator of bool
        Cycles in which no credit is returned.
    source : random.Random
        Random choices.

    Attributes
    ----------
    received : list of Flit
        All flits, in order.
    """

    def __init__(self, params: SwitchParams, prefix: str, stall: Iterator[bool], source: random.Random) -> None:
        self._params, self._prefix, self._stall, self._random = params, prefix, stall, source
        self.reset()

    def reset(self) -> None:
        """Forget all flits."""
        self.received: list[Flit] = []
        self.buffered = [0] * self._params.vcs

    def observe(self, outputs: Values) -> Flit | None:
        """Take the flit in the design's outputs.

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
        """Return the inputs of this cycle: a credit, if one may go."""
        full = [vc for vc, count in enumerate(self.buffered) if count]
        if next(self._stall) or not full:
            return {}
        vc = self._random.choice(full)
        self.buffered[vc] -= 1
        return {f"{self._prefix}_credit_valid": 1, f"{self._prefix}_credit_payload": vc}
