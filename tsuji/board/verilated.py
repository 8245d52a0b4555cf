"""A prototype on Verilator: its UART is a pseudo-terminal, and its flits are written down."""

from __future__ import annotations

import ctypes
import os
import pty
import tempfile
import threading
import tty
from pathlib import Path
from typing import Any, Self

import numpy as np

from cocotb_tests.network.hardware_of import with_one_class
from cocotb_tests.runner import verilator
from tsuji.board.design import TOP

DIVISOR = 4
"""Cycles per bit of the simulated UART: few, as every cycle of the whole network is simulated."""

FLIT = np.dtype([("cycle", np.uint32), ("node", np.uint16), ("ejected", np.uint16), ("payload", np.uint8, (72,))])
"""A flit that a node sent or got, when it was visible there."""

_MAIN = """\
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <type_traits>
#include <unistd.h>
#include "Vtop.h"
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {{
constexpr int DIVISOR = {divisor};

struct Flit {{
    uint32_t cycle;
    uint16_t node;
    uint16_t ejected;
    unsigned char payload[72];
}};
static_assert(sizeof(Flit) == 80);

struct Board {{
    VerilatedContext context;
    Vtop top{{&context}};
    FILE* flits;
    int terminal;
    std::deque<unsigned char> to_send;
    int sending = 0, receiving = -1;
    unsigned bits = 0, came = 0;

    template <class Payload> void note(int node, int ejected, const Payload& payload) {{
        Flit flit{{top.now, uint16_t(node), uint16_t(ejected), {{}}}};
        static_assert(sizeof payload <= sizeof flit.payload);
        std::memcpy(flit.payload, &payload, sizeof payload);
        std::fwrite(&flit, sizeof flit, 1, flits);
    }}

    void drive_line() {{ // of the receiver: start bit, 8 data bits, stop bit
        if (!sending && !to_send.empty()) {{
            bits = to_send.front() << 1 | 0x200;
            to_send.pop_front();
            sending = 10 * DIVISOR;
        }}
        top.rx = sending ? bits >> ((10 * DIVISOR - sending) / DIVISOR) & 1 : 1;
        sending -= sending > 0;
    }}

    bool read_line() {{ // of the transmitter; false if nobody holds the terminal any more
        if (receiving < 0) {{
            if (!top.tx) receiving = came = 0;
            return true;
        }}
        ++receiving;
        if (receiving % DIVISOR != DIVISOR / 2 || receiving < DIVISOR) return true;
        int bit = receiving / DIVISOR - 1;
        if (bit < 8) {{
            came |= unsigned(top.tx) << bit;
            return true;
        }}
        receiving = -1;
        unsigned char byte = came;
        return write(terminal, &byte, 1) == 1 || errno == EAGAIN;
    }}

    void cycle() {{
        drive_line();
        top.clk = 1;
        top.eval();
        top.clk = 0;
        top.eval();
{notes}    }}
}};
}} // namespace

EXPORT int64_t board_run(int terminal, const char* flits, const volatile int* stop) {{
    Board* board = new Board;
    board->terminal = terminal;
    board->flits = std::fopen(flits, "wb");
    if (!board->flits) return -1;
    board->top.clk = 0;
    board->top.rx = 1;
    board->top.rst = 1;
    board->cycle();
    board->top.rst = 0;
    int64_t cycles = 1;
    for (bool open = true; open && !*stop; ++cycles) {{
        if (cycles % (4 * DIVISOR) == 0) {{
            unsigned char bytes[256];
            auto count = read(terminal, bytes, sizeof bytes);
            for (int k = 0; k < count; ++k) board->to_send.push_back(bytes[k]);
        }}
        board->cycle();
        open = board->read_line();
    }}
    std::fclose(board->flits);
    board->top.final();
    delete board;
    return cycles;
}}
"""


def _note(node: int) -> str:
    """Return the statements that write down what a node sends and gets."""
    return "".join(
        f"        if (!top.resting && top.{name}_{node}_valid) note({node}, {way}, top.{name}_{node}_payload);\n"
        for way, name in enumerate(("injected", "ejected"))
    )


class VerilatedBoard:
    """A simulated board, which runs during a `with` block.

    Parameters
    ----------
    verilog : str
        Of the prototype, its UART with `DIVISOR` cycles per bit.
    nodes : int
        Nodes of the network.
    optimise : str
        Optimisation option of the C++ compiler.

    Attributes
    ----------
    port : str
        The pseudo-terminal, which a host opens like a serial port.
    """

    def __init__(self, verilog: str, nodes: int, optimise: str = "-O0") -> None:
        text = _MAIN.format(divisor=DIVISOR, notes="".join(map(_note, range(nodes))))
        options = verilator.Options(shared=True, optimise=optimise)
        library: Any = ctypes.CDLL(str(verilator.build(with_one_class(verilog), TOP, verilator.Source(text), options)))
        self._run = library.board_run
        self._run.restype = ctypes.c_int64
        self._run.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
        self._stop = ctypes.c_int(0)
        self.port = ""
        self.cycles = 0

    def __enter__(self) -> Self:
        """Start the simulation, in a thread."""
        self._far, self._near = pty.openpty()
        tty.setraw(self._near)
        os.set_blocking(self._far, False)
        self.port = os.ttyname(self._near)
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "flits"
        self._thread = threading.Thread(target=self._simulate, daemon=True)
        self._thread.start()
        return self

    def _simulate(self) -> None:
        self.cycles = self._run(self._far, str(self._path).encode(), ctypes.byref(self._stop))

    def __exit__(self, *_: object) -> None:
        """End the simulation."""
        self._end()
        self._folder.cleanup()
        os.close(self._far)
        os.close(self._near)

    def _end(self) -> None:
        self._stop.value = 1
        self._thread.join()

    def flits(self) -> np.ndarray:
        """End the simulation; return the flits of the nodes, records of `FLIT` in the order of cycles."""
        self._end()
        return np.fromfile(self._path, FLIT)
