"""Help texts and tables show brackets as they are: markup eats none."""

import re
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.markup import render
from typer.main import get_command
from typer.testing import CliRunner

from tsuji.cli import COMMANDS, command_line
from tsuji.cli.figures import workload_table

STYLES = {"[bold]", "[/]"}


def texts(command):
    """Yield the help texts of a command, of its parameters and of its subcommands."""
    yield command.help or ""
    for parameter in command.params:
        yield getattr(parameter, "help", None) or ""
    for below in getattr(command, "commands", {}).values():
        yield from texts(below)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_bracket_of_a_help_text_is_taken_for_markup(name):
    for text in texts(get_command(command_line([name]))):
        written = {each for each in re.findall(r"\[[^\]\n]*\]", text.replace("\\[", "[")) if each not in STYLES}
        shown = render(text).plain
        assert not [each for each in written if each not in shown], text


def invoke(name, *arguments):
    """Return what a command prints, on a wide terminal."""
    return CliRunner().invoke(command_line([name]), [name, *arguments], env={"COLUMNS": "200", "TERM": "dumb"}).stdout


@pytest.mark.parametrize("name", ["run", "sweep", "replay", "mpi"])
def test_the_help_names_the_section_of_power(name):
    assert "by [power] (docs/how_to/power.md)" in invoke(name, "--help")


def test_names_of_files_are_shown_whole(tmp_path):
    (tmp_path / "[red]net.txt").write_text("0 1\n1 2\n")
    (tmp_path / "net.toml").write_text(f'[topology]\nkind = "graph"\nfile = "{tmp_path}/[red]net.txt"\n')
    assert "[red]net" in invoke("topology", str(tmp_path / "net.toml"))


def test_values_of_points_are_shown_whole():
    points = [{"traffic.matrix": "[red]m.csv"}]
    figures = {"run_time_ns": 1.0, "mean_wait_ns": 1.0, "messages": 1}
    console = Console(width=120)
    with console.capture() as captured:
        console.print(workload_table(points, [SimpleNamespace(figures=figures)]))
    assert "[red]m.csv" in captured.get()
