"""Generated pages have all that they are generated from."""

import re

import pytest
from typer.main import get_command

import tsuji
from models.params import SwitchParams
from models.register_map import register_map
from sim.config import load
from tsuji.cli import COMMANDS, command_line
from tsuji.pages import command_line as commands_page
from tsuji.pages import keys, pipeline_pictures, python, registers


def test_every_key_has_a_row_with_its_meaning():
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \| (.*) \| (.*) \|$", keys.page(), re.MULTILINE)
    told = {key: (takes, default, meaning) for key, takes, default, meaning in rows}
    settings = ["lpi.idle=1000", "prediction.kind=latest", "planes.tie=hash", "switch.vcs=3", "adaptive.kind=escape"]
    settings.append("switch.routing=table")
    document = load(None, settings, workload=True, power=True).document()
    assert set(document) == set(keys.SECTIONS)
    for section, values in document.items():
        for key in values:
            takes, default, meaning = told[f"{section}.{key}"]
            assert takes, key
            assert meaning, key
            assert default, key


def test_types_defaults_and_limits_are_those_of_the_classes():
    page = keys.page()
    assert "| `switch.vcs` | whole number, ≥ 1, ≤ 16 | `2` |" in page
    assert '| `cache.policy` | `"lru"`, `"plru"`, `"fifo"` | `"lru"` |' in page
    assert re.search(r'^\| `traffic.pattern` \| one of .*`"tornado"`.* \| `"uniform"` \|', page, re.MULTILINE)
    assert '### topology.kind = "dragonfly"' in page
    assert "| `traffic.classes.share` | number, > 0 | `1.0` |" in page


def test_every_command_and_option_is_there():
    page = commands_page.page()
    command = get_command(command_line())
    for name in COMMANDS:
        section = page.split(f"\n## `tsuji {name}`\n")[1].split("\n## ")[0]
        for option in command.commands[name].params:
            assert option.hidden or any(f"`{each}" in section for each in (*option.opts, option.metavar)), option.opts
    assert "[bold]" not in page
    assert not re.search(r"^\* .*\.\.\.$", page, re.MULTILINE), "cut short"


def test_every_public_name_is_there():
    listed = [name for names in python.GROUPS.values() for name in names]
    assert sorted([*listed, "__version__"]) == sorted(tsuji.__all__)
    assert all(f"::: tsuji.{name}\n" in python.page() for name in listed)


@pytest.mark.parametrize("name", pipeline_pictures.PICTURES)
def test_pictures_are_as_drawn(name):
    file = pipeline_pictures.FOLDER / f"{name}.svg"
    drawn = pipeline_pictures.PICTURES[name]().svg()
    assert file.read_text(encoding="utf-8") == drawn, "python -m tsuji.pages.pipeline_pictures"


def test_the_page_of_registers_has_every_register():
    headings = re.findall(r"^### (\w+) register$", registers.page(), re.MULTILINE)
    assert headings == [each.name for each in register_map(SwitchParams(), streams=registers.STREAMS).every_register()]
