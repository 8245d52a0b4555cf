"""Registries: a folder's modules register classes by name, so that adding one takes one file."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from models.errors import TsujiError
from models.params import Params


class Kind(Params, ABC):
    """Parameters of one kind among several, such as a topology or a routing algorithm.

    Attributes
    ----------
    kind : str
        Name in configurations.
    """

    kind: ClassVar[str]

    @property
    def files(self) -> tuple[Path, ...]:
        """Files besides the configuration whose content affects figures."""
        return ()


K = TypeVar("K", bound=Kind)
C = TypeVar("C", bound=type[Kind])


class Registry(Generic[K]):
    """Kinds by name, such as all topologies.

    Parameters
    ----------
    package : str
        Package whose modules register kinds; they are imported on demand.
    key : str
        Configuration key that names a kind, for messages.
    """

    def __init__(self, package: str, key: str) -> None:
        self.key = key
        self._package = package
        self._kinds: dict[str, type[K]] = {}
        self._complete = False

    def enter(self, kind: C) -> C:
        """Register a class under its `kind`; a decorator."""
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
        """Import the module with a kind's name, if there is one: importing all takes 0.1 s."""
        package = importlib.import_module(self._package)
        if any(module.name == name for module in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{self._package}.{name}")

    def get(self, name: object) -> type[K]:
        """Return a kind by name.

        Raises
        ------
        TsujiError
            If there is no kind of that name.
        """
        if isinstance(name, str):
            if name not in self._kinds:
                self._import(name)
            if name in self._kinds or name in self.names():
                return self._kinds[name]
        raise TsujiError(f"{self.key} = {name!r}: must be one of {', '.join(self.names())}")
