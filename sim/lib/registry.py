"""A folder whose files enter what they offer under a name, so that adding one is adding one file."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from models.errors import TsujiError
from models.params import Params


class Kind(Params, ABC):
    """Parameters of one of several kinds of a thing.

    Attributes
    ----------
    kind : str
        Name in configurations.
    """

    kind: ClassVar[str]

    @property
    def files(self) -> tuple[Path, ...]:
        """Files beside the configuration whose content figures depend on."""
        return ()


K = TypeVar("K", bound=Kind)
C = TypeVar("C", bound=type[Kind])


class Registry(Generic[K]):
    """The kinds of a thing, by name.

    Parameters
    ----------
    package : str
        Package whose modules enter kinds; imported when they are asked for.
    key : str
        Configuration key that names a kind, for messages.
    """

    def __init__(self, package: str, key: str) -> None:
        self.key = key
        self._package = package
        self._kinds: dict[str, type[K]] = {}
        self._complete = False

    def enter(self, kind: C) -> C:
        """Enter a class under its `kind`; a decorator."""
        if kind.kind in self._kinds:
            raise ValueError(f"{self.key}: {kind.kind} is entered twice")
        self._kinds[kind.kind] = kind  # type: ignore[assignment]
        return kind

    def names(self) -> list[str]:
        """Return all names in alphabetical order."""
        if not self._complete:
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            self._complete = True
        return sorted(self._kinds)

    def _import(self, name: str) -> None:
        """Import the module that bears a kind's name, if there is one: all of them take a tenth of a second."""
        package = importlib.import_module(self._package)
        if any(module.name == name for module in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{self._package}.{name}")

    def get(self, name: object) -> type[K]:
        """Return a kind by name.

        Raises
        ------
        TsujiError
            If there is none of that name.
        """
        if isinstance(name, str):
            if name not in self._kinds:
                self._import(name)
            if name in self._kinds or name in self.names():
                return self._kinds[name]
        raise TsujiError(f"{self.key} = {name!r}: must be one of {', '.join(self.names())}")
