"""Registry of properties: the lists `PROPERTIES` of the modules in `specs/`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from models.errors import TsujiError
from synth.formal import specs
from synth.formal.property import Property


@cache
def properties() -> tuple[Property, ...]:
    """Return all properties, sorted by component."""
    names = sorted(module.name for module in pkgutil.iter_modules(specs.__path__))
    modules = [importlib.import_module(f"{specs.__name__}.{name}") for name in names]
    return tuple(item for module in modules for item in module.PROPERTIES)


def find(name: str) -> Property:
    """Return the property called `name`.

    Raises
    ------
    TsujiError
        If there is no such property.
    """
    for item in properties():
        if item.name == name:
            return item
    raise TsujiError(f"{name}: no such property; there are {'; '.join(item.name for item in properties())}")
