"""Host's end of a board's UART: reads and writes registers by requests that are repeated until one is answered."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from models.errors import TsujiError
from synth.boards import host_frame as frame

ATTEMPTS = 5
ANSWER_S = 0.5
"""Seconds without a byte after which a request is repeated."""


class Transport(Protocol):
    """What carries the bytes: a `serial.Serial`, or any file like it."""

    def read(self, size: int) -> bytes:
        """Return at least one and at most `size` bytes; none if none arrived within the transport's own timeout."""

    def write(self, data: bytes) -> int | None:
        """Send bytes."""


class Host:
    """Registers of a board behind a transport.

    Parameters
    ----------
    transport : Transport
        Its `read` returns in much less than `answer_s`.
    name : str
        Of the port, for messages.
    answer_s : float
        Seconds without a byte after which a request counts as lost. It must exceed the time after which the board
        forgets a frame that stops half-way.
    attempts : int
        Most requests for one answer.

    Attributes
    ----------
    repeated : int
        Requests that were repeated so far.
    """

    def __init__(self, transport: Transport, name: str, answer_s: float = ANSWER_S, attempts: int = ATTEMPTS) -> None:
        self._transport = transport
        self._name = name
        self._answer_s = answer_s
        self._attempts = attempts
        self._sequence = 0
        self.repeated = 0

    def read(self, address: int, count: int = 1) -> list[int]:
        """Return `count` words from a word address on."""
        words: list[int] = []
        while len(words) < count:
            part = min(frame.MOST_READ, count - len(words))
            words += self._ask(frame.READ, address + len(words), part, [])
        return words

    def write(self, address: int, words: Sequence[int]) -> None:
        """Write words from a word address on; a board that got them twice has the same registers."""
        for begin in range(0, len(words), frame.MOST_WRITTEN):
            part = list(words[begin : begin + frame.MOST_WRITTEN])
            self._ask(frame.WRITE, address + begin, len(part), part)

    def _ask(self, operation: int, address: int, count: int, words: list[int]) -> list[int]:
        """Send a request until it is answered; return the words of the answer."""
        for attempt in range(self._attempts):
            self._sequence = self._sequence + 1 & 0xFF
            self.repeated += attempt > 0
            with self._explained():
                self._transport.write(frame.request(operation, self._sequence, count, address, words))
            found = self._answer(operation, count)
            if found is not None:
                return found
        kind = "write" if operation == frame.WRITE else "read"
        raise TsujiError(
            f"{self._name}: {self._attempts} requests to {kind} {count} words at {address:#x} were not answered; "
            "is this the board's port, is the bitstream loaded, and is the baud rate that of its report?"
        )

    def _answer(self, operation: int, count: int) -> list[int] | None:
        """Return the words of the answer to the last request; None if none comes."""
        size = frame.answer_bytes(operation, count)
        head = bytes([frame.ANSWER, operation, self._sequence, count])
        came = b""
        last = time.monotonic()
        while time.monotonic() - last < self._answer_s:
            with self._explained():
                more = self._transport.read(size - len(came))
            if not more:
                continue
            last = time.monotonic()
            came += more
            while came:
                if head.startswith(came[: len(head)]) and len(came) < size:
                    break  # the answer, so far
                if came.startswith(head) and frame.is_intact(came[:size]):
                    return _words(came[frame.ANSWER_BYTES + 1 : size - frame.CRC_BYTES])
                came = came[1:]  # noise, an answer that was given up, a changed one
        return None

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an error of the port into one that names it."""
        try:
            yield
        except OSError as error:
            raise TsujiError(f"{self._name}: the connection broke: {error}") from error


def _words(text: bytes) -> list[int]:
    return [int.from_bytes(text[at : at + frame.WORD_BYTES], "little") for at in range(0, len(text), frame.WORD_BYTES)]


@contextmanager
def opened(port: str, baud: int, answer_s: float | None = None) -> Iterator[Host]:
    """Open a serial port as a host, for the duration of a `with` block.

    Parameters
    ----------
    port : str
        Device, such as /dev/ttyUSB0.
    baud : int
        Bits per second.
    answer_s : float or None
        As of `Host`; None: by the baud rate.

    Raises
    ------
    TsujiError
        If pyserial is missing, or the port cannot be opened.
    """
    if answer_s is None:
        answer_s = max(ANSWER_S, 2 * frame.SILENCE_BITS / baud)
    try:
        import serial
    except ImportError as error:
        raise TsujiError("pyserial is missing: install tsuji[board]") from error
    try:
        device = serial.Serial(port, baud, timeout=answer_s / 20, write_timeout=10 * answer_s)
    except (OSError, ValueError) as error:
        raise TsujiError(f"{port}: cannot be opened: {error}") from error
    with device:
        device.reset_input_buffer()
        yield Host(device, port, answer_s)
