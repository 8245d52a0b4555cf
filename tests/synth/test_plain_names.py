import re

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.runner.verilog import switch_verilog
from hdl.plain_names import with_plain_names
from hdl.verilog import component_verilog
from models.params import SwitchParams
from synth.lint import lint


def unit(name: str, body: str) -> str:
    return f"module {name} (\n  \\port$0 ,\n  x\n);\n  input \\port$0 ;\n  input x;\n{body}endmodule\n"


def top(*connections: str) -> str:
    instances = "".join(
        f"  \\top.unit  unit_{number} (\n    .\\port$0 ({wire}),\n    .x(x)\n  );\n"
        for number, wire in enumerate(connections)
    )
    return f"module top(x);\n  input x;\n{instances}endmodule\n"


def test_names_of_modules_ports_expressions_and_keywords() -> None:
    body = "  wire \\$1 ;\n  wire \\before ;\n  assign \\$1  = \\port$0  & x;\n  assign \\before  = ~ \\$1 ;\n"
    first, second = with_plain_names([top("word[3]", "word[2]"), unit("\\top.unit", body)])
    assert "  top__unit unit_0 (\n    .word(word[3]),\n    .x(x)\n" in first
    assert "    .word(word[2]),\n" in first
    assert second == (
        "module top__unit(\n  word,\n  x\n);\n  input word;\n  input x;\n"
        "  wire expr_1;\n  wire before_;\n  assign expr_1 = word & x;\n  assign before_ = ~ expr_1;\nendmodule\n"
    )


def test_a_port_that_carries_an_element_is_named_without_its_number() -> None:
    first, second = with_plain_names([top("word__0", "\\word__1$7 "), unit("\\top.unit", "")])
    assert first.count(".word(") == 2
    assert "  input word;\n" in second


@pytest.mark.parametrize("connections", [("a", "b"), ("\\$3 ", "\\$4 "), ("x", "x"), ("{ a, b }", "a")])
def test_a_port_without_a_name_of_its_own_has_its_number(connections: tuple[str, ...]) -> None:
    """Signals differ, have no names, or have the name of another port."""
    first, second = with_plain_names([top(*connections), unit("\\top.unit", "")])
    assert first.count(".port_0(") == len(connections)
    assert "  input port_0;\n" in second


def test_ports_that_make_up_a_signal_are_named_by_its_bits() -> None:
    text = "module m(\\port$0 , \\port$4 );\n  wire [1:0] y;\n  assign y = { \\port$4 , \\port$0  };\nendmodule\n"
    (named,) = with_plain_names([text])
    assert named == "module m(y_0, y_1);\n  wire [1:0] y;\n  assign y = { y_1, y_0 };\nendmodule\n"


def test_names_stay_distinct() -> None:
    text = "module m(a);\n  wire a_1;\n  wire \\a$1 ;\n  wire \\a.1 ;\n  assign \\a$1  = \\a.1 ;\nendmodule\n"
    (named,) = with_plain_names([text])
    assert "  assign a_1_2 = a_1_3;\n" in named
    modules = with_plain_names(["module \\a.b ();\nendmodule\n", "module a__b();\nendmodule\n"])
    assert [module.split("(")[0] for module in modules] == ["module a__b", "module a__b_2"]


def test_an_attribute_stays_before_its_module() -> None:
    (named,) = with_plain_names(["(* keep_hierarchy *)\nmodule \\m.apart_x ();\nendmodule\n"])
    assert named == "(* keep_hierarchy *)\nmodule m__apart_x();\nendmodule\n"


def test_a_text_that_is_no_module_is_refused() -> None:
    with pytest.raises(ValueError, match="not a module: wire x;"):
        with_plain_names(["wire x;\n"])


class Named(wiring.Component):  # type: ignore[misc]
    """Has ports and an instance named as keywords."""

    def __init__(self, inner: bool = True) -> None:
        self._inner = inner
        super().__init__({"bind": In(1), "y": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.y.eq(~self.bind)
        if self._inner:
            m.submodules["not"] = inner = Named(inner=False)
            m.d.comb += inner.bind.eq(self.bind)
        return m


def test_keywords_as_names_of_ports_and_instances_pass_lint() -> None:
    text = component_verilog(Named(), "top")
    assert "  top__not not_ (\n" in text
    lint(text, "top")


def test_a_switch_has_no_escaped_name() -> None:
    text = switch_verilog(SwitchParams())
    assert "\\" not in text
    assert set(re.findall(r"\$\w+", text)) <= {"$signed"}
    assert len(re.findall(r"^  tsuji_switch__switch__output_unit output_unit_\d \($", text, re.MULTILINE)) == 5
