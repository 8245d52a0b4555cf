"""`tsuji formats`: ports and layouts of a switch."""

from __future__ import annotations

from tsuji.cli.module_options import ModuleOptions, TextFile
from tsuji.cli.option_groups import with_option_groups


@with_option_groups
def formats(switch: ModuleOptions, file: TextFile) -> None:
    """Print the ports of a switch, the layouts of its words, its rules of credits and reset, and an instance of it.

    The page is Markdown. `tsuji verilog` writes the same into the comment at the head of its file.

    [bold]Examples[/]

      tsuji formats --set switch.ports=7 --set switch.vcs=4

      tsuji formats switch.toml --split-payloads -o switch.md

      tsuji formats examples/torus8x8.toml --ports axi
    """
    from hdl.interface_page import interface_page

    file.write(interface_page(switch.module(), switch.name))
