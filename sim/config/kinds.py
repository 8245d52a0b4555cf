"""Sections of a configuration whose keys depend on a kind: topology, routing, traffic."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, Field, create_model

from models.errors import TsujiError
from models.params import Params
from models.params.config_file import Table, build
from sim.lib.registry import Kind, Registry
from sim.traffic.arrivals import ARRIVALS, Arrivals
from sim.traffic.closed_loop import ClosedLoop
from sim.traffic.draws import Draws
from sim.traffic.injection import Injection
from sim.traffic.pattern import PATTERNS, Pattern
from sim.traffic.sizes import Sizes

K = TypeVar("K", bound=Kind)


class LoadParams(Params):
    """Offered traffic.

    Parameters
    ----------
    load : float
        Flits/node/cycle.
    """

    load: Annotated[float, Field(gt=0, le=65536)] = 0.1


def kind_named(registry: Registry[K], table: Table, default: str) -> type[K]:
    """Return the kind that the registry's key names.

    Raises
    ------
    TsujiError
        If there is no kind of that name.
    """
    section, _, key = registry.key.partition(".")
    try:
        return registry.get(table.get(section, {}).get(key, default))
    except TsujiError as error:
        raise TsujiError(f"{table.origin(registry.key)}{error}") from error


def kind_of(registry: Registry[K], table: Table, section: str, default: str) -> K:
    """Return the parameters of a section whose key `kind` selects their class.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    values = {key: value for key, value in table.get(section, {}).items() if key != "kind"}
    kind = kind_named(registry, table, default)
    _refuse_others([registry], values, table, section, kind)
    return build(kind, values, table, section)


def traffic(table: Table) -> tuple[Pattern, Arrivals, Sizes, LoadParams, Draws, ClosedLoop, Injection]:
    """Return the seven parts of [traffic], whose keys share one section.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    pattern = kind_named(PATTERNS, table, "uniform")
    arrivals = kind_named(ARRIVALS, table, "bernoulli")
    values = {key: value for key, value in table.get("traffic", {}).items() if key not in ("pattern", "arrivals")}
    parts = (pattern, arrivals, Sizes, LoadParams, Draws, ClosedLoop, Injection)
    model = create_model("Traffic", __base__=parts)
    _refuse_others([PATTERNS, ARRIVALS], values, table, "traffic", model)
    whole = build(model, values, table, "traffic")
    given = whole.model_fields_set
    made = (
        part.model_validate({name: getattr(whole, name) for name in part.model_fields if name in given})
        for part in parts
    )
    return cast("tuple[Pattern, Arrivals, Sizes, LoadParams, Draws, ClosedLoop, Injection]", tuple(made))


def _refuse_others(
    registries: list[Registry[Any]], values: dict[str, Any], table: Table, section: str, model: type[BaseModel]
) -> None:
    """Refuse keys that belong only to kinds that were not chosen; the message names those kinds."""
    for key in values.keys() - model.model_fields.keys():
        users = [
            f'{registry.key} = "{name}"'
            for registry in registries
            for name in registry.names()
            if key in registry.get(name).model_fields
        ]
        if users:
            raise TsujiError(
                f"{table.origin(f'{section}.{key}')}{section}.{key} = {values[key]!r}: only {' or '.join(users)} uses "
                "it; leave it out"
            )
