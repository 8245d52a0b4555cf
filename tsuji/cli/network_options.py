"""Options that select a network: a configuration file, and keys that override it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from models.errors import TsujiError
from tsuji.cli.option_groups import OptionGroup


@dataclass(frozen=True, kw_only=True)
class SetOptions(OptionGroup, panel="Network"):
    """Keys of a configuration: --set."""

    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a key of the configuration, such as traffic.load=0.3."),
    ] = None

    @property
    def settings(self) -> list[str]:
        """Overrides of --set, `section.key=value`."""
        return self.overrides or []


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(SetOptions):
    """A network: CONFIG and --set."""

    config: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG", help="TOML file; examples/ has some, docs/reference/configuration.md lists every key."
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class NetworkOrIdeal(SetOptions):
    """A network, or none for the ideal network: [CONFIG] and --set."""

    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="TOML file of a network; none with --ideal.")
    ] = None

    def refuse_without_config(self, **given: object) -> None:
        """Refuse options that need a network if there is no CONFIG.

        Parameters
        ----------
        **given : object
            Values of options by name; an option with a false value was not given.

        Raises
        ------
        TsujiError
            If one was given; the message names the first.
        """
        if self.config is not None:
            return
        options: Mapping[str, object] = {"set": self.overrides, **given}
        for option, value in options.items():
            if value:
                raise TsujiError(f"--{option}: the ideal network has no nodes, switches or links; say a CONFIG")
