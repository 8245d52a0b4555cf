"""The section [planes]: number of planes, their coordinates, and how nodes choose among them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params import Params, index_width
from models.params.planes import MAX_ADDRESS_BITS, PlaneParams
from sim.topology.base import Topology
from sim.topology.cables import CabledFamily
from sim.topology.family import Family
from sim.topology.hypercube import HypercubeFamily

MAX_PLANES = 16


class PlanesSection(Params):
    """Several planes of one network, on the same nodes.

    Parameters
    ----------
    count : int or None
        Number of planes; follows from `generators` if these are given, else 2.
    generators : tuple of tuple of int
        Each plane's generators, as `topology.generators`, for hypercubes only; empty: all planes as [topology].
    latencies : tuple of tuple of int
        Each plane's cable latencies, as `topology.latencies`; empty: all planes as [topology].
    spacing : tuple of float
        Metres between neighbouring switches of each plane, as `topology.spacing`; empty: as [topology].
    tie : {"hash", "alternate", "lowest"}
        Choice among planes with equally short paths: by parities of address bits, each plane in turn, or the lowest
        plane; "lowest" is refused if all planes are alike.
    """

    count: Annotated[int, Field(ge=1, le=MAX_PLANES)] | None = None
    generators: Annotated[tuple[tuple[int, ...], ...], Field(max_length=MAX_PLANES)] = ()
    latencies: Annotated[tuple[tuple[int, ...], ...], Field(max_length=MAX_PLANES)] = ()
    spacing: Annotated[tuple[float, ...], Field(max_length=MAX_PLANES)] = ()
    tie: Literal["hash", "alternate", "lowest"] = "hash"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.generators and self.count not in (None, len(self.generators)):
            raise ValueError(f"count = {self.count}: planes.generators describes {len(self.generators)}; leave it out")
        for name in ("latencies", "spacing"):
            given = getattr(self, name)
            if given and len(given) != self.planes:
                raise ValueError(f"{name}: {len(given)} given; must be none, or one for each of {self.planes} planes")
        return self

    @property
    def planes(self) -> int:
        """Number of planes."""
        return len(self.generators) or self.count or 2

    def topologies(self, family: Family) -> list[Topology]:
        """Return each plane's topology.

        Raises
        ------
        TsujiError
            If generators are given for a topology that is no hypercube, or do not describe a hypercube.
        """
        families = [self._family(family, plane) for plane in range(self.planes)]
        if not self.generators:
            same = not (self.latencies or self.spacing)
            return [family.build()] * self.planes if same else [each.build() for each in families]
        if not isinstance(family, HypercubeFamily):
            raise TsujiError(
                f'planes.generators = {self._lists()}: only topology.kind = "hypercube" has any; use planes.count'
            )
        if family.generators or family.folded:
            raise TsujiError(
                f"planes.generators = {self._lists()}: leave topology.generators and topology.folded out beside it"
            )
        made: list[Topology] = []
        for plane, generators in enumerate(self.generators):
            try:
                changed = HypercubeFamily.model_validate({**families[plane].model_dump(), "generators": generators})
            except ValueError as error:
                raise TsujiError(f"planes.generators[{plane}] = {list(generators)}: {_reason(error)}") from error
            made.append(changed.build())
            if made[-1].ports != made[0].ports:
                raise TsujiError(
                    f"planes.generators[{plane}] = {list(generators)}: all planes need switches of as many ports as "
                    f"planes.generators[0] = {list(self.generators[0])}"
                )
        return made

    def _family(self, family: Family, plane: int) -> Family:
        """Return the family of a plane, with its own cables."""
        own: dict[str, Any] = {"latencies": self.latencies[plane]} if self.latencies else {}
        own |= {"spacing": self.spacing[plane]} if self.spacing else {}
        for name in own:
            if not isinstance(family, CabledFamily):
                raise TsujiError(f'planes.{name}: topology.kind = "{family.kind}" has no kinds of cables; leave it out')
            given = getattr(family, name)
            if given:
                raise TsujiError(f"planes.{name}: leave topology.{name} out beside it")
        try:
            return type(family).model_validate({**family.model_dump(), **own}) if own else family
        except ValueError as error:
            keys = ", ".join(f"planes.{name}[{plane}] = {_listed(value)}" for name, value in own.items())
            raise TsujiError(f"{keys}: {_reason(error)}") from error

    def params(self, family: Family, nodes: int) -> PlaneParams:
        """Return the nodes' selector.

        Raises
        ------
        TsujiError
            If one plane would get all packets, or there are more nodes than a selector can number.
        """
        alike = len(set(self.generators)) < 2
        if self.tie == "lowest" and alike and self.planes > 1:
            raise TsujiError('planes.tie = "lowest": all planes are alike, so only plane 0 would be used; use "hash"')
        if isinstance(family, HypercubeFamily):
            each = self.generators or (family.all_generators,) * self.planes
            return PlaneParams(bits=family.dimensions, planes=each, tie=self.tie)
        bits = index_width(nodes)
        if bits > MAX_ADDRESS_BITS:
            raise TsujiError(f"[planes]: {nodes} nodes; a selector numbers at most {1 << MAX_ADDRESS_BITS}")
        return PlaneParams(bits=bits, planes=((),) * self.planes, tie=self.tie)

    def _lists(self) -> list[list[int]]:
        return [list(generators) for generators in self.generators]


def _listed(value: Any) -> Any:
    """Return a value as a configuration file writes it."""
    return list(value) if isinstance(value, tuple) else value


def _reason(error: ValueError) -> str:
    """Return the reason of a validation error, without the library's prefix."""
    errors = getattr(error, "errors", None)
    return errors()[0]["msg"].removeprefix("Value error, ") if errors else str(error)
