"""The picture of ranks' operations: their places, and what is refused."""

import pandas as pd
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt

import tsuji
from models.errors import TsujiError
from sim.plot import gantt
from sim.plot.gantt import KINDS, draw_gantt
from sim.plot.operations_file import COLUMNS


def table(rows):
    whole = pd.DataFrame(rows, columns=["rank", "kind", "start_ns", "end_ns"])
    return whole.assign(peer=0, bytes=8, tag=0, message=-1, call="send")[list(COLUMNS)]


def test_bars_stand_where_operations_are(tmp_path, monkeypatch):
    path, shown = tmp_path / "step.parquet", {}
    rows = [(0, "calculate", 0.0, 3e6), (2, "calculate", 1e6, 2e6), (2, "send", 2e6, 5e6), (1, "receive", 0.0, 5e6)]
    table(rows).to_parquet(path)

    def look(figure, target, **options):
        axes = figure.axes[0]
        for bars in axes.collections:
            kind = next(name for name, colour in KINDS.items() if colors.same_color(bars.get_facecolor()[0], colour))
            for bar in bars.get_paths():
                box = bar.get_extents()
                place = (round(box.x0, 9), round(box.x1, 9), round((box.y0 + box.y1) / 2, 9))
                shown.setdefault(kind, set()).add(place)
        shown["limits"] = (*axes.get_xlim(), axes.get_title(), axes.get_xlabel())
        plt.close(figure)

    monkeypatch.setattr(gantt, "write", look)
    draw_gantt(path, tmp_path / "x.png")
    assert shown == {
        "calculate": {(0, 3, 0), (1, 2, 2)},
        "send": {(2, 5, 2)},
        "receive": {(0, 5, 1)},
        "limits": (0, 5, "step", "time, ms"),
    }


def test_kinds_are_those_of_a_run(tmp_path):
    """Every kind that a program of the examples writes has a colour."""
    program = tmp_path / "program.py"
    program.write_text(
        "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\ncomm.compute(1e-6)\ncomm.allreduce(comm.Get_rank())\n"
    )
    ideal = "L=2500,o=1500,g=1000,G=6"
    tsuji.mpi(program, 2, ideal=ideal, operations=tmp_path / "ops.parquet")
    assert set(pd.read_parquet(tmp_path / "ops.parquet")["kind"]) == set(KINDS)
    draw_gantt(tmp_path / "ops.parquet", tmp_path / "x.svg")
    picture = (tmp_path / "x.svg").read_text()
    assert all(colour in picture for colour in KINDS.values())


def test_what_is_no_file_of_operations(tmp_path):
    path = tmp_path / "ops.parquet"
    table([]).to_parquet(path)
    with pytest.raises(TsujiError, match=r"--operations .*: 0 ranks: a picture shows 1 to 256"):
        draw_gantt(path, tmp_path / "x.png")
    path.write_text("no Parquet")
    with pytest.raises(TsujiError, match=r"--operations .*: must be a file that --operations of"):
        draw_gantt(path, tmp_path / "x.png")
