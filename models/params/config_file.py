"""Configuration files: TOML and `key=value` overrides; every error message names the file and line of the value.

`read_config` returns nested tables; `build` turns one table into its parameter class; `switch_params` joins the
sections of a switch. A refused value is reported as

    torus.toml:12: cache.entries = 65: must be 0 (no cache) or a power of two up to 65536
"""

from __future__ import annotations

import difflib
import re
import tomllib
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ValidationError, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from models.errors import TsujiError
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, Params, PredictionParams, SwitchParams

Model = TypeVar("Model", bound=BaseModel)

OPTIONAL_PARTS: dict[str, type[Params]] = {"lpi": LpiParams, "prediction": PredictionParams, "adaptive": AdaptiveParams}
PARTS: dict[str, type[Params]] = {"cache": CacheParams, "cam": CamParams, **OPTIONAL_PARTS}
SWITCH_SECTIONS = ("switch", *PARTS)

OVERRIDE = "--set"


class Setting(str):
    """An override `key=value` from Python, or of a point of a sweep: messages name its key, not an option."""

    __slots__ = ()


_ARRAY = re.compile(r"^\s*\[\[\s*([^\[\]]+?)\s*\]\]\s*(?:#.*)?$")
_HEADER = re.compile(r"^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_\-.\"' ]+?)\s*=")


class Table(dict[str, Any]):
    """Configuration as nested dictionaries that also record where each key was set.

    Attributes
    ----------
    origins : dict of str to str
        From dotted key to "file:line" or "--set key=value"; a key that a `Setting` set has none.
    """

    def __init__(self, values: dict[str, Any] | None = None, origins: dict[str, str] | None = None) -> None:
        super().__init__(values or {})
        self.origins = origins or {}

    def origin(self, key: str) -> str:
        """Return the place where a dotted key was set, followed by ": "; "" if unknown."""
        place = self.origins.get(key)
        return f"{place}: " if place else ""

    def folder(self, key: str) -> Path:
        """Return the folder that paths in a dotted key's value are relative to: the file's, else the working one."""
        file, colon, _ = self.origins.get(key, "").rpartition(":")
        return Path() if not colon or file.startswith(OVERRIDE) else Path(file).parent


def _beside(path: Path, info: ValidationInfo) -> Path:
    """Return `path` relative to its configuration file; unchanged if there is none."""
    if not info.context:
        return path
    return Path(info.context["table"].folder(f"{info.context['section']}.{info.field_name}")) / path


ConfigPath = Annotated[Path, AfterValidator(_beside)]  # relative to the configuration file that contains it


def read_config(path: Path | None, overrides: Iterable[str] = ()) -> Table:
    """Read a TOML file and apply overrides.

    Parameters
    ----------
    path : Path or None
        TOML file; None starts from an empty configuration.
    overrides : iterable of str
        `a.b=value` each; later ones win. The value is read as TOML, else as a string, so quotes may be omitted.
        Messages call it an option `--set`, unless it is a `Setting`.

    Returns
    -------
    Table
        Nested dictionaries; only the syntax is checked.

    Raises
    ------
    TsujiError
        If the file is missing or not TOML, or an override has no key or value.
    """
    table = Table()
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise TsujiError(f"{path}: cannot be read: {reason}") from error
        try:
            table = Table(tomllib.loads(text), _origins(path, text))
        except tomllib.TOMLDecodeError as error:
            raise TsujiError(f"{path}: not TOML: {error}") from error
    for override in overrides:
        _override(table, override)
    return table


