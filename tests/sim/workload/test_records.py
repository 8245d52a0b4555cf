"""Files written during a replay: links over time, and packets that pass switches."""

import numpy as np
import pandas as pd
import pytest

from models.errors import TsujiError
from sim.schedule.job import Job
from sim.schedule.operations import CALC, RECV, SEND
from sim.workload.replay import Records, replay
from tests.sim.workload.networks import config, schedule
from tests.sim.workload.test_network_executor import lone

TWO = schedule(
    [(SEND, 3, 80, 7, []), (CALC, 0, 5000, 0, [0]), (SEND, 1, 160, 8, [1])],
    [(RECV, 0, 160, 8, [])],
    [],
    [(RECV, 0, 80, 7, [])],
)


def test_links_over_time(tmp_path):
    """Chunks add up to the total, and idle chunks are not written."""
    result = replay([Job(TWO)], config(), records=Records(tmp_path / "links.parquet", 100))
    table = pd.read_parquet(tmp_path / "links.parquet")
    assert result.links is not None
    total = table.groupby(["switch", "port"])["bytes"].sum()
    expected = result.links.set_index(["switch", "port"])["bytes"]
    assert total.to_dict() == expected[expected > 0].to_dict()
    assert sorted(set(table["time_ns"])) == [0, 5000]
    assert set(table["duration_ns"]) <= {100.0, float(result.run_time_ns % 100) + 1}
    first = table[(table["switch"] == 0) & (table["time_ns"] == 0) & (table["to_switch"] == 1)]
    assert (first["bytes"].item(), first["busy"].item(), first["bandwidth_gbs"].item()) == (80, 0.1, 0.8)


def test_history_of_buffers(tmp_path):
    path = tmp_path / "history.parquet"
    replay([Job(TWO)], config(), records=Records(history=path, switches=[1, 3], begin=0, end=5000))
    table = pd.read_parquet(path)
    assert table["leaves"].tolist() == [False, True, False, True]
    assert table["switch"].tolist() == [1, 1, 3, 3]
    assert set(zip(table["from_node"], table["to_node"], table["flits"], table["tag"], strict=True)) == {(0, 3, 10, 7)}
    hop = lone(2, 1) - lone(1, 1)
    assert np.diff(table["cycle"]).tolist()[:2] == [hop, hop]
    assert table["cycle"].tolist()[0] == 1 + hop
    assert table["cycle"].tolist()[3] == lone(4, 10) - 1


def test_records_are_checked(tmp_path):
    for records, text in (
        (lambda: Records(history=tmp_path / "x.parquet", switches=[8]), "switch 8: must be 0 to 7"),
        (lambda: Records(history=tmp_path / "x.parquet"), "say both a file and the switches"),
        (lambda: Records(history=tmp_path / "x.parquet", switches=[1], begin=5, end=5), "cycles 5 to 5"),
        (lambda: Records(tmp_path / "x.csv"), "must end in .parquet"),
        (lambda: Records(tmp_path / "x.parquet", 0), "chunk = 0"),
    ):
        with pytest.raises(TsujiError, match=text):
            replay([Job(TWO)], config(), records=records())
