"""The host against a board of Python: noise, answers that are lost, changed, late, of another request."""

import os
import pty
import random
import threading
import tty

import pytest

from models.errors import TsujiError
from synth.boards import host_frame as frame
from tsuji.board.host import Host, opened


class Board:
    """A transport with a board behind it that executes the intact requests; `spoil` changes what it answers."""

    def __init__(self, spoil=lambda answer: answer):
        self.registers = {}
        self.executed = 0
        self._spoil = spoil
        self._waiting = b""

    def write(self, data):
        assert data[0] == frame.REQUEST
        assert frame.is_intact(data)
        operation, sequence, count = data[1:4]
        address = int.from_bytes(data[4:7], "little")
        body = data[7 : -frame.CRC_BYTES]
        words = []
        for number in range(count):
            if operation == frame.WRITE:
                self.registers[address + number] = int.from_bytes(body[4 * number : 4 * number + 4], "little")
            else:
                words.append(self.registers.get(address + number, 0))
        self.executed += 1
        self._waiting += self._spoil(frame.answer(operation, sequence, count, words))

    def read(self, size):
        part, self._waiting = self._waiting[:size], self._waiting[size:]
        return part


def test_words_are_written_and_read_in_frames():
    board = Board()
    host = Host(board, "board")
    words = [random.Random(1).getrandbits(32) for _ in range(300)]
    host.write(0x1234, words)
    assert host.read(0x1234, 300) == words
    assert board.executed == -(-300 // frame.MOST_WRITTEN) + -(-300 // frame.MOST_READ)
    assert host.repeated == 0


def _noise(draw):
    return bytes(draw.getrandbits(8) for _ in range(draw.randint(0, 20)))


SPOILT = {
    "noise before": lambda draw, answer: _noise(draw) + answer,
    "first bytes of an answer before": lambda draw, answer: answer[: draw.randint(1, len(answer) - 1)] + answer,
    "often lost": lambda draw, answer: answer if draw.random() < 0.5 else b"",
    "often cut": lambda draw, answer: answer if draw.random() < 0.5 else answer[: draw.randrange(len(answer))],
    "often changed": lambda draw, answer: (
        answer if draw.random() < 0.5 else bytes([*answer[:-6], answer[-6] ^ 1 << draw.randrange(8), *answer[-5:]])
    ),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_what_is_read_is_what_was_answered(kind):
    draw = random.Random(kind)
    board = Board(lambda answer: SPOILT[kind](draw, answer))
    repeats = kind.startswith("often")
    host = Host(board, "board", answer_s=0.002 if repeats else 10, attempts=40)
    for number in range(20):
        words = [draw.getrandbits(32) for _ in range(1 + number)]
        host.write(number * 64, words)
        assert host.read(number * 64, len(words)) == words
    assert (host.repeated > 0) == repeats


def test_a_late_answer_is_not_taken_for_that_of_the_next_request():
    board = Board()
    host = Host(board, "board", answer_s=0.002)
    board.registers = {1: 111, 2: 222}
    kept = []
    board._spoil = lambda answer: (kept.append(answer), b"")[1]
    with pytest.raises(TsujiError):
        host.read(1)
    board._spoil = lambda answer: b"".join(kept) + answer
    assert host.read(2) == [222]


def test_a_board_that_does_not_answer_is_named():
    host = Host(Board(lambda answer: b""), "/dev/ttyX", answer_s=0.001, attempts=3)
    with pytest.raises(TsujiError, match=r"/dev/ttyX: 3 requests to read 2 words at 0x10 were not answered; is this"):
        host.read(0x10, 2)
    assert host.repeated == 2


def test_a_connection_that_breaks_is_named():
    class Broken(Board):
        def read(self, size):
            raise OSError("device reports readiness to read but returned no data")

    with pytest.raises(TsujiError, match="/dev/ttyX: the connection broke: device reports"):
        Host(Broken(), "/dev/ttyX").read(0)


def test_a_port_that_is_not_there_is_named():
    with pytest.raises(TsujiError, match="/dev/no_such_port: cannot be opened"), opened("/dev/no_such_port", 115200):
        pass


def test_a_pseudo_terminal_is_a_port():
    board = Board()
    far, near = pty.openpty()
    tty.setraw(far)

    def serve():
        held = b""
        while True:
            try:
                held += os.read(far, 100)
            except OSError:
                return
            while len(held) >= 1 + frame.HEAD_BYTES + frame.CRC_BYTES:
                count = held[3] if held[1] == frame.WRITE else 0
                size = 1 + frame.HEAD_BYTES + 4 * count + frame.CRC_BYTES
                if len(held) < size:
                    break
                board.write(held[:size])
                held = held[size:]
                os.write(far, board.read(10_000))

    threading.Thread(target=serve, daemon=True).start()
    words = list(range(0xFFFFFF00, 0xFFFFFF80))
    with opened(os.ttyname(near), 115200) as host:
        host.write(0, words)
        assert host.read(0, len(words)) == words
    os.close(near)
