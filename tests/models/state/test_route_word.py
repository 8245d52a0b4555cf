"""Words of routes: each field against the bits that the specification gives it (microarchitecture.md, section 4)."""

from __future__ import annotations

import pytest

from models.params.parts import MAX_CHOICES
from models.state import route_word as words

OUT, FIRST, LAST, DROP = 37, 3, 12, 1
CHOICES = 0b1011 | 1 << (MAX_CHOICES - 1)
WORD = 0b1 | DROP << 1 | OUT << 2 | FIRST << 8 | LAST << 12 | CHOICES << 17
PLAIN = 0b1 | OUT << 2 | FIRST << 8 | LAST << 12


def test_a_word_has_its_fields_where_the_specification_says() -> None:
    assert words.route_word(OUT, FIRST, LAST, DROP, CHOICES) == WORD
    assert words.route_word(OUT, FIRST, LAST, 0) == PLAIN


def test_fields_are_read() -> None:
    assert (words.route_out(WORD), words.route_first(WORD), words.route_last(WORD)) == (OUT, FIRST, LAST)
    assert (words.route_drop(WORD), words.route_drop(PLAIN)) == (1, 0)
    assert words.route_choices(WORD) == CHOICES
    assert words.route_vcs(WORD) == sum(1 << v for v in range(FIRST, LAST + 1))
    assert [words.route_followed(word) for word in (WORD, PLAIN, 0, 0b11)] == [False, True, False, False]
    assert (words.route_waits(PLAIN), words.route_waits(PLAIN | 1 << 16)) == (0, 1)
    assert (words.route_may_ask(PLAIN), words.route_may_ask(PLAIN | 1 << 17)) == (0, 1)


def test_an_output_is_replaced() -> None:
    assert words.with_out(WORD, 5) == WORD ^ (OUT ^ 5) << 2


@pytest.mark.parametrize("out", [0, 1, 2, 3, MAX_CHOICES - 1])
def test_one_choice_is_kept_or_removed(out: int) -> None:
    word = words.with_choices(PLAIN, CHOICES)
    assert word == PLAIN | CHOICES << 17
    kept = words.with_one_choice(word, out)
    assert (kept & (1 << 17) - 1, words.route_choices(kept)) == (PLAIN, CHOICES & 1 << out)
    left = words.without_choice(word, out)
    assert (left & (1 << 17) - 1, words.route_choices(left)) == (PLAIN, CHOICES & ~(1 << out))


def test_ports_without_a_bit_are_no_choice() -> None:
    assert words.with_one_choice(WORD, MAX_CHOICES) == WORD & (1 << 17) - 1
