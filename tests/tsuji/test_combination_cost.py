"""The id `beyond.lut`: the switches that are synthesised, and the conclusions."""

from pathlib import Path

import pandas as pd
import pytest

from models.params import SwitchParams
from sim.papers.beyond_combination import LOADS
from sim.papers.framework.study import Options
from synth.ecp5 import Area, Result
from tsuji.combination_cost import cells, concluded, parts


def test_the_switches_are_those_that_were_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, SwitchParams] = {}

    def measure(name: str, params: SwitchParams, *_: object) -> Result:
        seen[name] = params
        return Result(name, Area(lut4=100 + params.cache.entries, ff=params.depth))

    monkeypatch.setattr("synth.report.measure", measure)
    every = parts(Options(quick=False, traces=Path()))
    synthesised = [part for part in every if part.run is cells]
    assert len(synthesised) == 10
    assert len(every) == len(synthesised) * (1 + len(LOADS))
    rows = pd.DataFrame([row for part in synthesised for row in part.run(**part.params)])
    for name, params in seen.items():
        assert (params.cache.entries > 0) == ("cache" in name)
        assert (params.prediction is not None) == ("prediction" in name)
        assert (params.lpi is not None) == ("low-power idle" in name)
        assert (params.adaptive is not None) == ("adaptive" in name)
        assert (params.ports, params.vcs, params.depth) == (5, 4, 8)
    simulated = pd.DataFrame([
        {"name": name, "load": LOADS[0], "accepted": 0.004, "hops": 4.0, "lpi": 0.0}
        | {"latency": 50.0 if "cache" in name else 100.0, "hit_rate": 1.0 if "cache" in name else None}
        for name in seen
    ])  # fmt: skip
    found = concluded({"combination": simulated, "cells": rows})
    told = {row.quantity: row.ours for row in found.rows}
    assert told["none: cells, relative to none of the features"] == 1
    assert told["cache: cells, relative to none of the features"] == (100 + 256) / 100
    assert told["cache: latency × cells, relative to none of the features"] == pytest.approx(0.5 * 3.56)
    assert "the least product of latency and cells has none, 100.0 ns" in found.text
