"""Lines of collectives in time-independent traces: their fields, and checks that ranks agree.

A form lists the fields after the action's name: `count` and `flops`, `root`, `type`, and lists of one count per rank.
Flops of a reduction are calculated after it, as in SimGrid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.schedule.collectives.rounds import split
from sim.schedule.ti.types import TYPE_SIZES

Values = dict[str, Any]


class Form(NamedTuple):
    """The fields of a collective's line.

    Attributes
    ----------
    collective : str
        Collective, as named in `sim.schedule.collectives`.
    fields : tuple of str
        Names in order; one that ends in `s` is a list of one count per rank.
    same : dict
        What must be equal in all ranks: a name for messages, and a function of the line's values.
    linear : bool
        Whether only the root knows all sizes, so that only the algorithm `linear` can move the blocks.
    """

    collective: str
    fields: tuple[str, ...]
    same: dict[str, Callable[[Values], int | tuple[int, ...]]]
    linear: bool = False


def _bytes(count: str, kind: str) -> Callable[[Values], int]:
    return lambda line: line[count] * TYPE_SIZES[line[kind]]


_ROOT: dict[str, Callable[[Values], int | tuple[int, ...]]] = {"root": lambda line: line["root"]}
_COUNT: dict[str, Callable[[Values], int | tuple[int, ...]]] = {"bytes": _bytes("count", "type")}
_SENT: dict[str, Callable[[Values], int | tuple[int, ...]]] = {"bytes": _bytes("send", "sendtype")}
_RECEIVED: dict[str, Callable[[Values], int | tuple[int, ...]]] = {"bytes": _bytes("receive", "recvtype")}

FORMS: dict[str, Form] = {
    "barrier": Form("barrier", (), {}),
    "bcast": Form("bcast", ("count", "root", "type"), _COUNT | _ROOT),
    "reduce": Form("reduce", ("count", "flops", "root", "type"), _COUNT | _ROOT),
    "allreduce": Form("allreduce", ("count", "flops", "type"), _COUNT),
    "scan": Form("scan", ("count", "flops", "type"), _COUNT),
    "alltoall": Form("alltoall", ("send", "receive", "sendtype", "recvtype"), _SENT),
    "alltoallv": Form("alltoallv", ("sendbuffer", "sends", "recvbuffer", "receives", "sendtype", "recvtype"), {}),
    "gather": Form("gather", ("send", "receive", "root", "sendtype", "recvtype"), _SENT | _ROOT),
    "scatter": Form("scatter", ("send", "receive", "root", "sendtype", "recvtype"), _RECEIVED | _ROOT),
    "allgather": Form("allgather", ("send", "receive", "sendtype", "recvtype"), _SENT),
    "gatherv": Form("gather", ("send", "receives", "root", "sendtype", "recvtype"), _ROOT, linear=True),
    "scatterv": Form("scatter", ("sends", "receive", "root", "sendtype", "recvtype"), _ROOT, linear=True),
    "allgatherv": Form(
        "allgather",
        ("send", "receives", "sendtype", "recvtype"),
        {"bytes": lambda line: tuple(count * TYPE_SIZES[line["recvtype"]] for count in line["receives"])},
    ),
    "reducescatter": Form(
        "reduce_scatter",
        ("counts", "flops", "type"),
        {"bytes": lambda line: tuple(count * TYPE_SIZES[line["type"]] for count in line["counts"])},
    ),
}


def usage(action: str) -> str:
    """Return the format of a collective's line."""
    return " ".join(
        (
            action,
            *(f"<{name[:-1]} of each rank …>" if name.endswith("s") else f"<{name}>" for name in FORMS[action].fields),
        )
    )


def parse(action: str, fields: list[bytes], ranks: int) -> Values:
    """Return the values of the fields after a collective's name.

    Raises
    ------
    ValueError
        If a field is invalid; the message names it.
    """
    line: Values = {}
    place = 0
    for name in FORMS[action].fields:
        if name.endswith("s") and name != "flops":
            texts = fields[place : place + ranks]
            place += ranks
            if len(texts) < ranks:
                raise ValueError(f"{len(texts)} of {ranks} counts of {name}")
            line[name] = [_count(name, text) for text in texts]
        else:
            if place >= len(fields):
                raise ValueError(f"no {name}")
            text = fields[place]
            place += 1
            line[name] = float(text) if name == "flops" else _count(name, text)
            if name.endswith("type") and line[name] not in TYPE_SIZES:
                raise ValueError(f"type {line[name]} is not one of 0 to 55 that have a size")
            if name == "root" and line[name] >= ranks:
                raise ValueError(f"root {line[name]} is not a rank from 0 to {ranks - 1}")
    if place < len(fields):
        raise ValueError(f"{len(fields) - place} fields too many")
    return line


