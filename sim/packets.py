"""Packets offered to a network and packets delivered by it: the streams between traffic, engine and measurement."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.array_check import check_ints

Int64 = NDArray[np.int64]
LAST_CYCLE = 1 << 60  # largest birth cycle: times added to it still fit 64 bits
MOST_FLITS = 1 << 16  # of a packet


@dataclass(frozen=True, eq=False, slots=True)
class _Columns:
    """Arrays of equal length, sliced and concatenated together."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def __getitem__(self, rows: Any) -> Self:
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def none(cls) -> Self:
        """Return an empty batch."""
        return cls(*(np.empty(0, np.int64) for _ in fields(cls)))

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Return several batches as one, in the order given."""
        if not parts:
            return cls.none()
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


_OF_ONE_CLASS: Int64 = np.zeros(0, np.int64)


def _fill_classes(packets: Packets | Delivered, like: Int64) -> None:
    """Fill in class 0 for packets without a message class."""
    if packets.message_class is _OF_ONE_CLASS:
        try:
            count = len(like)
        except TypeError:
            count = 0  # no array, which `Packets.checked` refuses by name
        object.__setattr__(packets, "message_class", np.zeros(count, np.int64))


@dataclass(frozen=True, eq=False, slots=True)
class Packets(_Columns):
    """Packets to be sent, in order of birth. All arrays are int64 and of equal length.

    Attributes
    ----------
    birth : array
        Cycle in which the packet joins its node's source queue, nondecreasing.
    source, destination : array
        Node numbers.
    size : array
        Flits, at least 1.
    message_class : array
        Number of the message class; left out: 0.
    """

    birth: Int64
    source: Int64
    destination: Int64
    size: Int64
    message_class: Int64 = field(default_factory=lambda: _OF_ONE_CLASS)

    def __post_init__(self) -> None:
        _fill_classes(self, self.birth)

    @property
    def flits(self) -> int:
        """Number of flits of all packets."""
        return int(self.size.sum())

    def checked(self, nodes: int, earliest: int, classes: int) -> Self:
        """Return the packets as int64 arrays, after checking every assumption that the compiled code makes.

        Parameters
        ----------
        nodes : int
            Nodes of the network.
        earliest : int
            First cycle in which a packet may be born.
        classes : int
            Message classes of the network.

        Raises
        ------
        TsujiError
            If a value is invalid; the message names array, index and value.
        """
        birth = check_ints("packets.birth", self.birth, (None,), 0, LAST_CYCLE)
        count = (len(birth),)
        checked = type(self)(
            birth,
            check_ints("packets.source", self.source, count, 0, nodes - 1),
            check_ints("packets.destination", self.destination, count, 0, nodes - 1),
            check_ints("packets.size", self.size, count, 1, MOST_FLITS),
            check_ints("packets.message_class", self.message_class, count, 0, classes - 1),
        )
        early = np.flatnonzero(birth < np.maximum.accumulate(np.concatenate(([earliest], birth[:-1]))))
        if len(early):
            k = int(early[0])
            before = earliest if k == 0 else max(earliest, int(birth[k - 1]))
            raise TsujiError(
                f"packets.birth[{k}] = {birth[k]}: packets must be offered in order of birth, from cycle {before} on"
            )
        return checked


@dataclass(frozen=True, eq=False, slots=True)
class Delivered(_Columns):
    """Packets whose tail left the network, in order of `eject`. All arrays are int64 and of equal length.

    Attributes
    ----------
    source, destination, size, birth : array
        As offered.
    enter : array
        Cycle in which the head was visible on the first switch's input, minus the latency of the node's cable.
    eject : array
        Cycle in which the tail was visible on the last switch's output, plus the latency of the node's cable.
    hops : array
        Switches traversed, at least 1.
    origin : array
        Birth of the request for a reply, the packet's own birth for every other packet.
    flight : array
        Cycles that a head alone in the network spends on the links between these switches and on the nodes' cables.
    lag : array
        Cycles from that head to its tail at the last switch's output.
    message_class : array
        As offered.
    """

    source: Int64
    destination: Int64
    size: Int64
    birth: Int64
    enter: Int64
    eject: Int64
    hops: Int64
    origin: Int64
    flight: Int64
    lag: Int64
    message_class: Int64 = field(default_factory=lambda: _OF_ONE_CLASS)

    def __post_init__(self) -> None:
        _fill_classes(self, self.birth)

    @property
    def is_reply(self) -> NDArray[np.bool_]:
        """Mask of the packets that are replies."""
        return self.origin < self.birth

    @property
    def flits(self) -> int:
        """Number of flits of all packets."""
        return int(self.size.sum())

    def at_nodes(self, cable: int, replies: bool) -> Delivered:
        """Return the packets with times at the nodes instead of times at the switch ends of the nodes' cables.

        Parameters
        ----------
        cable : int
            Latency of a node's cable, cycles.
        replies : bool
            Whether there are replies: their `origin`, the birth of a request, is a time at the node already.
        """
        if not cable:
            return self
        return replace(
            self,
            birth=self.birth - cable,
            enter=self.enter - cable,
            eject=self.eject + cable,
            origin=self.origin if replies else self.origin - cable,
            flight=self.flight + 2 * cable,
        )