def build(model: type[Model], values: dict[str, Any], table: Table, section: str) -> Model:
    """Return `values` as checked parameters of class `model`.

    Parameters
    ----------
    model : type of BaseModel
        Parameter class.
    values : dict
        Its fields; nested tables for nested classes.
    table : Table
        Table from which `values` are, for the places named in messages.
    section : str
        Name of the section, the prefix of its keys; "" for the top level.

    Raises
    ------
    TsujiError
        One line for each refused key: place, key, value, what is allowed.
    """
    try:
        return model.model_validate(values, context={"table": table, "section": section})
    except ValidationError as error:
        lines = [_refusal(model, details, table, section) for details in error.errors(include_url=False)]
        raise TsujiError("\n".join(dict.fromkeys(lines))) from error


def check_sections(table: Table, allowed: Iterable[str]) -> None:
    """Refuse sections that no part of the program reads.

    Raises
    ------
    TsujiError
        Names the first unknown section or stray key, and what is allowed.
    """
    names = sorted(allowed)
    for name, value in table.items():
        if name not in names:
            raise TsujiError(f"{table.origin(name)}[{name}]: unknown section; {_allowed(name, names)}")
        if not isinstance(value, dict):
            raise TsujiError(
                f"{table.origin(name)}{name} = {value!r}: is a section; write [{name}] or {name}.key=value"
            )


def switch_params(table: Table) -> SwitchParams:
    """Return the switch that the sections in `SWITCH_SECTIONS` describe.

    Keys left out have their defaults. Without [lpi], [prediction] or [adaptive] the switch lacks that feature.

    Raises
    ------
    TsujiError
        One line for each refused key: place, key, value, what is allowed.
    """
    check_sections(
        Table({name: table[name] for name in SWITCH_SECTIONS if name in table}, table.origins), SWITCH_SECTIONS
    )
    for name in PARTS:
        if name in table.get("switch", {}):
            raise TsujiError(f"{table.origin(f'switch.{name}')}switch.{name}: has a section of its own, [{name}]")
    parts = {name: build(part, table[name], table, name) for name, part in PARTS.items() if name in table}
    found = build(SwitchParams, {**table.get("switch", {}), **parts}, table, "switch")
    for section in ("cache", "cam"):
        if section in table and not found.has_cam:
            warnings.warn(f'[{section}] has no effect: switch.routing = "{found.routing}" uses no CAM', stacklevel=2)
    return found


def _origins(path: Path, text: str) -> dict[str, str]:
    """Find the line of each key; assumes one `key =` or `[section]` per line, the usual form of TOML.

    Keys of the first table of an array `[[a.b]]` are `a.b.0.key`.
    """
    origins: dict[str, str] = {}
    counts: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := _ARRAY.match(line):
            array = _dotted(match[1])
            section = f"{array}.{counts.setdefault(array, 0)}"
            counts[array] += 1
            for name in (section, array, array.split(".")[0]):
                origins.setdefault(name, f"{path}:{number}")
        elif match := _HEADER.match(line):
            section = _dotted(match[1])
            origins.setdefault(section, f"{path}:{number}")
            origins.setdefault(section.split(".")[0], f"{path}:{number}")
        elif match := _KEY.match(line):
            key = _dotted(match[1])
            origins[f"{section}.{key}" if section else key] = f"{path}:{number}"
    return origins


