"""Text of a file in a message is on one line."""

from sim.lib.quoted import quoted


def test_text_is_printable_and_short():
    assert quoted(b"0 send 1\t0\x00\xff\n") == r"0 send 1\t0\x00" + "\ufffd" + r"\n"
    assert quoted("é · " + "x" * 60, 8) == "é · xxx…"
    assert quoted("x" * 60) == "x" * 60
    assert quoted("a\u2028b\u200b") == r"a\u2028b\u200b"
