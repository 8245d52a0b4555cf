"""Descriptions of networks from Python: a file, sections of keys, or a graph; as a file and overrides of keys."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from models.errors import TsujiError
from models.params.config_file import Setting
from sim.topology.graph import is_graph, to_keys

if TYPE_CHECKING:
    import networkx as nx

    Description: TypeAlias = str | os.PathLike[str] | Mapping[str, Mapping[str, Any] | nx.Graph[Any]] | nx.Graph[Any]
    """A TOML file, sections of keys, whose topology may be an undirected graph, or such a graph alone."""


def without_load(description: Description) -> Description:
    """Return a description without its load, which a search chooses."""
    if not isinstance(description, Mapping) or not isinstance(traffic := description.get("traffic"), Mapping):
        return description
    return {**description, "traffic": {key: value for key, value in traffic.items() if key != "load"}}


def source(description: Description, settings: Mapping[str, Any] | None) -> tuple[Path | None, list[str]]:
    """Return a description as a file and overrides."""
    given: list[str] = [Setting(f"{key}={_toml(value)}") for key, value in (settings or {}).items()]
    if is_graph(description):
        description = {"topology": description}
    if isinstance(description, str | os.PathLike):
        return Path(description), given
    if not isinstance(description, Mapping):
        raise TsujiError(f"{description!r}: no description; must be a path, sections of keys, or a graph of networkx")
    sections: list[str] = []
    for name, section in description.items():
        if section is None:
            continue
        keys = to_keys(section) if name == "topology" and is_graph(section) else section
        if not isinstance(keys, Mapping):
            key, _, inner = name.partition(".")
            raise TsujiError(f'{name} = {keys!r}: no section; write {{"{key}": {{"{inner or "key"}": …}}}}')
        # A section turns its feature on even if it is empty.
        sections.append(Setting(f"{name}={{}}"))
        sections += [Setting(f"{name}.{key}={_toml(value)}") for key, value in keys.items() if value is not None]
    return None, sections + given


def _toml(value: Any) -> str:
    """Return a value as `text_of`; tables, also in lists, as those of TOML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return text_of(value)


def text_of(value: Any) -> str:
    """Return a value, of NumPy or a path included, as the configuration language writes it."""
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """Return a value that JSON does not know as a plain value.

    Raises
    ------
    TsujiError
        If no key can have it.
    """
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TsujiError(f"{value!r}: no key takes a {type(value).__name__}; use numbers, text, paths or lists of them")
