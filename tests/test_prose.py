"""Two habits that make prose hard to read, found in docstrings, comments, help texts, messages and pages.

- "a row a point" for "one row per point": a rate or a distribution is said with "per", a clause begins with "that".
- "so many cycles" for "`count` cycles": what has a name is called by it.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Where prose is read. Pages that commands write (docs/results) say what the strings of these files say.
SOURCES = ("sim", "tsuji", "benchmarks", "examples")
PAGES: tuple[str, ...] = ()
GENERATED = ("docs/results/",)

# Nouns that are hardly verbs: behind one of them, "a" begins a distribution, or a clause that lacks its "that".
NOUN = (
    "address(?:es)?|algorithms?|bits?|bytes?|cables?|calls?|channels?|columns?|connections?|counters?|CPUs?|credits?|"
    "curves?|cycles?|dimensions?|elements?|entry|entries|events?|exchangers?|files?|flip-flops?|flits?|flit-hops|"
    "generators?|heads?|hops?|inputs?|instances?|instructions?|interfaces?|kinds?|lanes?|letters?|lines?|links?|"
    "lookups?|LUTs?|LUT4s?|messages?|minutes?|misses|nanoseconds?|nodes?|ns|numbers?|operations?|operators?|outputs?|"
    "packages?|packets?|pages?|pairs?|parts?|partners?|passages?|paths?|phases?|pieces?|planes?|ports?|PEs?|"
    "probability|processes|programs?|queues?|ranks?|registers?|requests?|rings?|rounds?|routers?|routes?|rows?|"
    "sections?|seconds?|seeds?|segments?|sets?|signs?|slots?|sources?|stages?|steps?|switches|tables?|tags?|threads?|"
    "trees?|units?|values?|VCs?|vectors?|wakes?|words?|workers?"
)
# Nouns that are also verbs: these need an article or a number before them.
EITHER = "block|bus|cache|cost|count|group|list|load|name|record|register|share|sum|switch|test|time|turn"
COUNTED = r"an?|one|two|three|four|five|ten|each|the|no|\d[\d,.–]*"
PER = re.compile(
    rf"(?<!-)\b(?:{NOUN}|(?:{COUNTED}) (?:[\w-]+ )?(?:{EITHER}))\)? an? (?!(?:time|while|little|few|priori|fortiori)\b)[`\w]"
)
UNNAMED = re.compile(r"\b(?:so many|so few|so much (?!as\b)|so large a|as many times more|whoever)\b", re.IGNORECASE)

# What either expression finds in good prose.
ALLOWED = ("over nodes a mesh",)

TOKEN = re.compile(
    r'(?P<string>"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|#(?P<comment>[^\n]*)|(?P<break>[^\s"\'#]+)'
)
PREFIX = re.compile(r"[rfbuRFBU]{1,2}")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def defects(text: str) -> list[str]:
    """Return the phrases of a text that show a habit, each with what stands around it."""
    found = [match for habit in (PER, UNNAMED) for match in habit.finditer(text)]
    around = (text[max(0, match.start() - 30) : match.end() + 20] for match in found)
    return [phrase for phrase in around if not any(allowed in phrase for allowed in ALLOWED)]


def prose_of_code(source: str) -> Iterator[str]:
    """Yield the prose of Python or TOML: each paragraph of its strings, implicit concatenation joined, and comments."""
    tokens = (match for match in TOKEN.finditer(source) if not PREFIX.fullmatch(match[0]))
    for kind, group in groupby(tokens, key=lambda match: match.lastgroup):
        if kind == "string":
            yield from paragraphs("".join(match[0].strip("\"'") for match in group))
        elif kind == "comment":
            yield from paragraphs("\n".join(match["comment"].strip() for match in group))


def prose_of_page(source: str) -> Iterator[str]:
    """Yield the paragraphs, rows of tables and headings of a Markdown page; code in fences is none."""
    yield from paragraphs(FENCE.sub("", source).replace("\n|", "\n\n|"))


def paragraphs(text: str) -> Iterator[str]:
    yield from (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))


def sources() -> list[Path]:
    return [
        path for folder in SOURCES for kind in ("py", "toml") for path in sorted((ROOT / folder).rglob(f"*.{kind}"))
    ]


def pages() -> list[Path]:
    found = [path for place in PAGES for path in sorted(ROOT.glob(place))]
    return [path for path in found if not path.relative_to(ROOT).as_posix().startswith(GENERATED)]


def test_code_says_per_and_names_things() -> None:
    found = [
        f"{path.relative_to(ROOT)}: … {phrase} …"
        for path in sources()
        for text in prose_of_code(path.read_text(encoding="utf-8"))
        for phrase in defects(text)
    ]
    assert not found, "\n".join(found)


def test_pages_say_per_and_name_things() -> None:
    found = [
        f"{path.relative_to(ROOT)}: … {phrase} …"
        for path in pages()
        for text in prose_of_page(path.read_text(encoding="utf-8"))
        for phrase in defects(text)
    ]
    assert not found, "\n".join(found)
