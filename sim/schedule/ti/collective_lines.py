"""Lines of collectives in time-independent traces: their fields, and checks that ranks agree.

A form lists the fields after the action's name: `count` and `flops`, `root`, `type`, and lists of one count per rank.
As in SimGrid, root and types may be left out at the end of the line, and flops of a reduction are calculated after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.schedule.collectives.rounds import split
from sim.schedule.ti.fields import read_count, read_whole
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
    "exscan": Form("scan", ("count", "flops", "type"), _COUNT),
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


def _is_list(name: str) -> bool:
    return name.endswith("s") and name != "flops"


def _is_optional(name: str) -> bool:
    return name == "root" or name.endswith("type")


def usage(action: str) -> str:
    """Return the format of a collective's line."""
    words = [action]
    for name in FORMS[action].fields:
        words.append(f"<{name[:-1]} of each rank …>" if _is_list(name) else f"<{name}>")
        if _is_optional(name):
            words[-1] = f"[{words[-1]}]"
    return " ".join(words)


def parse(action: str, fields: list[bytes], ranks: int, default: int) -> Values:
    """Return the values of the fields after a collective's name; `default` is the type where the line says none.

    Raises
    ------
    ValueError
        If a field is invalid; the message names it.
    """
    line: Values = {}
    if action == "allgatherv":
        fields = _without_displacements(fields, ranks)
    place = 0
    for name in FORMS[action].fields:
        if _is_list(name):
            texts = fields[place : place + ranks]
            place += ranks
            if len(texts) < ranks:
                raise ValueError(f"{len(texts)} of {ranks} counts of {name}")
            line[name] = [_positive(name, text) for text in texts]
        elif place < len(fields):
            line[name] = _value(name, fields[place], ranks)
            place += 1
        elif _is_optional(name):
            line[name] = 0 if name == "root" else default
        else:
            raise ValueError(f"no {name}")
    if place < len(fields):
        raise ValueError(f"{len(fields) - place} fields too many")
    return line


def _without_displacements(fields: list[bytes], ranks: int) -> list[bytes]:
    """Return the fields of an allgatherv without the displacements at its end, which may follow types or counts."""
    least = 1 + ranks
    for typed in (least + 2, least):
        if ranks > 2 and len(fields) == typed + ranks:
            return fields[:typed]
    return fields


def _value(name: str, text: bytes, ranks: int) -> int | bytes:
    if name == "flops":
        return text
    if not _is_optional(name):
        return _positive(name, text)
    value = read_whole(name, text)
    if name == "root" and not 0 <= value < ranks:
        raise ValueError(f"root {value} is not a rank from 0 to {ranks - 1}")
    if name != "root" and value not in TYPE_SIZES:
        raise ValueError(f"type {value} is not one of 0 to {max(TYPE_SIZES)} that have a size")
    return value


def _positive(name: str, text: bytes) -> int:
    value = read_count(name, text)
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
        if action in ("scan", "exscan"):
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
    """A collective that not all ranks have called yet; `place` is the rank and line of the first that did."""

    action: str
    place: tuple[int, int]
    same: dict[str, int | tuple[int, ...]]
    called: int = 0
    sent: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    received: dict[int, NDArray[np.int64]] = field(default_factory=dict)


class Agreement:
    """Checks that all ranks call the same collectives in the same order with matching counts.

    Its memory grows with the number of collectives that only some ranks have called.

    Parameters
    ----------
    ranks : int
    name_of : callable
        Returns the name of a rank's line for messages.
    """

    def __init__(self, ranks: int, name_of: Callable[[int, int], str]) -> None:
        self._ranks = ranks
        self._name_of = name_of
        self._calls: dict[int, _Call] = {}

    def enter(self, number: int, rank: int, action: str, line: Values, at: int) -> None:
        """Record the line of a rank's collective `number`, which is its line `at`.

        Raises
        ------
        TsujiError
            If it contradicts another rank's line.
        """
        same = {name: value(line) for name, value in FORMS[action].same.items()}
        call = self._calls.setdefault(number, _Call(action, (rank, at), same))
        if action != call.action:
            first = self._name_of(*call.place)
            raise TsujiError(
                f"{self._name_of(rank, at)}: {action}, where {first} has {call.action}: ranks must call the same"
            )
        for name, value in same.items():
            if value != call.same[name]:
                raise TsujiError(
                    f"{self._name_of(rank, at)}: {action} of {name} {_listed(value)}, where "
                    f"{self._name_of(*call.place)} has {_listed(call.same[name])}: must be the same for all ranks"
                )
        self._enter_counts(call, rank, action, line, at)
        call.called += 1
        if call.called == self._ranks:
            self._check_counts(call)
            del self._calls[number]

    def _enter_counts(self, call: _Call, rank: int, action: str, line: Values, at: int) -> None:
        """Store counts that must match other ranks', and check those within the line."""
        if "sendtype" not in line:
            return
        sent = np.array(line.get("sends", line.get("send")), np.int64) * TYPE_SIZES[line["sendtype"]]
        received = np.array(line.get("receives", line.get("receive")), np.int64) * TYPE_SIZES[line["recvtype"]]
        at_root = "root" not in line or line["root"] == rank
        if action in ("alltoall", "allgather") or (action in ("gather", "scatter") and at_root):
            if sent != received:
                raise TsujiError(
                    f"{self._name_of(rank, at)}: {action} sends {sent} bytes per rank and receives {received}: must "
                    "be the same"
                )
        elif action == "allgatherv":
            if sent != received[rank]:
                raise TsujiError(
                    f"{self._name_of(rank, at)}: {action} sends {sent} bytes, of which {received[rank]} are received"
                )
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
                    f"{self._name_of(*call.place)}: {call.action}: rank {sources[first]} sends {out[first]} bytes to "
                    f"rank {destination}, which receives {into[first]}"
                )


def _listed(value: int | tuple[int, ...]) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
