"""The comment at the head of generated Verilog: what wrote it, and every parameter of the switch. Plumbing.

The list of all parameters is a configuration file: without its `//` it can be read again. It is text, no hardware:
there is no model of it and no bench; `tests/tsuji/test_version.py` reads it back.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from models.params import SwitchParams
from models.params.config_file import SWITCH_SECTIONS


def verilog_head(params: SwitchParams, name: str) -> str:
    """Return a comment that names the tool, its version and all parameters of a switch, those changed first.

    Parameters
    ----------
    params : SwitchParams
        The switch.
    name : str
        Name of its module.
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
    """Return the value of each key of a configuration file, as TOML; None for what is not set."""
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
    """Return a plain value as TOML, in which numbers, texts and lists of them are written as in JSON."""
    return None if value is None else json.dumps(value)
