"""Sizes of packets."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol, Self

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from models.params import Params
from sim.topology.base import Int64

Size = Annotated[int, Field(ge=1, le=65536)]


class PacketSizes(Protocol):
    """Sizes of packets, all alike, or by source and destination."""

    @property
    def all(self) -> tuple[int, ...]:
        """Every size that occurs, flits."""

    @property
    def key(self) -> str:
        """Key of [traffic] that sets them."""

    @property
    def mean(self) -> float:
        """Mean size, flits."""

    def draw(self, rng: np.random.Generator, source: Int64, destination: Int64) -> Int64:
        """Return the size of a packet of each source and destination, flits."""

    def model_dump(self, *, mode: Literal["json"]) -> dict[str, Any]:
        """Return the keys of [traffic] that set them, with their values."""


class Sizes(Params):
    """One size for all packets, or several sizes, drawn independently per packet.

    Parameters
    ----------
    packet_size : int
        Flits of every packet.
    packet_sizes : tuple of int
        Several sizes instead of `packet_size`, flits; empty: one size.
    packet_weights : tuple of float
        Relative frequency of each of `packet_sizes`; empty: equal.
    """

    packet_size: Size = 4
    packet_sizes: tuple[Size, ...] = ()
    packet_weights: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...] = ()

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.packet_sizes and "packet_size" in self.model_fields_set:
            raise ValueError(f"packet_size = {self.packet_size}: leave it out with packet_sizes")
        if self.packet_weights and len(self.packet_weights) != len(self.packet_sizes):
            raise ValueError(
                f"packet_weights = {list(self.packet_weights)}: must be as many as packet_sizes, "
                f"{len(self.packet_sizes)}"
            )
        return self

    @model_serializer(mode="wrap")
    def _used(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the single size if there are several."""
        values: dict[str, Any] = dump(self)
        if self.packet_sizes:
            values.pop("packet_size", None)
        return values

    @property
    def all(self) -> tuple[int, ...]:
        """Every size that occurs, flits."""
        return self.packet_sizes or (self.packet_size,)

    @property
    def key(self) -> str:
        """Key of [traffic] that sets them."""
        return "packet_sizes" if self.packet_sizes else "packet_size"

    @property
    def mean(self) -> float:
        """Mean size, flits."""
        return float(np.average(self.all, weights=self.packet_weights or None))

    def draw(self, rng: np.random.Generator, source: Int64, destination: Int64) -> Int64:
        """Return the size of a packet of each source and destination, flits; it is the same for all of these."""
        count = len(source)
        if not self.packet_sizes:
            return np.full(count, self.packet_size, np.int64)
        weights = np.array(self.packet_weights or [1.0] * len(self.packet_sizes))
        return rng.choice(np.array(self.packet_sizes, np.int64), count, p=weights / weights.sum())
