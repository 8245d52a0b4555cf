"""The version is defined only in pyproject.toml, and is in all files that are written."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hdl.verilog_head import verilog_head
from models.params import SwitchParams
from models.params.config_file import read_config, switch_params
from tsuji.cli import command_line

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
CHANGED = {
    "default": [],
    "cached": ["switch.vcs=4", "cache.ways=1", "cam.latency=12", 'cache.policy="fifo"'],
    "computed": ['switch.routing="dimension_order"', "switch.radix=[8, 8]", "switch.wrap=true", "lpi.idle=20"],
    "predicted": ["prediction.kind=history", "switch.depth=8", "prediction.order=2"],
    "adaptive": ['switch.routing="dimension_order"', "switch.radix=[4, 4]", "adaptive.kind=escape"],
    "cut through": ["switch.buffering=dynamic", "switch.max_packet=3", "switch.speedup=2"],
}


def uncommented(head):
    return [line.removeprefix("//").strip() for line in head.splitlines()]


def test_command_line_shows_it():
    done = CliRunner().invoke(command_line(), ["--version"])
    assert done.exit_code == 0
    assert done.output == f"tsuji {VERSION}\n"


def test_changelog_and_license_go_with_it():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.+?)\]", changes, re.MULTILINE)[0] in ("Unreleased", VERSION)
    assert PROJECT["license"] == "BSD-2-Clause"
    for file in PROJECT["license-files"]:
        assert "tsuji contributors" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("settings", CHANGED.values(), ids=CHANGED)
def test_head_of_verilog_can_be_read_as_a_configuration(settings, tmp_path):
    params = switch_params(read_config(None, settings))
    head = verilog_head(params, "router")
    lines = uncommented(head)
    assert lines[0] == f"router, written by tsuji {VERSION}"
    everything = lines[lines.index("All parameters:") + 1 :]
    file = tmp_path / "switch.toml"
    file.write_text("\n".join(everything), encoding="utf-8")
    assert switch_params(read_config(file)) == params
    named = " ".join(everything)
    for key in SwitchParams.model_fields:
        assert re.search(rf"\b{key}\b", named), key


def test_head_of_verilog_names_what_was_changed():
    params = switch_params(read_config(None, CHANGED["cached"]))
    lines = uncommented(verilog_head(params, "router"))
    begin = lines.index("Parameters that differ from their default:") + 1
    changed = lines[begin : lines.index("", begin)]
    assert changed == ["switch.vcs = 4", "cache.ways = 1", 'cache.policy = "fifo"', "cam.latency = 12"]
    lines = uncommented(verilog_head(SwitchParams(), "router"))
    assert lines[lines.index("Parameters that differ from their default:") + 1] == "none"


def test_verilog_is_a_head_and_what_the_hardware_is():
    small = ["--set", "switch.ports=2", "--set", "switch.data_width=16", "--set", "cache.entries=0"]
    command = [sys.executable, "-c", "from tsuji.cli import main; main()", "verilog", *small, "--no-table"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    from hdl.interface_page import interface_page
    from hdl.switch import Switch
    from hdl.switch_module import SwitchModule
    from hdl.verilog import component_verilog

    params = switch_params(read_config(None, small[1::2]))
    name = "tsuji_switch"
    head, _, rtl = done.stdout.partition("\n`timescale 1ns / 1ps\n\n")
    assert rtl == component_verilog(Switch(params), name)
    lines = [line.removeprefix("//").removeprefix(" ") for line in head.splitlines()]
    page = interface_page(SwitchModule(params, table=False), name).splitlines()
    assert (
        lines
        == [line.removeprefix("// ").removeprefix("//") for line in verilog_head(params, name).splitlines()] + page
    )
