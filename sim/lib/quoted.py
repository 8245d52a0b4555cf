"""Text of a file, for messages."""

from __future__ import annotations


def quoted(text: str | bytes, most: int = 60) -> str:
    """Return a text on one line, cut to `most` characters, with what cannot be printed as escape sequences."""
    plain = text.decode(errors="replace") if isinstance(text, bytes) else text
    shown = plain if len(plain) <= most else plain[: most - 1] + "…"
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in shown)