def _count(name: str, text: bytes) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(f"{name} = {value} is negative")
    return value


def blocks(action: str, line: Values, rank: int, ranks: int, segments: Callable[[int, int], int]) -> tuple[int, ...]:
    """Return the bytes of each block that a collective moves; one number if all are equal.

    For an alltoallv these are the blocks that the rank sends, by destination; for a gatherv its own; for a scatterv
    those of the root. `segments(elements, size)` returns the number of segments of a message.
    """
    if "count" in line:
        size = TYPE_SIZES[line["type"]]
        if action == "scan":
            return (line["count"] * size,)
        return tuple(part * size for part in split(line["count"], segments(line["count"], size)))
    if action == "reducescatter":
        return tuple(count * TYPE_SIZES[line["type"]] for count in line["counts"])
    if action == "barrier":
        return (0,)
    if action == "allgatherv":
        return tuple(count * TYPE_SIZES[line["recvtype"]] for count in line["receives"])
    if action in ("alltoallv", "scatterv"):
        return tuple(count * TYPE_SIZES[line["sendtype"]] for count in line["sends"])
    if action == "scatter":
        return (line["receive"] * TYPE_SIZES[line["recvtype"]],)
    return (line["send"] * TYPE_SIZES[line["sendtype"]],)


@dataclass
class _Call:
    """A collective that not all ranks have called yet."""

    action: str
    place: str
    same: dict[str, int | tuple[int, ...]]
    called: int = 0
    sent: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    received: dict[int, NDArray[np.int64]] = field(default_factory=dict)


class Agreement:
    """Checks that all ranks call the same collectives in the same order with matching counts.

    Its memory grows with the number of collectives that only some ranks have called.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._calls: dict[int, _Call] = {}

    def enter(self, number: int, rank: int, action: str, line: Values, place: str) -> None:
        """Record the line of a rank's collective `number`; `place` is the file and line.

        Raises
        ------
        TsujiError
            If it contradicts another rank's line.
        """
        same = {name: value(line) for name, value in FORMS[action].same.items()}
        call = self._calls.setdefault(number, _Call(action, place, same))
        if action != call.action:
            raise TsujiError(f"{place}: {action}, where {call.place} has {call.action}: ranks must call the same")
        for name, value in same.items():
            if value != call.same[name]:
                raise TsujiError(
                    f"{place}: {action} of {name} {_listed(value)}, where {call.place} has {_listed(call.same[name])}: "
                    "must be the same for all ranks"
                )
        self._enter_counts(call, rank, action, line, place)
        call.called += 1
        if call.called == self._ranks:
            self._check_counts(call)
            del self._calls[number]

    def _enter_counts(self, call: _Call, rank: int, action: str, line: Values, place: str) -> None:
        """Store counts that must match other ranks', and check those within the line."""
        if "sendtype" not in line:
            return
        sent = np.array(line.get("sends", line.get("send")), np.int64) * TYPE_SIZES[line["sendtype"]]
        received = np.array(line.get("receives", line.get("receive")), np.int64) * TYPE_SIZES[line["recvtype"]]
        at_root = "root" not in line or line["root"] == rank
        if action in ("alltoall", "allgather") or (action in ("gather", "scatter") and at_root):
            if sent != received:
                raise TsujiError(
                    f"{place}: {action} sends {sent} bytes per rank and receives {received}: must be the same"
                )
        elif action == "allgatherv":
            if sent != received[rank]:
                raise TsujiError(f"{place}: {action} sends {sent} bytes, of which {received[rank]} are received")
        elif action in ("alltoallv", "gatherv", "scatterv"):
            if at_root or action == "gatherv":
                call.sent[rank] = sent
            if at_root or action == "scatterv":
                call.received[rank] = received

    def _check_counts(self, call: _Call) -> None:
        """Refuse parts whose sent and expected sizes differ."""
        sources = list(call.sent)
        sent = np.array([call.sent[source] for source in sources])
        for destination, received in call.received.items():
            out = sent[:, destination] if sent.ndim > 1 else sent
            into = np.broadcast_to(received[sources] if received.ndim else received, out.shape)
            if (wrong := np.flatnonzero(out != into)).size:
                first = wrong[0]
                raise TsujiError(
                    f"{call.place}: {call.action}: rank {sources[first]} sends {out[first]} bytes to rank "
                    f"{destination}, which receives {into[first]}"
                )


def _listed(value: int | tuple[int, ...]) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
