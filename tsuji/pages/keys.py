"""The page "Keys": every key of a configuration with its type, default and limits, from the classes that check it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Any

from models.params import CacheParams, CamParams, LinkParams, LpiParams, SwitchParams
from models.params.config_file import SWITCH_SECTIONS
from models.params.parts import AdaptiveParams, Params, PredictionParams
from sim.config import load
from sim.config.kinds import LoadParams
from sim.config.measure import MeasureParams
from sim.config.message_classes import KEY, ClassKeys
from sim.config.planes import PlanesSection
from sim.config.power import PowerParams
from sim.config.run import RunParams
from sim.config.workload import WorkloadParams
from sim.lib.registry import Registry
from sim.routing.base import ALGORITHMS
from sim.topology.family import FAMILIES
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.closed_loop import ClosedLoop
from sim.traffic.draws import Draws
from sim.traffic.injection import Injection
from sim.traffic.pattern import PATTERNS
from sim.traffic.sizes import Sizes

Schema = Mapping[str, Any]

# Sections in the order of the page: classes whose fields are keys, and registries whose kinds have keys of their own.
SECTIONS: dict[str, tuple[type[Params] | Registry[Any], ...]] = {
    "switch": (SwitchParams,),
    "cache": (CacheParams,),
    "cam": (CamParams,),
    "lpi": (LpiParams,),
    "prediction": (PredictionParams,),
    "adaptive": (AdaptiveParams,),
    "link": (LinkParams,),
    "topology": (FAMILIES,),
    "planes": (PlanesSection,),
    "routing": (ALGORITHMS,),
    "traffic": (LoadParams, Draws, Sizes, PATTERNS, ARRIVALS, ClosedLoop, Injection),
    "workload": (WorkloadParams,),
    "power": (PowerParams,),
    "measure": (MeasureParams,),
    "run": (RunParams,),
}

HEAD = """\
# Keys

Made from the classes that check a configuration: what each key takes, and its default.
[Configuration](configuration.md) says which defaults follow from the network (`switch.ports`, `switch.radix` and
others), how keys depend on each other, and which sections change the network when they are there at all.
"""

TABLE = "| key | takes | default | meaning |\n| --- | --- | --- | --- |\n"


def page() -> str:
    """Return the page, in Markdown; it lies in docs/reference/."""
    return HEAD + "".join(_section(name, parts) for name, parts in SECTIONS.items())


def _section(section: str, parts: Iterable[type[Params] | Registry[Any]]) -> str:
    """Return a section: one table of keys that are always there, one for each kind that has more."""
    common, kinds = [], []
    for part in parts:
        if isinstance(part, Registry):
            names = ", ".join(f"`{name!r}`".replace("'", '"') for name in part.names())
            usual = _usual(part.key)
            common.append(f'| `{part.key}` | one of {names} | `"{usual}"` | Its own keys are below, if it has any. |')
            kinds += [(part.key, name, part.get(name)) for name in part.names()]
        else:
            common += rows(section, part)
    text = f"\n## [{section}]\n\n{TABLE}" + "\n".join(common) + "\n"
    for key, name, kind in kinds:
        if own := rows(section, kind):
            text += f'\n### {key} = "{name}"\n\n{TABLE}' + "\n".join(own) + "\n"
    if section == "traffic":
        text += f"\n### [[{KEY}]]\n\n{TABLE}" + "\n".join(rows(KEY, ClassKeys)) + "\n"
    return text


def _usual(key: str) -> Any:
    """Return the value of a key in the default configuration."""
    section, _, name = key.partition(".")
    return load(None).document()[section][name]


def rows(section: str, part: type[Params]) -> list[str]:
    """Return a row for each key of a class.

    Parameters
    ----------
    section : str
        Section of the configuration.
    part : class
        Parameters; sections that are nested in a switch's are left out.
    """
    schema, told = part.model_json_schema(), meanings(part)
    found = []
    for name, field in schema.get("properties", {}).items():
        if part is SwitchParams and name in SWITCH_SECTIONS:
            continue
        cells = f"`{section}.{name}`", _takes(field), _default(part, name), told.get(name, "")
        found.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return found


def meanings(part: type[Params]) -> dict[str, str]:
    """Return what each parameter means, by name, from the numpydoc docstrings of a class and of those it derives from.

    Parameters
    ----------
    part : class
        Parameters.
    """
    told: dict[str, str] = {}
    for each in reversed(part.__mro__):
        listed = re.search(r"^Parameters\n-+\n(.*?)(?=\n\w+\n---|\Z)", cleandoc(each.__doc__ or ""), re.S | re.M)
        for names, text in re.findall(r"^(\w[\w, ]*) : .*\n((?:[ ].*\n?|\n)+)", listed[1] if listed else "", re.M):
            told |= {name.strip(): " ".join(text.split()) for name in names.split(",")}
    return told


def _takes(field: Schema) -> str:
    """Return type and limits of a JSON schema in words."""
    if "anyOf" in field:
        return " or ".join(_takes(each) for each in field["anyOf"] if each.get("type") != "null")
    if "enum" in field or "const" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field.get("enum", [field.get("const")]))
    kind = {"integer": "whole number", "number": "number", "boolean": "`true`, `false`", "string": "text"}
    if field.get("type") == "array":
        items: Schema = field.get("items") or next(iter(field.get("prefixItems", [])), {})
        size = f", at most {field['maxItems']}" if "maxItems" in field else ""
        return f"list{size}: {_takes(items)}"
    if field.get("type") == "object":
        return "table"
    limits = {"minimum": "≥ {}", "exclusiveMinimum": "> {}", "maximum": "≤ {}", "exclusiveMaximum": "< {}"}
    bounds = [text.format(f"{field[limit]:,}") for limit, text in limits.items() if limit in field]
    return ", ".join([kind.get(field.get("type", ""), "text"), *bounds])


def _default(part: type[Params], name: str) -> str:
    """Return a key's default as a configuration says it."""
    field = part.model_fields[name]
    if field.is_required():
        return "must be given"
    value = field.get_default(call_default_factory=True)
    if value is None:
        return "unset"
    return f"`{json.dumps(value, default=str)}`"
