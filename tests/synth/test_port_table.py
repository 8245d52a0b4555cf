import pytest

from cocotb_tests.cases.shared import CASES
from cocotb_tests.runner.verilog import TOP, kept_verilog, switch_verilog
from hdl.instance_template import instance_template
from hdl.port_table import port_rows
from hdl.split_payloads import SplitPayloads
from hdl.switch import Switch
from hdl.switch_module import SwitchModule
from hdl.top import Top
from hdl.verilog import component_verilog
from models.params import SwitchParams
from synth.lint import lint
from synth.ports import Port, read_ports

SMALL = SwitchParams(ports=3, vcs=2, depth=4, data_width=16)
KINDS = {name: CASES[name].params for name in ("default", "exchanger that reserves", "crossbar that reserves")}
KINDS |= {
    "small": SMALL,
    "linear": SwitchParams(ports=3, routing="linear", table_entries=8, counter_width=0),
    "hints": CASES["adaptive, cached, predicted, low-power idle"].params,
}


def verilog(params: SwitchParams, *, table: bool, split: bool) -> str:
    if table and not split:
        return switch_verilog(params)

    def make() -> str:
        component = Top(params) if table else Switch(params)
        if split:
            component = SplitPayloads(component, *(port_rows(SwitchModule(params, table, s)) for s in (False, True)))
        return component_verilog(component, TOP)

    return kept_verilog(repr((params, table, split)), make)


@pytest.mark.parametrize(
    ("name", "table", "split"),
    [*((name, True, True) for name in KINDS), *((name, True, False) for name in KINDS), ("small", False, True)],
)
def test_the_table_lists_the_ports_of_the_verilog_with_their_widths(name: str, table: bool, split: bool) -> None:
    params = KINDS[name]
    rows = port_rows(SwitchModule(params, table, split))
    listed = [Port(port, row.width, row.is_input) for row in rows for port in row.names]
    assert len({port.name for port in listed}) == len(listed)
    text = verilog(params, table=table, split=split)
    written = read_ports(text, TOP)
    assert sorted(listed, key=lambda port: port.name) == sorted(written, key=lambda port: port.name)
    assert all((row.place or row.meaning) and row.timing for row in rows)


def test_rows_of_a_small_switch() -> None:
    rows = {row.pattern: row for row in port_rows(SwitchModule(SMALL))}
    flit = rows["link_in_<i>_flit_payload"]
    assert flit.names == tuple(f"link_in_{i}_flit_payload" for i in range(3))
    assert (flit.width, flit.is_input, flit.place) == (18, True, "link into port i, flit")
    assert [(field.name, field.width) for field in flit.layout] == [("vc", 1), ("tail", 1), ("data", 16)]
    assert rows["link_out_<i>_flit_payload"].is_input is False
    assert rows["link_out_<i>_credit_valid"].is_input is True
    assert rows["counter_data"].timing == "one cycle after port and number"
    assert rows["program_payload"].width == 16 + 1 + 2 + 1 + 1
    assert "cam_answer" not in rows


def test_a_switch_without_table_has_the_interface_of_the_cam() -> None:
    rows = {row.pattern: row for row in port_rows(SwitchModule(SMALL, table=False))}
    assert "program_payload" not in rows
    assert rows["cam_request_ready"].is_input is True
    assert rows["cam_request_valid"].is_input is False
    assert [field.name for field in rows["cam_answer"].layout] == ["port", "found", "out", "vc_first", "vc_last"]


def test_names_of_split_payloads() -> None:
    rows = {row.pattern: row for row in port_rows(SwitchModule(SMALL, table=False, split=True))}
    assert rows["link_in_<i>_flit_vc"].width == 1
    assert rows["link_in_<i>_flit_data"].meaning.startswith("payload")
    assert rows["cam_answer_found"].width == 1
    assert rows["link_in_<i>_flit_valid"].names[2] == "link_in_2_flit_valid"
    assert not [name for name in rows if name.endswith("_payload")]


@pytest.mark.parametrize("split", [False, True])
def test_the_template_of_an_instance_is_verilog(split: bool) -> None:
    template = instance_template(TOP, port_rows(SwitchModule(SMALL, split=split)))
    user = f"module user(input clk, input rst);\n{template}endmodule\n"
    # The inputs are left undriven, so that lint is for the instance's syntax, names and widths.
    waived = "/* verilator lint_off UNDRIVEN */\n/* verilator lint_off UNUSEDSIGNAL */\n"
    lint(waived + verilog(SMALL, table=True, split=split) + user, "user")


def test_the_switch_with_split_payloads_passes_lint() -> None:
    lint(verilog(SMALL, table=True, split=True), TOP)
