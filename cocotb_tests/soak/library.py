"""A Verilated design as a shared library that advances in blocks of cycles, driven from NumPy arrays."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from cocotb_tests.runner import verilator
from cocotb_tests.runner.port_layout import Layout, split, wrapper
from synth.ports import read_ports

_SHIM = """\
#include <cstdint>
#include <cstring>
#include "Vtop.h"
#define EXPORT extern "C" __attribute__((visibility("default")))

struct Design {{
    VerilatedContext context;
    Vtop top{{&context}};
}};

EXPORT void* design_new() {{
    Design* design = new Design;
    design->top.clk = 0;
    std::memset(&design->top.stimulus, 0, {inputs} * 8);
    design->top.eval();
    return design;
}}

EXPORT void design_delete(void* handle) {{
    Design* design = static_cast<Design*>(handle);
    design->top.final();
    delete design;
}}

// A cycle: the rising edge takes its inputs in, everything settles, outputs. Nothing happens at the falling edge.
EXPORT void design_run(void* handle, uint64_t cycles, const uint64_t* stimulus, uint64_t* response) {{
    Vtop& top = static_cast<Design*>(handle)->top;
    for (uint64_t cycle = 0; cycle < cycles; ++cycle) {{
        std::memcpy(&top.stimulus, stimulus + cycle * {inputs}, {inputs} * 8);
        top.clk = 1;
        top.eval();
        std::memcpy(response + cycle * {outputs}, &top.response, {outputs} * 8);
        top.clk = 0;
        top.eval();
    }}
}}
"""


class Library:
    """A design, after power-up and reset.

    Parameters
    ----------
    verilog : str
        Verilog of all modules.
    top : str
        Name of the top module; clock `clk`.
    optimise : str
        Optimisation option of the C++ compiler.

    Attributes
    ----------
    inputs, outputs : Layout
        Positions of the ports in the words of `run`.
    """

    def __init__(self, verilog: str, top: str, optimise: str = "-O1") -> None:
        ports = read_ports(verilog, top)
        self.inputs: Layout
        self.outputs: Layout
        self.inputs, self.outputs = split(ports)
        shim = verilator.Source(_SHIM.format(inputs=self.inputs.words, outputs=self.outputs.words))
        options = verilator.Options(shared=True, optimise=optimise)
        path = verilator.build(verilog + wrapper(ports, top, registered=True), "bench", shim, options)
        self._load(path)

    def _load(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.design_new.restype = ctypes.c_void_p
        self._library.design_delete.argtypes = [ctypes.c_void_p]
        words = np.ctypeslib.ndpointer(np.uint64, 2, flags="C_CONTIGUOUS")
        self._library.design_run.argtypes = [ctypes.c_void_p, ctypes.c_uint64, words, words]
        self._handle = self._library.design_new()

    def run(self, stimulus: np.ndarray) -> np.ndarray:
        """Advance by a block of cycles.

        Parameters
        ----------
        stimulus : numpy.ndarray
            uint64 [cycles, inputs.words].

        Returns
        -------
        numpy.ndarray
            Outputs of the same cycles, combinational ones included: uint64 [cycles, outputs.words].
        """
        response = self.outputs.blank(len(stimulus))
        self._library.design_run(self._handle, len(stimulus), stimulus, response)
        return response

    def close(self) -> None:
        """Free the design."""
        if self._handle:
            self._library.design_delete(self._handle)
            self._handle = None
