"""The LogGOPS parameters of the ideal network (Hoefler, Schneider, Lumsdaine, HPDC 2010)."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field

from models.errors import TsujiError
from models.params import Params
from models.params.config_file import Table, build
from sim.config.costs import Costs

UNITS = 1 << 16  # costs per byte are multiples of this fraction

Time = Annotated[int, Field(ge=0, le=10**12)]
ByteCost = Annotated[float, Field(ge=0, le=10**6)]


class LogGOPS(Params):
    """Parameters of a network without contention, nanoseconds.

    Parameters
    ----------
    L : int
        Latency.
    o : int
        Time for which a CPU is busy with a message, at each end.
    g : int
        Gap: least time between two messages of an interface.
    G : float
        Gap per byte.
    O : float
        Time for which a CPU is busy per byte.
    S : int
        Most bytes of an eager message; a longer one waits for its receiver (rendezvous).
    """

    L: Time = 2500
    o: Time = 1500
    g: Time = 1000
    G: ByteCost = 6.0
    O: ByteCost = 0.0  # noqa: E741
    S: Annotated[int, Field(ge=0, le=1 << 60)] = 65535

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the parameters in `L=2500,o=1500,…`; the others have their defaults.

        Raises
        ------
        TsujiError
            If a parameter is unknown or its value not allowed; the message names both and what is allowed.
        """
        values: dict[str, object] = {}
        for part in filter(None, text.split(",")):
            key, equals, value = part.partition("=")
            key = key.strip()
            if not equals or key not in cls.model_fields:
                raise TsujiError(f"ideal {part}: expected one of {', '.join(f'{name}=…' for name in cls.model_fields)}")
            if key in values:
                raise TsujiError(f"ideal {part}: {key} is given twice")
            try:
                values[key] = float(value) if "." in value or "e" in value.lower() else int(value)
            except ValueError:
                raise TsujiError(f"ideal {part}: expected a number") from None
        return build(cls, values, Table(), "ideal")

    def costs(self) -> Costs:
        """Return the costs as the message layer uses them."""
        return Costs(
            ideal=True,
            latency=self.L,
            send_overhead=self.o,
            receive_overhead=self.o,
            gap=self.g,
            byte_gap=round(self.G * UNITS),
            send_byte=round(self.O * UNITS),
            receive_byte=round(self.O * UNITS),
            eager=self.S,
            cpu_receives=True,
            buffered=True,
        )
