"""Keys of BookSim2: each is in the document, with its default and the values that are allowed."""

import re
from pathlib import Path

from sim.booksim.keys import KEYS, MAPPED, ONLY, WITHOUT_EFFECT

DOCS = (Path(__file__).parents[3] / "docs" / "how_to" / "booksim.md").read_text(encoding="utf-8").split("## Keys")[1]


def test_every_key_is_in_the_document():
    rows = dict(re.findall(r"^\| ((?:`[a-z_0-9]+`(?:, )?)+) \| (.*) \|$", DOCS, re.MULTILINE))
    written = [key for keys in rows for key in re.findall(r"`([a-z_0-9]+)`", keys)]
    assert sorted(written) == sorted(KEYS)
    assert set(MAPPED) | set(ONLY) | set(WITHOUT_EFFECT) == set(KEYS)


def test_the_document_has_the_defaults_and_allowed_values():
    for key, known in KEYS.items():
        row = next(line for line in DOCS.splitlines() if re.match(rf"\| (`\w+`, )*`{key}`(, `\w+`)* \|", line))
        if known.effect != "none":
            assert f"| `{known.default}` |" in row, key
        if known.effect == "only":
            for value in known.allowed:
                assert f"`{value}`" in row, key
