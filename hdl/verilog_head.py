"""Comment at the head of generated Verilog: program version and all parameters of the switch.

The parameters are listed as a configuration file: without its `//` it can be read back. There is no model and no bench;
`tests/tsuji/test_version.py` reads the list back.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from models.params import SwitchParams
from models.params.config_file import SWITCH_SECTIONS


def verilog_head(params: SwitchParams, name: str) -> str:
    """Return the head comment: program, version and all parameters of a switch, changed ones first.

    Parameters
    ----------
    params : SwitchParams
        Parameters to list.
    name : str
        Name of the Verilog module.
    """
    defaults = _settings(SwitchParams())
    settings = _settings(params)
    lines = [f"{name}, written by tsuji {version('tsuji')}", "", "Parameters that differ from their default:"]
    lines += [f"  {key} = {value}" for key, value in settings.items() if defaults.get(key) != value] or ["  none"]
    lines += ["", "All parameters:"]
    for key, value in settings.items():
        lines.append(f"  # {key} is not set" if value is None else f"  {key} = {value}")
    if not params.has_cam:
        lines.append(f'  # cache and cam are not used: switch.routing = "{params.routing}"')
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + "\n"


def _settings(params: SwitchParams) -> dict[str, str | None]:
    """Return the value of each key of a configuration file as TOML; None for a key that is not set."""
    document: dict[str, Any] = params.model_dump(mode="json")
    sections = {name: document.pop(name) for name in SWITCH_SECTIONS[1:]}
    found = {f"switch.{key}": _toml(value) for key, value in document.items()}
    for name, section in sections.items():
        if section is None:
            found[name] = None
        elif params.has_cam or name not in ("cache", "cam"):
            found |= {f"{name}.{key}": _toml(value) for key, value in section.items()}
    return found


def _toml(value: Any) -> str | None:
    """Return a value as TOML, in which numbers, strings and lists of them are written as in JSON."""
    return None if value is None else json.dumps(value)
