"""A million ranks are refused, with the limit."""

import re

import pytest

import tsuji
from models.errors import TsujiError
from sim.workload import mpi_run, replay

IDEAL = {"L": 2500, "o": 1500, "g": 1000, "G": 6}
MILLION = 1_000_000


def test_a_program_of_a_million_ranks_is_refused_at_once():
    with pytest.raises(TsujiError, match=f"ranks = {MILLION}: must be a whole number, 1 to {mpi_run.MOST_RANKS}"):
        tsuji.mpi(lambda comm: None, MILLION, ideal=IDEAL)


@pytest.mark.parametrize("ranks", [replay.MOST_RANKS, replay.MOST_RANKS + 1, MILLION])
def test_a_list_of_packets_among_a_million_nodes_is_refused_at_once(tmp_path, ranks):
    path = tmp_path / "list.csv"
    path.write_text(f"cycle,src,dst,bytes\n0,0,{ranks - 1},64\n")
    if ranks <= replay.MOST_RANKS:
        assert replay.open_jobs([str(path)])[0].schedule.ranks == ranks
        return
    with pytest.raises(TsujiError, match=re.escape(f"{path}: {ranks} ranks: must be at most {replay.MOST_RANKS}")):
        tsuji.replay(path, ideal=IDEAL)
