"""Length of a simulation and criteria of its phases: the section [measure]."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.params import Params

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, lt=1)]


class MeasureParams(Params):
    """Phases of a measurement and their criteria (`sim.measure.open_loop` says how they are used).

    Parameters
    ----------
    mode : {"open", "batch"}
        "open": traffic is offered regardless of the network's state. "batch": each node sends a batch of packets, until
        all are delivered.
    batch_size : int or None
        Packets per node in a batch.
    period : int
        Sample period, cycles.
    fill_periods : int
        Longest time to fill route caches, in periods of at least 1,000 cycles; 0: start with cold caches.
    fill_load : float
        Load while caches fill, flits/node/cycle.
    fill_backlog : float
        Packets per node in flight above which the traffic that fills caches pauses.
    fill_tolerance : float
        Caches are full when the hit rate changed twice in a row by less than this, or within two standard errors; it is
        averaged over enough periods for a standard error below 0.01.
    warmup_periods, max_warmup_periods : int
        Least and greatest length of the warm-up, periods.
    stable_periods : int
        Consecutive periods with steady latency and throughput after which the warm-up ends.
    latency_tolerance, throughput_tolerance : float
        Relative change of a period's mean packet latency and accepted traffic that counts as steady; a change within
        two standard errors does, too.
    measure_periods, max_measure_periods : int
        Least and greatest length of the measurement, periods.
    precision : float
        Half-width of the confidence interval of the mean packet latency, relative, at which the measurement may end.
    batches : int
        Batches of the confidence interval.
    max_drain_periods : int
        Longest time to wait for the measured packets to leave, periods.
    latency_factor : float
        Saturated when the mean packet latency of a period exceeds this many times that of an empty network.
    growth : float
        Saturated when more than this share of the offered packets stays in the network in each of `growth_periods`
        periods.
    growth_periods : int
        Consecutive periods of such growth after which the network counts as saturated.
    utilisation_interval : int
        Interval at which the flits sent over each link are recorded in the measurement, cycles; 0: not recorded.
    """

    mode: Literal["open", "batch"] = "open"
    batch_size: Annotated[int, Field(ge=1)] | None = None
    period: Annotated[int, Field(ge=10)] = 1000
    fill_periods: Annotated[int, Field(ge=0)] = 50
    fill_load: Annotated[float, Field(gt=0, le=1)] = 0.2
    fill_backlog: Annotated[float, Field(gt=0)] = 4.0
    fill_tolerance: Share = 0.001
    warmup_periods: Count = 3
    max_warmup_periods: Count = 30
    stable_periods: Count = 2
    latency_tolerance: Share = 0.05
    throughput_tolerance: Share = 0.05
    measure_periods: Count = 10
    max_measure_periods: Count = 50
    precision: Share = 0.02
    batches: Annotated[int, Field(ge=5, le=1000)] = 20
    max_drain_periods: Count = 20
    latency_factor: Annotated[float, Field(gt=1)] = 10.0
    growth: Share = 0.05
    growth_periods: Count = 5
    utilisation_interval: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.mode == "batch" and self.batch_size is None:
            raise ValueError('mode = "batch": needs batch_size, packets per node')
        if self.mode == "open" and self.batch_size is not None:
            raise ValueError(f'batch_size = {self.batch_size}: only mode = "batch" uses it; leave it out')
        for least, most in (("warmup_periods", "max_warmup_periods"), ("measure_periods", "max_measure_periods")):
            if getattr(self, least) > getattr(self, most):
                raise ValueError(f"{least} = {getattr(self, least)}: must be at most {most} = {getattr(self, most)}")
        return self
