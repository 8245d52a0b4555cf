"""A million ranks are refused, with the limit."""

import re

import pytest

import tsuji
from models.errors import TsujiError
from sim.lib.most_ranks import MOST_OF_A_PROGRAM, MOST_REPLAYED, check_program_ranks, check_replayed_ranks

IDEAL = {"L": 2500, "o": 1500, "g": 1000, "G": 6}
MILLION = 1_000_000


def test_limits():
    check_program_ranks(MOST_OF_A_PROGRAM)
    check_replayed_ranks("x.goal", MOST_REPLAYED)
    with pytest.raises(TsujiError, match=f"--ranks {MOST_OF_A_PROGRAM + 1}: must be at most {MOST_OF_A_PROGRAM}"):
        check_program_ranks(MOST_OF_A_PROGRAM + 1)
    with pytest.raises(TsujiError, match=f"x.goal: {MOST_REPLAYED + 1} ranks: at most {MOST_REPLAYED}"):
        check_replayed_ranks("x.goal", MOST_REPLAYED + 1)


def test_a_program_of_a_million_ranks_is_refused_at_once():
    with pytest.raises(TsujiError, match=f"--ranks {MILLION}: must be at most"):
        tsuji.mpi(lambda comm: None, MILLION, ideal=IDEAL)


def test_a_list_of_packets_among_a_million_nodes_is_refused_at_once(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(f"cycle,src,dst,bytes\n0,0,{MILLION - 1},64\n")
    with pytest.raises(TsujiError, match=re.escape(f"{path}: {MILLION} ranks: at most {MOST_REPLAYED}")):
        tsuji.replay(path, ideal=IDEAL)
