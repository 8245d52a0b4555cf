"""Options that select the switch of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from models.errors import TsujiError
from models.params import SwitchParams
from models.params.config_file import SWITCH_SECTIONS, Table


def _sections(names: Sequence[str]) -> str:
    """Return names of sections, escaped for help texts, in which brackets are markup."""
    return ", ".join(rf"\[{name}]" for name in names)


SwitchFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="[CONFIG]",
        help=f"TOML file with sections {_sections(SWITCH_SECTIONS)}; a simulation's will do. Default: the default "
        "switch.",
        show_default=False,
    ),
]
SwitchOverrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a key, such as switch.vcs=4 or cache.entries=0; repeatable."),
]


def _module_name(name: str) -> str:
    """Refuse a name that no module of Verilog can have, as the callback of an option."""
    from hdl.keywords import KEYWORDS

    if not name.isidentifier() or not name.isascii():
        raise TsujiError(f"--name {name}: must be letters, digits and underscores, and not begin with a digit")
    if name in KEYWORDS:
        raise TsujiError(f"--name {name}: is a keyword of Verilog or SystemVerilog; any other name is allowed")
    return name


MODULE = "tsuji_switch"
ModuleName = Annotated[str, typer.Option("--name", callback=_module_name, help="Name of the module.")]
WithTable = Annotated[
    bool,
    typer.Option("--table/--no-table", help="Include the table that replaces the CAM, or only the CAM's interface."),
]
SplitPorts = Annotated[
    bool,
    typer.Option(
        "--split-payloads", help="One port per field, such as link_in_0_flit_vc, instead of link_in_0_flit_payload."
    ),
]


def read_switch(config: Path | None, overrides: Sequence[str]) -> SwitchParams:
    """Return the switch that a file and overrides describe; in a simulation's file it depends on the topology.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed. Also if the links of the
        file are slower than the switch: these are only simulated.
    """
    from models.params.config_file import read_config, switch_params

    table = read_config(config, overrides)
    _refuse_slow_links(table)
    if set(table) <= set(SWITCH_SECTIONS):
        return switch_params(table)
    from sim.config import read

    return read(table).switch


def _refuse_slow_links(table: Table) -> None:
    """Refuse links that take no flit in some cycles: the RTL of a switch sends one in each."""
    for section, key in (("link", "interval"), ("topology", "intervals")):
        values = table.get(section)
        value = values.get(key, 1) if isinstance(values, dict) else 1
        if any(cycles != 1 for cycles in (value if isinstance(value, list) else [value])):
            raise TsujiError(
                f"{table.origin(f'{section}.{key}')}{section}.{key} = {value}: only the simulator has links slower "
                "than the switch, whose RTL sends a flit per cycle; leave it out, or set 1"
            )
