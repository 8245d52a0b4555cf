"""What follows from `SwitchParams` about predictors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.params.parts import PredictionParams


class Predictors:
    """Properties of a switch: which ports its predictors know."""

    if TYPE_CHECKING:  # fields and properties of `SwitchParams`
        ports: int
        routing: str
        radix: tuple[int, ...]
        prediction: PredictionParams | None

        @property
        def first_local(self) -> int:
            """As in `SwitchParams`."""

        @property
        def port_bits(self) -> int:
            """As in `SwitchParams`."""

    @property
    def straight_ports(self) -> int:
        """Ports below this number are opposite in pairs."""
        given = self.prediction.straight_ports if self.prediction else None
        if given is not None:
            return given
        return 2 * len(self.radix) if self.routing == "dimension_order" else (self.ports - 1) // 2 * 2

    @property
    def static_local(self) -> str:
        """What static predictors of local ports name, as `PredictionParams.local`."""
        return self.prediction.local if self.prediction else "none"

    @property
    def predicts_local(self) -> bool:
        """Whether static predictors of local ports name an output."""
        return self.static_local != "none"

    @property
    def first_predicted_local(self) -> int:
        """Ports from this number on are local ports."""
        return max(self.straight_ports, self.first_local if self.first_local < self.ports else 0)

    @property
    def context_bits(self) -> int:
        """Width in bits of the context of a history predictor."""
        if self.prediction is None or self.prediction.kind != "history":
            return 0
        return (self.prediction.order or 2) * self.port_bits
