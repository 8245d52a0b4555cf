"""The part of a trace that a benchmark times: between two actions, without set-up and verification."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from models.errors import TsujiError

ALWAYS = (b"init", b"finalize")


@dataclass(frozen=True)
class Mark:
    """An action of a rank: the `number`-th of its kind.

    Attributes
    ----------
    action : str
        Its word in the trace, such as `barrier`.
    number : int
        Number, from 1.
    """

    action: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Mark:
        """Return the mark that a text such as `barrier 2` names.

        Raises
        ------
        TsujiError
            If it names no action.
        """
        match = re.fullmatch(r"([A-Za-z_]+)(?: +([1-9][0-9]{0,8}))?", text.strip())
        if match and match[1].encode() in ALWAYS:
            raise TsujiError(f"{text!r}: a part of a trace always has {match[1]}; name another action, or none")
        if not match:
            raise TsujiError(f"{text!r}: no action of a trace; write one such as `barrier 2`, the second barrier")
        return cls(match[1], int(match[2] or 1))

    def __str__(self) -> str:
        return f"{self.action} {self.number}"


@dataclass(frozen=True)
class TimedPart:
    """The part between two actions of every rank, these excluded.

    Attributes
    ----------
    begin : Mark or None
        Action after which the part begins; None: begin of the trace.
    end : Mark or None
        Action before which it ends, counted from the beginning of the part; None: end of the trace.
    """

    begin: Mark | None = None
    end: Mark | None = None

    @classmethod
    def parse(cls, begin: str | None, end: str | None) -> TimedPart:
        """Return the part between the actions that two texts name; None: begin or end of the trace.

        Raises
        ------
        TsujiError
            If one names no action.
        """
        return cls(*(None if text is None else Mark.parse(text) for text in (begin, end)))

    def __str__(self) -> str:
        begin, end = (
            "" if mark is None else f", {word} {mark}" for word, mark in zip(("from", "until"), self, strict=True)
        )
        return begin + end

    def __iter__(self) -> Iterator[Mark | None]:
        yield self.begin
        yield self.end

    def blanked(self, chunks: Iterable[list[bytes]], name: str) -> Iterator[list[bytes]]:
        """Yield a rank's lines with those outside the part blank, so that lines keep their numbers.

        Raises
        ------
        TsujiError
            If the rank, called `name`, has no such action.
        """
        marks = [mark for mark in self if mark]
        inside, seen = self.begin is None, 0
        for lines in chunks:
            kept = []
            for line in lines:
                words = line.split(maxsplit=2)
                action = words[1] if len(words) > 1 else b""
                hit = bool(marks) and action == marks[0].action.encode()
                seen += hit
                if hit and seen == marks[0].number:
                    inside, seen = not inside, 0
                    del marks[0]
                    line = b""
                kept.append(line if inside or action in ALWAYS else b"")
            yield kept
        if marks:
            raise TsujiError(f"{name}: {seen} of `{marks[0].action}` where the part needs {marks[0].number}")


WHOLE = TimedPart()
