from pathlib import Path

import pytest

from cocotb_tests.soak.__main__ import LARGE_SHARE, NAMED, shares
from cocotb_tests.soak.record import Piece, add_piece, next_seeds, read_record, total
from models.errors import TsujiError
from synth.mutated import ROOT

RECORD = ROOT / "docs" / "reference" / "soak_record.tsv"
CAMPAIGNS = ROOT / "docs" / "reference" / "campaigns.md"


def test_the_record_is_what_the_table_of_campaigns_says() -> None:
    pieces = read_record(RECORD)
    cycles, sets = sum(piece.cycles for piece in pieces), {piece.name for piece in pieces}
    assert f"no difference: {cycles:,} switch-cycles on {len(sets)} switches" in CAMPAIGNS.read_text(encoding="utf-8")
    assert not any(piece.mismatches for piece in pieces)
    assert len({(piece.name, piece.seed) for piece in pieces}) == len(pieces)
    assert all(name in NAMED or name.startswith("cover ") for name in sets)


def test_pieces_add_up(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "record.tsv"
    assert read_record(path) == []
    pieces = [Piece("a", 1, 1000, 0, "c1"), Piece("b", 1, 300, 0, "c1"), Piece("b", 2, 500, 1, "c2+")]
    for piece in pieces:
        add_piece(path, piece)
    assert read_record(path) == pieces
    assert total(pieces) == "on record: 1,800 switch-cycles on 2 switches, at least 800 each, 1 mismatches"


def test_the_least_compared_comes_first_with_a_seed_of_its_own() -> None:
    pieces = [Piece("a", 1, 1000, 0, ""), Piece("b", 1, 300, 0, ""), Piece("b", 7, 500, 0, "")]
    assert list(next_seeds(["a", "b", "c"], pieces, 1)) == [("c", 1), ("b", 8), ("a", 2)]
    assert list(next_seeds(["a", "b"], [], 5)) == [("a", 5), ("b", 5)]


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.tsv"
    path.write_text("name\n")
    with pytest.raises(TsujiError, match=r"--record .*: line 1 must be set, seed, cycles, mismatches, commit"):
        read_record(path)
    path.write_text("set\tseed\tcycles\tmismatches\tcommit\na\tx\t1\t0\tc\n")
    with pytest.raises(TsujiError, match=r"line 2 = \['a', 'x', '1', '0', 'c'\]: must be set, seed"):
        read_record(path)


def test_large_switches_get_fewer_cycles_and_none_is_lost() -> None:
    got = shares(1000, ["default", "large depth", "wide"])
    assert sum(got) == 1000
    assert got[0] // got[1] == LARGE_SHARE == 10
    assert shares(77, ["large depth"]) == [77]
