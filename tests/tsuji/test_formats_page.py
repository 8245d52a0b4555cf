from pathlib import Path

from tsuji.formats_page import page


def test_page_is_up_to_date():
    written = (Path(__file__).parents[2] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    assert written == page(), "python -m tsuji.formats_page > docs/reference/formats.md"
