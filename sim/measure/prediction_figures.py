"""Success of output-port prediction, and share of the traffic that took the bypass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.formats import Counter
from models.params import SwitchParams
from sim.topology.base import NOBODY, Topology
from sim.topology.dimensions import link_dimensions


class PredictionFigures(NamedTuple):
    """Prediction of all switches in the measurement window; None without prediction or counters.

    `success` is the number of correct predictions ÷ the number of predictions. The next four are correct predictions ÷
    all packets that arrived, dropped packets excepted, whether or not a port was predicted and whether or not it was
    idle: over all hops, those from and to nodes included; over channels, which are the input ports with links from
    other switches; of each input port, over all switches; and of the channels of each dimension, empty for a topology
    without dimensions. They are None where no packet arrived. `bypassed_heads` and `bypassed_flits` are shares of the
    packets and flits sent; `squashed` counts heads sent to a wrong output.
    """

    success: float | None
    all_hops: float | None
    channels: float | None
    port: list[float | None]
    dimension: list[float | None]
    bypassed_heads: float | None
    bypassed_flits: float | None
    squashed: int | None


def prediction_figures(switch: SwitchParams, topology: Topology, counted: np.ndarray) -> PredictionFigures:
    """Return the figures.

    Parameters
    ----------
    switch : SwitchParams
        Parameters of every switch.
    topology : Topology
        Topology, which says which ports have links to other switches, and in which dimension.
    counted : numpy.ndarray
        Increment of each counter, int64 [switches, ports, Counter].

    Notes
    -----
    The paper's example (paper C, section 2: 256 of 640 paths of a 4×4 mesh) is over channels; its closed forms are over
    all hops.
    """
    if switch.prediction is None or not switch.counter_width:
        return PredictionFigures(None, None, None, [], [], None, None, None)
    total = counted.sum(axis=(0, 1))
    right = counted[..., Counter.PREDICT_RIGHT]
    packets = counted[..., Counter.PACKETS_IN] - counted[..., Counter.PACKETS_DROPPED]
    channel = topology.peer_switch != NOBODY
    dimensions = link_dimensions(topology)
    of = [] if dimensions is None else [dimensions == number for number in range(topology.coordinates.shape[1])]
    return PredictionFigures(
        _share(total[Counter.PREDICT_RIGHT], total[Counter.PREDICT_RIGHT] + total[Counter.PREDICT_WRONG]),
        _share(right.sum(), packets.sum()),
        _share(right[channel].sum(), packets[channel].sum()),
        [_share(right[:, port].sum(), packets[:, port].sum()) for port in range(topology.ports)],
        [_share(right[links].sum(), packets[links].sum()) for links in of],
        _share(total[Counter.BYPASS_HEADS], total[Counter.PACKETS_OUT]),
        _share(total[Counter.BYPASS_FLITS], total[Counter.FLITS_OUT]),
        int(total[Counter.BYPASS_SQUASHED]),
    )


def _share(part: np.int64, whole: np.int64) -> float | None:
    return float(part) / float(whole) if whole else None
