from pathlib import Path

from tsuji.mpi_page import page


def test_page_is_up_to_date():
    written = (Path(__file__).parents[2] / "docs" / "reference" / "mpi.md").read_text(encoding="utf-8")
    assert written == page(), "python -m tsuji.mpi_page > docs/reference/mpi.md"
