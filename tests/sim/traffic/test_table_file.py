"""Traffic tables as other tools write them: matrices with names, lists of pairs, noxim's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from sim.traffic.table_file import TrafficTable, read_table


def read(tmp_path: Path, text: str, nodes: int = 4) -> TrafficTable:
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    return read_table(path, nodes)


def pairs(table: TrafficTable) -> dict[tuple[int, int], float]:
    """Return the weight of each pair of nodes."""
    weights = table.weights(16)
    return {(int(i), int(j)): float(weights[i, j]) for i, j in np.argwhere(weights)}


THREE = "0,1,2\n3,0,4\n5,6,0\n"
MATRICES = {
    "plain": THREE,
    "blanks": "0 1\t2\n 3 0 4 \n5;6;0;\n",
    "comments": "% of three\n0,1,2 % first\n\n3,0,4 # second\n5,6,0\n",
    "columns": "a,b,c\n" + THREE,
    "both": ",a,b,c\na,0,1,2\nb,3,0,4\nc,5,6,0\n",
    "corner": "node p q r\np 0 1 2\nq 3 0 4\nr 5 6 0\n",
    "numbers and a corner": "from\\to,0,1,2\n0,0,1,2\n1,3,0,4\n2,5,6,0\n",
    "tabs": "\ta\tb\tc\na\t0\t1\t2\nb\t3\t0\t4\nc\t5\t6\t0\n",
    "rows": "p 0 1 2\nq 3 0 4\nr 5 6 0\n",
    "rows in another order": ",a,b,c\nc,5,6,0\na,0,1,2\nb,3,0,4\n",
    "columns in another order": ",2,0,1\n0,2,0,1\n1,4,3,0\n2,0,5,6\n",
    "numbers": "0 1 2\n0 0 1 2\n1 3 0 4\n2 5 6 0\n",
    "quoted": '"","a","b","c"\n"a",0,1,2\n"b",3,0,4\n"c",5,6,0\n',
    "byte order mark": "\ufeff" + THREE,
}


@pytest.mark.parametrize("how", MATRICES)
def test_matrices(tmp_path: Path, how: str) -> None:
    table = read(tmp_path, MATRICES[how], 3)
    assert table.size is None
    assert table.weights(3).tolist() == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


LISTS = {
    "two columns": ("0 1\n3 2\n3 2\n", {(0, 1): 1, (3, 2): 2}),
    "three": ("# source destination weight\n0 1 2.5\n\n3; 2; 1e3 # twice\n3,2,1\n", {(0, 1): 2.5, (3, 2): 1001}),
    "named": ("src,dst,rate\n0,1,2\n3,2,4\n", {(0, 1): 2, (3, 2): 4}),
    "in another order": ("rate;comment;To;From\n2;x;1;0\n4;y;2;3\n", {(0, 1): 2, (3, 2): 4}),
    "other names": ("i j w\n0 1 2\n3 2 4\n", {(0, 1): 2, (3, 2): 4}),
    "several rates": ("src,dst,bytes,pir,class\n0,1,640,0.5,x\n3,2,64,0.25,y\n", {(0, 1): 0.5, (3, 2): 0.25}),
    "itself and nothing": ("0 1 2\n2 2 7\n3 1 0\n", {(0, 1): 2, (2, 2): 7}),
    "noxim": ("% src dst pir por\n0 1 0.01 0.01\n3 2 0.02\n1 0\n", {(0, 1): 0.01, (3, 2): 0.02, (1, 0): 1}),
}


@pytest.mark.parametrize("how", LISTS)
def test_lists_of_pairs(tmp_path: Path, how: str) -> None:
    text, expected = LISTS[how]
    table = read(tmp_path, text)
    assert pairs(table) == expected
    assert table.size is None


def test_a_list_may_have_sizes(tmp_path: Path) -> None:
    for text in ("0 1 2 5\n0 1 1 1\n3 2 4 8\n", "source target rate size\n0 1 2 5\n0 1 1 1\n3 2 4 8\n"):
        table = read(tmp_path, text)
        assert table.size is not None
        columns = (table.source, table.destination, table.weight, table.size)
        assert [column.tolist() for column in columns] == [[0, 0, 3], [1, 1, 2], [2, 1, 4], [5, 1, 8]]


def test_times_of_noxim_count_as_the_mean_rate(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="matrix.csv") as told:
        table = read(tmp_path, "0 1 0.5 0.5 100 300 1000\n3 2 0.1 0.2\n1 2 0.4 0.4 5 10\n")
    assert pairs(table) == pytest.approx({(0, 1): 0.1, (3, 2): 0.1, (1, 2): 0.4})
    said = [str(each.message).partition("matrix.csv:")[2] for each in told]
    assert said == [
        "1: t_on and t_off only set the mean rate; packets are sent all the time",
        "2: por is not used; packets are sent at the rate pir",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "0,1\n1,0,2\n,\n0,0,0,0,0,0,0,0\n",
            r":3: '' is not a number|:1: 2 numbers; a row has a weight for each of the",
        ),
        ("0,1,1,1\n1,0,x,1\n", r":2: 'x' is not a number"),
        ("0 1 1\n0 2 -1\n", r":2: -1: must be a number of at least 0"),
        ("0 1 1\n0 4 1\n", r":2: 4 is no node; nodes are 0 to 3"),
        ("0 0.5 1\n", r":1: 0.5 is no node"),
        ("0 1e400 1\n", r":1: 1e400 is no node"),
        ("0 1 1e200\n", r":1: 1e200: must be a number"),
        ("# nothing\n", r": 0 rows"),
        ("0 1 0\n", r": no node has a weight above 0 to another"),
        ("2 2 5\n", r": no node has a weight above 0 to another"),
        ("0 1 nan\n", r":1: nan: must be a number of at least 0"),
        ("0 1 1 1\n0 2 1\n", r":2: no size; every line must have one, or none"),
        ("0 1 1 70000\n", r":1: 70000: a packet has 1 to 65536 flits"),
        ("0 1 1 2.5\n", r":1: 2.5: a packet has 1 to 65536 flits"),
        ("0 1 2 0.5\n", r":1: pir = 2: noxim's packet injection rate must be from 0 to 1"),
        ("0 1 .5 .5 9 8\n", r":1: t_on = 9, t_off = 8, t_period = 0: each must be above the last"),
        ("0 1 .5 .5 1 8 7\n", r":1: t_on = 1, t_off = 8, t_period = 7: each must be"),
        ("0 1 1 1 1 1 1 1\n", r":1: 8 numbers; a row has a weight for each of the 4 nodes"),
        ("src,dst,rate,Rate\n0,1,1,1\n", r":1: two columns rate; leave one out"),
        ("src,dst\n0,1,1\n", r":2: 3 numbers; a row has"),
        ("src,rate,dst\n0,1\n", r":2: '' is not a number"),
        ("a,b,c,d\n0,1,1,1\n", r":2: 1 rows; there must be one for each of the 4 nodes"),
        ("a,b,a,d\n0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n", r":1: 'a' twice"),
        (",a,b,c,d\na,0,1,1,1\nb,0,0,1,1\nc,0,0,1,1\ne,0,0,1,1\n", r":5: row 'e': no column has this name"),
        ("%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 1\n", r":1: Matrix Market numbers nodes from 1"),
    ],
)
def test_bad_tables_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TsujiError, match=rf"traffic\.matrix: .*matrix\.csv({message})"):
        read(tmp_path, text)


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe0 1")
    with pytest.raises(TsujiError, match=r"traffic\.matrix: .*/x: cannot be read: not UTF-8 text"):
        read_table(tmp_path / "x", 4)


def test_times_in_named_columns_count_too(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"matrix\.csv:2: t_on and t_off only set the mean rate"):
        table = read(tmp_path, "src,dst,bytes,pir,t_on,t_off,t_period\n0,1,9,0.5,0,10,100\n1,0,9,0.5,10,30,100\n")
    assert pairs(table) == pytest.approx({(0, 1): 0.05, (1, 0): 0.1})
