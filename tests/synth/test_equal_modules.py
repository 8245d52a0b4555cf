import re

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.runner.verilog import switch_verilog
from hdl.equal_modules import merged
from hdl.verilog import component_verilog
from models.params import SwitchParams
from synth.lint import lint

HALF = "  output y;\n  assign y = ~ x;\nendmodule\n\n"


def leaf(name: str, body: str = HALF, port: str = "x") -> str:
    return f"module {name} ({port}, y);\n  input {port};\n" + body.replace("~ x", f"~ {port}")


def test_equal_modules_are_one_and_named_without_their_numbers() -> None:
    parent = (
        "module top(a, b);\n"
        "  \\top.unit_0  unit_0 (\n    .x(a)\n  );\n"
        "  \\top.unit_1  unit_1 (\n    .x(b)\n  );\n"
        "endmodule\n\n"
    )
    first, second = merged([parent, leaf("\\top.unit_0"), leaf("\\top.unit_1")])
    assert "  \\top.unit  unit_0 (" in first
    assert "  \\top.unit  unit_1 (" in first
    assert second.startswith("module \\top.unit (")


def test_modules_with_different_ones_inside_stay_apart() -> None:
    other = HALF.replace("~ x", "x")

    def unit(number: int) -> str:
        return f"module \\top.unit_{number} (x);\n  \\top.unit_{number}.not  not (\n    .x(x)\n  );\nendmodule\n"

    texts = merged([unit(0), unit(1), leaf("\\top.unit_0.not"), leaf("\\top.unit_1.not", other)])
    assert [text.split()[1] for text in texts] == [
        "\\top.unit_0",
        "\\top.unit_1",
        "\\top.unit_0.not",
        "\\top.unit_1.not",
    ]


def test_a_name_that_another_module_has_is_not_taken() -> None:
    texts = merged([leaf("\\top.unit", HALF.replace("~ x", "x")), leaf("\\top.unit_0"), leaf("\\top.unit_1")])
    assert [text.split()[1] for text in texts] == ["\\top.unit", "\\top.unit_0"]


def test_numbers_of_the_whole_design_do_not_keep_modules_apart() -> None:
    def unit(number: int) -> str:
        port, wires = f"\\port${number}$0", [f"\\$auto$rtlil.cc:2739:Not${number + k}" for k in (0, 2)]
        declared = "".join(f"  wire {wire} ;\n" for wire in sorted(wires))
        definitions = [f"  assign {wires[0]}  = ~ {port} ;\n", f"  assign {wires[1]}  = ~ {wires[0]} ;\n"]
        return (
            f"module \\top.unit_{number} ({port} , y);\n  input {port} ;\n  output y;\n{declared}"
            f"{''.join(sorted(definitions))}  assign y = {wires[1]}  & {wires[0]} ;\nendmodule\n"
        )

    # As texts, 1000 stands before 998.
    numbers = (3, 998)
    parent = "module top(a);\n" + "".join(
        f"  \\top.unit_{number}  unit_{number} (\n    .\\port${number}$0 (a)\n  );\n" for number in numbers
    )
    top, *units = merged([parent + "endmodule\n", *map(unit, numbers)])
    assert len(units) == 1
    (port,) = re.findall(r"\((\\port\$\d+) ", units[0])
    assert top.count(f".{port} (a)") == 2


def test_a_text_that_is_no_module_is_refused() -> None:
    with pytest.raises(ValueError, match="not a module: wire x;"):
        merged(["wire x;\n"])


class Inverter(wiring.Component):  # type: ignore[misc]
    """Inverts a bit, one cycle later."""

    def __init__(self) -> None:
        super().__init__({"x": In(1), "y": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.y.eq(~self.x)
        return m


class Chain(wiring.Component):  # type: ignore[misc]
    """Inverters in a row."""

    def __init__(self, length: int) -> None:
        self._length = length
        super().__init__({"x": In(1), "y": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bit: Signal = self.x
        for number in range(self._length):
            m.submodules[f"inverter_{number}"] = inverter = Inverter()
            m.d.comb += inverter.x.eq(bit)
            bit = inverter.y
        m.d.comb += self.y.eq(bit)
        return m


def test_a_chain_of_inverters_has_two_modules() -> None:
    text = component_verilog(Chain(12), "chain")
    assert re.findall(r"^module ([^\s(]+)", text, re.MULTILINE) == ["chain", "chain__inverter"]
    assert len(re.findall(r"^  chain__inverter inverter_\d+ \($", text, re.MULTILINE)) == 12
    lint(text, "chain")


def test_a_switch_has_one_module_per_kind_of_unit() -> None:
    modules = re.findall(r"^module (\w+)", switch_verilog(SwitchParams()), re.MULTILINE)
    for unit in ("vc_buffer", "route_queue", "miss_unit", "route_cache", "header", "output_unit", "input_arbiter"):
        assert sum(name.split("__")[-1].startswith(unit) for name in modules) == 1, unit
