"""Groups of options become options of a command, in the command line and in its help."""

import re
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tsuji.cli import command_line
from tsuji.cli.option_groups import OptionGroup, with_option_groups


@dataclass(frozen=True)
class Place(OptionGroup, panel="Where"):
    name: Annotated[str, typer.Argument(metavar="NAME")]
    floor: Annotated[int, typer.Option(help="Above the ground.")] = 0


@dataclass(frozen=True)
class HighPlace(Place):
    steps: Annotated[list[int] | None, typer.Option("--step")] = None


def invoke(command, *arguments):
    line = typer.Typer()
    line.command()(command)
    return CliRunner().invoke(line, list(arguments), env={"COLUMNS": "100", "TERM": "dumb"})


def test_a_command_gets_the_values_of_its_groups():
    found = []

    @with_option_groups
    def go(place: HighPlace, fast: Annotated[bool, typer.Option("--fast")] = False) -> None:
        found.append((place, fast))

    assert invoke(go, "roof", "--step", "1", "--step", "3", "--fast").exit_code == 0
    assert invoke(go, "cellar", "--floor", "-1").exit_code == 0
    assert found == [(HighPlace("roof", 0, [1, 3]), True), (HighPlace("cellar", -1, None), False)]
    assert invoke(go).exit_code == 2  # the argument of a group is required as any other one


def test_the_help_shows_a_group_as_a_panel():
    @with_option_groups
    def go(place: HighPlace, fast: Annotated[bool, typer.Option("--fast")] = False) -> None:
        """Go there."""

    output = invoke(go, "--help").output
    panels = dict(re.findall(r"╭─ (\w+) ─+╮\n(.*?)╰", output, re.DOTALL))
    assert "Go there." in output
    assert set(panels) == {"Arguments", "Options", "Where"}
    assert "NAME" in panels["Arguments"]
    assert "--fast" in panels["Options"]
    assert re.findall(r"--\w+", panels["Where"]) == ["--floor", "--step"]


def test_an_option_stands_in_one_panel_only():
    """A panel is that of the command's group, and the declaration that groups share is not changed."""

    @dataclass(frozen=True)
    class Elsewhere(Place, panel="Elsewhere"):
        pass

    @with_option_groups
    def go(place: Elsewhere) -> None:
        pass

    @with_option_groups
    def stay(place: Place) -> None:
        pass

    assert "Where" not in invoke(go, "--help").output
    assert "Elsewhere" not in invoke(stay, "--help").output


def test_two_options_of_one_name_are_refused():
    with pytest.raises(ValueError, match="duplicate parameter name: 'floor'"):

        @with_option_groups
        def go(place: Place, floor: Annotated[int, typer.Option()] = 0) -> None:
            pass


def test_options_that_commands_share_are_told_alike():
    """One declaration serves all: only rows of tables, values of `--over`, parts of traces and programs differ."""
    told: dict[str, set[str]] = {}
    for name in ("run", "sweep", "curve", "saturate", "topology", "replay", "mpi"):
        for option in typer.main.get_command(command_line([name])).commands[name].params:
            if option.param_type_name == "option":
                told.setdefault(max(option.opts, key=len), set()).add(option.help)
    different = {option for option, helps in told.items() if len(helps) > 1}
    assert {"--set", "--ideal", "--power", "--power-file", "--workers", "--links"} <= set(told) - different
    assert different <= {"--over", "--csv", "--json", "--plot", "--mapping", "--from", "--until"}
