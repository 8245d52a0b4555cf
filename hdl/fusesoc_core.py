"""Description of a generated file for FuseSoC, in its format CAPI2.

Plumbing: neither model nor bench.
"""

from __future__ import annotations

import json
from importlib.metadata import version


def fusesoc_core(name: str, file: str) -> str:
    """Return the text of a core file: a core with the switch, and a target that checks it with Verilator.

    Parameters
    ----------
    name : str
        Name of the Verilog module.
    file : str
        Path of the Verilog file, relative to the core file.
    """
    return f"""\
CAPI=2:
name: tsuji:generated:{name}:{version("tsuji")}
description: Switch written by tsuji; its parameters and ports are in the comment at the head of its Verilog
filesets:
  rtl:
    files:
      - {json.dumps(file)}
    file_type: verilogSource-2005
targets:
  default:
    filesets: [rtl]
    toplevel: {name}
  lint:
    filesets: [rtl]
    toplevel: {name}
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
"""
