"""Generated Verilog: what synthesis keeps separate, and names that need no escape."""

import re

from hdl.allocate.switch_allocator import SwitchAllocator
from hdl.transfer.crossbar import Crossbar
from hdl.verilog import component_verilog
from models.params import SwitchParams


def test_what_is_apart_stays_apart() -> None:
    for component in (Crossbar, SwitchAllocator):
        text = component_verilog(component(SwitchParams()), "x")
        modules = re.findall(r"^(.*)\nmodule (\w+)", text, flags=re.MULTILINE)
        kept = {name for before, name in modules if before == "(* keep_hierarchy *)"}
        apart = {name for _, name in modules if "__apart_" in name}
        assert apart
        assert kept == apart
