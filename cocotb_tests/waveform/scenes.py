"""Scenes of the timing diagrams: switches, their packets, and the signals drawn."""

from __future__ import annotations

from dataclasses import dataclass

from cocotb_tests.cases.shared import Case
from models.params import CacheParams, CamParams, PredictionParams, SwitchParams
from models.route.dimension_order import encode

IN, OUT, OTHER = 4, 0, 2  # input and output port of the packet drawn; port of a wrong prediction
FLITS = 3

_LATEST = PredictionParams(kind="latest")


@dataclass(frozen=True)
class Panel:
    """One hop of one packet.

    Parameters
    ----------
    title : str
        Title of the panel.
    case : Case
        Parameters of the switch.
    before : tuple of int
        Output ports of the packets sent before, one after the other.
    hop : int
        Cycles per hop, by microarchitecture.md.
    """

    title: str
    case: Case
    before: tuple[int, ...]
    hop: int

    @property
    def tags(self) -> dict[int, int]:
        """Tags of one destination at each of the two output ports."""
        params, position = self.case.params, self.case.position
        if not position:
            return {OUT: 1, OTHER: 2}
        x, y = position
        return {
            OUT: encode((x + 1, y), 0, params.coordinate_bits),
            OTHER: encode((x, y + 1), 0, params.coordinate_bits),
        }

    @property
    def named(self) -> int:
        """Output port that is predicted: that of the packet before."""
        return self.before[-1]


def _computed(prediction: PredictionParams | None) -> Case:
    params = SwitchParams(
        data_width=16, counter_width=16, routing="dimension_order", radix=(4, 4), prediction=prediction
    )
    return Case(params, (1, 1))


def _cached(prediction: PredictionParams | None) -> Case:
    cache, cam = CacheParams(entries=16, ways=4), CamParams(latency=4, occupancy=1, entries=16)
    return Case(SwitchParams(data_width=16, counter_width=16, cache=cache, cam=cam, prediction=prediction))


SCENES: dict[str, tuple[Panel, ...]] = {
    "computed": (
        Panel("predicted right", _computed(_LATEST), (OUT,), 1),
        Panel("predicted wrong", _computed(_LATEST), (OTHER,), 2),
        Panel("no prediction", _computed(None), (OUT,), 2),
    ),
    "cached": (
        Panel("predicted right", _cached(_LATEST), (OUT,), 1),
        Panel("predicted wrong", _cached(_LATEST), (OUT, OTHER), 3),
        Panel("no prediction", _cached(None), (OUT,), 3),
    ),
}


def signals(panel: Panel) -> dict[str, str]:
    """Return the signals drawn, by name of the row; for a link, the part of the name before "_valid" and "_payload"."""
    unit, params = f"switch.input_unit_{IN}", panel.case.params
    rows = {f"link in {IN}": f"link_in_{IN}_flit"}
    if params.prediction:
        rows |= {"passes": f"{unit}.passes"}
        if params.has_cache:
            output = f"switch.output_unit_{panel.named}"
            rows |= {
                f"speculative, to {panel.named}": f"{output}.forward_speculatively",
                "confirmed": f"{output}.confirmed",
            }
        rows |= {"squashed": f"{unit}.squashed"}
    rows |= {f"link out {out}": f"link_out_{out}_flit" for out in sorted({OUT, panel.named})}
    return rows | {f"credit, link in {IN}": f"link_in_{IN}_credit_valid"}