def _dotted(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _override(table: Table, override: str) -> None:
    """Apply one override `a.b=value` to the table."""
    key, equals, text = override.partition("=")
    path = [part.strip() for part in key.split(".")]
    option = None if isinstance(override, Setting) else f"{OVERRIDE} {override}"
    if not equals or not all(path):
        how = f"key=value, such as {OVERRIDE} cache.entries=128" if option else "section.key, such as cache.entries"
        raise TsujiError(f"{option or repr(key)}: write {how}")
    target: dict[str, Any] = table
    for part in path[:-1]:
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            raise TsujiError(f"{option or key}: {part} is a value, not a section")
    target[path[-1]] = _value(text.strip())
    table.origins.pop(".".join(path), None)
    if option:
        table.origins[".".join(path)] = option


def _value(text: str) -> Any:
    """Read a value as TOML, else as the string itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _refusal(model: type[BaseModel], details: ErrorDetails, table: Table, section: str) -> str:
    """Return the error message for one refused key."""
    message = details["msg"].removeprefix("Value error, ")
    path = [str(part) for part in details["loc"] if isinstance(part, str) and "[" not in part]
    if not path:  # a check of several fields: its message names the field itself
        name = re.split(r"[ :=]", message, maxsplit=1)[0]
        key = name if name in table.origins else f"{section}.{name}"
        prefix = "" if "." in name or not section else f"{section}."
        return f"{table.origin(key)}{prefix}{message}"
    field = _to_field(model, path)
    if len(field) < len(path) or any(
        "[" in str(part) for part in details["loc"]
    ):  # the last part is a kind of value that was tried; all kinds were refused
        path, message = field, "not an allowed value"
    key = ".".join([section, *path]) if section else ".".join(path)
    if details["type"] == "extra_forbidden":
        names = [
            name for name in sorted(_fields(model, path[:-1])) if section != "switch" or name not in SWITCH_SECTIONS
        ]
        return f"{table.origin(key)}{key} = {details['input']!r}: unknown key; {_allowed(path[-1], names)}"
    if details["type"] == "missing":
        return f"{table.origin(section)}{key} is not set: {message}"
    if details["type"] == "tuple_type":
        message = "must be a list"
    place = "".join(f"[{part}]" for part in details["loc"] if isinstance(part, int))
    return f"{table.origin(key)}{key}{place} = {details['input']!r}: {message}; allowed: {_range(model, path)}"


def _to_field(model: type[BaseModel], path: list[str]) -> list[str]:
    """Return the part of `path` up to the first field that holds values, else all of it."""
    for end in range(1, len(path)):
        field = _fields(model, path[: end - 1]).get(path[end - 1])
        if field is not None and _fields(model, path[:end]) is _fields(model, path[: end - 1]):
            return path[:end]
    return path


def _fields(model: type[BaseModel], path: list[str]) -> dict[str, FieldInfo]:
    """Return the fields of the class to which a path of field names leads."""
    for name in path:
        annotation = model.model_fields[name].annotation
        inner = [kind for kind in (annotation, *get_args(annotation)) if isinstance(kind, type)]
        model = next((kind for kind in inner if issubclass(kind, BaseModel)), model)
    return model.model_fields


def _range(model: type[BaseModel], path: list[str]) -> str:
    """Return the values that a field allows, as text."""
    field = _fields(model, path[:-1]).get(path[-1])
    if field is None:
        return "a single value"
    return ", ".join(filter(None, (" and ".join(_annotation(field.annotation)), " and ".join(_limits(field.metadata)))))


def _annotation(kind: Any) -> list[str]:
    """Return the values that a type allows: its choices, its limits, or its name."""
    if get_origin(kind) is Literal:
        return [", ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in get_args(kind))]
    inner = [part for part in get_args(kind) if part not in (type(None), Ellipsis)]
    if get_origin(kind) is tuple:
        each = ", ".join(" and ".join(_annotation(part)) for part in inner)
        return [f"[{each}, ...]" if Ellipsis in get_args(kind) else f"[{each}]"]
    if get_origin(kind) is Annotated:
        limits = [limit for part in inner[1:] for limit in _limits(getattr(part, "metadata", [part]))]
        return limits or _annotation(inner[0])
    if inner:
        return [" or ".join(" and ".join(_annotation(part)) for part in inner)]
    return [_NAMES.get(kind, getattr(kind, "__name__", str(kind)))]


def _limits(metadata: Iterable[Any]) -> list[str]:
    return [f"{sign} {getattr(limit, name)}" for limit in metadata for name, sign in _SIGNS if hasattr(limit, name)]


_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a string", Path: "a path"}
_SIGNS = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))


def _allowed(name: str, names: list[str]) -> str:
    """List the allowed names, led by a close match if there is one."""
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}allowed: {', '.join(names)}"
