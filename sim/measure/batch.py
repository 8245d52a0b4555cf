"""Measurement of a batch: fill caches, let every node send its packets, and record when all are delivered."""

from __future__ import annotations

from sim.measure.batch_figures import BatchFigures, batch_figures
from sim.measure.open_loop import Measurement
from sim.measure.period import Period
from sim.packets import Delivered


class BatchMeasurement(Measurement):
    """Measures one batch, from an empty network to an empty network; `stream` is a `Batch`."""

    def _warm_up(self) -> None:
        """Wait until the network is empty: filling caches ends with packets in flight."""
        while not self.network.idle():
            self.network.advance(max(1, self.params.period // 10))
            self._tell("emptying the network", 1)
        self._shift = self.network.cycle

    def _measure(self) -> list[Period]:
        """Offer the batch; return the periods until all of it is delivered."""
        periods = [self._period(judge=False)]
        while not self.network.idle():
            periods.append(self._period(judge=False))
            done = sum(len(period.delivered) for period in periods)
            left = (periods[0].offered - done) * len(periods) / max(1, done)
            self._tell("measuring", int(left) + 1)
        return periods

    def _lasted(self, packets: Delivered, begin: int, end: int) -> int:
        """Return the cycles until the last packet left."""
        return int(packets.eject.max()) - begin if len(packets) else end - begin

    def _completion(self, packets: Delivered, begin: int) -> BatchFigures:
        """Return the completion times."""
        return batch_figures(packets, self.loop.reply_size > 0, self.network.topology.nodes, begin)
