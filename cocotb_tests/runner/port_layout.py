"""Layout of a design's ports in the 64-bit words through which a bench drives it.

Every bench, under cocotb and in the soak harness, drives a design through two vectors: `stimulus` contains all inputs,
`response` all outputs. `Layout` gives the position of each port. A port of up to 64 bits lies within one word; a wider
one starts at a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from synth.ports import Port

WORD = 64


class Layout:
    """Positions of ports in words.

    Parameters
    ----------
    ports : iterable of Port
        Ports of one direction.

    Attributes
    ----------
    places : dict of str to (int, int)
        From port name to offset and width in bits.
    words : int
        Number of words, at least 1.
    """

    def __init__(self, ports: Iterable[Port]) -> None:
        self.places: dict[str, tuple[int, int]] = {}
        room: list[list[int]] = []  # [first free bit, end]
        end = 0
        for port in sorted(ports, key=lambda port: -port.width):
            gap = next((gap for gap in room if port.width <= gap[1] - gap[0]), None)
            if gap is None:
                words = -(-port.width // WORD)
                gap = [end, end + words * WORD]
                end = gap[1]
                room.append(gap)  # the rest of the word that a port leaves
            self.places[port.name] = (gap[0], port.width)
            gap[0] += port.width
        self.words = max(1, end // WORD)

    @property
    def bits(self) -> int:
        """Width of the vector in bits."""
        return self.words * WORD

    def pack(self, values: Mapping[str, int]) -> int:
        """Return the vector with these port values; ports left out are 0.

        Raises
        ------
        ValueError
            If a value does not fit its port.
        KeyError
            If there is no such port.
        """
        vector = 0
        for name, value in values.items():
            offset, width = self.places[name]
            if value >> width:
                raise ValueError(f"{name} = {value:#x}: the port has {width} bits")
            vector |= value << offset
        return vector

    def unpack(self, vector: int) -> dict[str, int]:
        """Return the value of each port."""
        return {name: (vector >> offset) & ((1 << width) - 1) for name, (offset, width) in self.places.items()}

    def blank(self, cycles: int) -> np.ndarray:
        """Return zeroed vectors for `cycles` cycles, uint64 [cycles, words]."""
        return np.zeros((cycles, self.words), np.uint64)

    def put(self, vectors: np.ndarray, name: str, values: Any) -> None:
        """Write the values of a port, one per cycle, into zeroed vectors; if wider than 64 bits, the low word."""
        offset, _ = self.places[name]
        vectors[:, offset // WORD] |= np.asarray(values).astype(np.uint64) << np.uint64(offset % WORD)

    def take(self, vectors: np.ndarray, name: str) -> np.ndarray:
        """Return the values of a port, one per cycle; of a port wider than 64 bits, the low word."""
        offset, width = self.places[name]
        values = vectors[:, offset // WORD] >> np.uint64(offset % WORD)
        return values if width >= WORD else values & np.uint64((1 << width) - 1)


def split(ports: Iterable[Port]) -> tuple[Layout, Layout]:
    """Return the layouts of a design's inputs, without its clock `clk`, and of its outputs."""
    listed = list(ports)
    return (
        Layout(port for port in listed if port.is_input and port.name != "clk"),
        Layout(port for port in listed if not port.is_input),
    )


def wrapper(ports: Iterable[Port], top: str, *, registered: bool = False) -> str:
    """Return a Verilog module `bench` with ports `clk`, `stimulus`, `response` around the instance `dut` of `top`.

    Parameters
    ----------
    ports : iterable of Port
        Ports of the design.
    top : str
        Name of its module.
    registered : bool
        The design sees the stimulus through a register: all its logic depends on registers, and is evaluated once per
        cycle. Before the first edge it is in reset.
    """
    listed = list(ports)
    inputs, outputs = split(listed)
    reset = inputs.pack({"rst": 1}) if "rst" in inputs.places else 0
    if registered:
        seen = (
            f"  reg [{inputs.bits - 1}:0] inputs;\n"
            f"  initial inputs = {inputs.bits}'h{reset:x};\n"
            "  always @(posedge clk) inputs <= stimulus;\n"
        )
    else:
        seen = f"  wire [{inputs.bits - 1}:0] inputs = stimulus;\n"
    connections = [f"    .\\{port.name} ({_source(port, inputs, outputs)})" for port in listed]
    used = {bit for offset, width in outputs.places.values() for bit in range(offset, offset + width)}
    idle = "".join(f"  assign response[{bit}] = 1'b0;\n" for bit in range(outputs.bits) if bit not in used)
    return (
        f"module bench(input wire clk, input wire [{inputs.bits - 1}:0] stimulus,\n"
        f"             output wire [{outputs.bits - 1}:0] response);\n"
        f"{seen}  \\{top} dut (\n" + ",\n".join(connections) + "\n  );\n" + idle + "endmodule\n"
    )


def _source(port: Port, inputs: Layout, outputs: Layout) -> str:
    if port.is_input and port.name == "clk":
        return "clk"
    name, layout = ("inputs", inputs) if port.is_input else ("response", outputs)
    offset, width = layout.places[port.name]
    return f"{name}[{offset}+:{width}]"
