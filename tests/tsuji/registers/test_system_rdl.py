"""SystemRDL is read by systemrdl-compiler, and what it reads is what the table of registers says."""

from typing import Any

import pytest
from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, SwitchParams
from models.register_map import WORD_BYTES, Access, RegisterMap, register_map
from tsuji.registers.system_rdl import system_rdl

SWITCHES = {
    "default": SwitchParams(),
    "most of all": SwitchParams(
        ports=46,
        vcs=16,
        tag_width=64,
        counter_width=64,
        cam=CamParams(match="ternary", entries=1024),
        lpi=LpiParams(idle=5),
        adaptive=AdaptiveParams(escape_vcs=1),
    ),
    "mesh": SwitchParams(ports=7, routing="dimension_order", radix=(4, 3, 2), counter_width=33),
    "linear": SwitchParams(routing="linear", table_entries=16, counter_width=0, cache=CacheParams(entries=0)),
}
ACCESS = {
    Access.CONSTANT: (AccessType.r, None, False),
    Access.STATUS: (AccessType.r, None, False),
    Access.STORED: (AccessType.rw, None, False),
    Access.STICKY: (AccessType.rw, OnWriteType.woclr, False),
    Access.COMMAND: (AccessType.w, None, True),
}


def expected(registers: RegisterMap) -> dict[int, Any]:
    """Return name, meaning and fields of each register by its address."""
    return {
        register.address + WORD_BYTES * index: (
            register.name,
            register.meaning,
            [
                (field.name, field.meaning, field.low, field.width, field.reset, ACCESS[field.access])
                for field in register.fields
            ],
        )
        for register in registers.every_register()
        for index in range(register.count)
    }


def read_back(text: str, folder: Any) -> dict[int, Any]:
    """Return the same as `expected`, of a text of SystemRDL."""
    (folder / "map.rdl").write_text(text, encoding="utf-8")
    compiler = RDLCompiler()
    compiler.compile_file(str(folder / "map.rdl"))
    top = compiler.elaborate(top_def_name="switch_under_test").top
    found = [node for node in top.descendants(unroll=True) if isinstance(node, RegNode)]
    return {node.absolute_address: (node.inst_name, node.get_property("name"), _fields(node)) for node in found}


def _fields(node: RegNode) -> list[Any]:
    return [
        (
            field.inst_name,
            field.get_property("name"),
            field.low,
            field.width,
            field.get_property("reset"),
            (field.get_property("sw"), field.get_property("onwrite"), field.get_property("singlepulse")),
        )
        for field in node.children()
        if isinstance(field, FieldNode)
    ]


@pytest.mark.parametrize("streams", [0, 3])
@pytest.mark.parametrize("name", SWITCHES)
def test_what_is_read_is_the_table(name, streams, tmp_path):
    registers = register_map(SWITCHES[name], streams=streams)
    assert read_back(system_rdl(registers, "switch_under_test"), tmp_path) == expected(registers)


def test_quotes_and_backslashes_are_kept(tmp_path):
    registers = register_map(SWITCHES["linear"])
    first = registers.registers[0]
    changed = type(first)(first.name, first.address, 'a "b" \\ c', first.fields)
    text = system_rdl(RegisterMap((changed,), ()), "switch_under_test")
    assert read_back(text, tmp_path)[0][1] == 'a "b" \\ c'
