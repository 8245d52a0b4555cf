"""Broken traffic tables are read, or end in one line with file and line."""

from __future__ import annotations

import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from models.errors import TsujiError
from sim.traffic.table_file import read_table
from tests.sim.broken_files import LOOKS, broken

GOOD = {
    "matrix": b"0,1,2,0\n3,0,4,1\n5,6,0,1\n1,1,1,0\n",
    "names": b",a,b,c,d\na,0,1,2,0\nb,3,0,4,1\nc,5,6,0,1\nd,1,1,1,0\n",
    "pairs": b"src dst rate size\n0 1 0.5 4\n3 2 0.1 1\n",
    "noxim": b"% src dst pir por t_on t_off t_period\n0 1 0.01 0.01 0 10 20\n3 2 0.02\n",
}
WITHOUT_A_LINE = r"0 rows|cannot be read: not UTF-8 text|no node has a weight above 0"


@pytest.mark.parametrize("kind", GOOD)
def test_broken_tables_end_in_one_line(kind: str) -> None:
    @LOOKS
    @given(broken(GOOD[kind]))
    def look(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table"
            path.write_bytes(data)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    table = read_table(path, 4)
            except TsujiError as error:
                said = str(error)
                assert said.isprintable(), said
                assert re.match(rf"traffic\.matrix: {re.escape(str(path))}(:\d+: |: ({WITHOUT_A_LINE}))", said), said
                return
            assert np.isfinite(table.weights(4)).all()
            assert table.weights(4).sum() > 0

    look()
