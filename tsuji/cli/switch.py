"""Options that select the switch of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from models.params import SwitchParams
from models.params.config_file import SWITCH_SECTIONS


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


def read_switch(config: Path | None, overrides: Sequence[str]) -> SwitchParams:
    """Return the switch that a file and overrides describe; in a simulation's file it depends on the topology.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    from models.params.config_file import read_config, switch_params

    table = read_config(config, overrides)
    if set(table) <= set(SWITCH_SECTIONS):
        return switch_params(table)
    from sim.config import read

    return read(table).switch
