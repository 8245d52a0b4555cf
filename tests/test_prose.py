"""Two habits that make prose hard to read, found in docstrings, comments, help texts, messages and pages.

- "a row a point" for "one row per point": rates and distributions are written with "per", relative clauses with "that".
- "so many cycles" for "`count` cycles": what has a name is called by it.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Prose is read in these folders and pages, but not in what commands write from strings, nor in the bad examples here.
SOURCES = ("sim", "examples", "tsuji", "benchmarks", "models", "hdl", "cocotb_tests", "synth", "tests")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "docs/**/*.md")
LEFT_OUT = ("docs/results", "docs/reference/formats.md", "docs/reference/mpi.md", "tests/test_prose.py")

# Nouns that are rarely verbs: a noun, then "a" or "an", is a distribution, or a relative clause without its "that".
NOUNS = """
    addresses bits? bytes? cables? channels? columns? connections? counters? CPUs? credits? curves? cycles?
    dimensions? elements? entry entries events? files? flits? flit-hops? generators? heads hops? inputs?
    instances? instructions? interfaces? keys kinds? lanes? letters? lines? links? lookups? LUTs? LUT4s?
    messages? minutes? misses nanoseconds? nodes? ns numbers? one operations? operators? outputs? packages?
    packets? pages? pairs? parts? partners? passages? paths? PEs? phases? pieces? planes? ports? probability
    processes programs? ranks? rings? routers? routes? rows? sections? seconds? seeds? segments? sets? signs?
    slots? sources? stages? steps? switches tables? tags? threads? trees? US\\$ units? values? VCs? vectors? W
    wakes ways words? workers?
"""
# Nouns that are verbs as well: these count only behind an article or a number.
EITHER = """
    address bar block bus cache code cost count group list load name record register request share sum switch test turn
"""
COUNTED = r"(?:an?|one|two|three|four|five|ten|each|the|no|\d[\d,.–]*)"
# "which port a packet takes" is a question: it has no "that".
ASKED = r"(?P<asked>\b(?i:which|whose|what|how (?:many|much|far)|whether)\b(?:,? [\w'`-]+){0,5}? )?"
PER = re.compile(
    rf"{ASKED}(?<![\w-])(?:(?:{'|'.join(NOUNS.split())})|{COUNTED} (?:[\w'-]+ )?(?:{'|'.join(EITHER.split())}))\)?"
    r" an? (?!time\b|while\b|little\b|few\b|power of\b)[`\w]"
)
UNNAMED = re.compile(r"\b(?:so many|so few|so much (?!as\b)|as many times more|whoever)\b", re.IGNORECASE)

# What they find in sentences that are right.
ALLOWED = (
    "half-way round a ring",
    "way round a ring",
    "way round an even ring",
)

TOKEN = re.compile(
    r'(?P<string>"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|#(?P<comment>[^\n]*)|(?P<code>[^\s"\'#]+)'
)
PREFIX = re.compile(r"[rfbu]{1,2}", re.IGNORECASE)
FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def habits(text: str) -> list[str]:
    """Return each phrase of a text that shows a habit, with some words around it."""
    found = [match for match in PER.finditer(text) if not match["asked"]] + list(UNNAMED.finditer(text))
    around = (text[max(0, match.start() - 40) : match.end() + 25] for match in found)
    return [phrase for phrase in around if not any(allowed in phrase for allowed in ALLOWED)]


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, each on one line."""
    yield from (" ".join(each.split()) for each in re.split(r"\n\s*\n|\n *-{3,} *\n", text))


def prose_of_code(source: str) -> Iterator[str]:
    """Yield the paragraphs of strings and comments in Python or TOML; adjacent strings, and comments, are joined."""
    tokens = (match for match in TOKEN.finditer(source) if not PREFIX.fullmatch(match[0]))
    for kind, group in groupby(tokens, key=lambda match: match.lastgroup):
        if kind == "string":
            yield from paragraphs("".join(match[0].strip("\"'") for match in group))
        elif kind == "comment":
            yield from paragraphs("\n".join(match["comment"].strip() for match in group))


def prose_of_page(source: str) -> Iterator[str]:
    """Yield the paragraphs and rows of tables of a Markdown page, without its blocks of code."""
    yield from paragraphs(FENCE.sub("", source).replace("\n|", "\n\n|"))


def prose_of_makefile(source: str) -> Iterator[str]:
    """Yield the comments of a Makefile, those that explain targets included."""
    yield from (line.partition("#")[2].strip("# ") for line in source.splitlines())


READERS = {".py": prose_of_code, ".toml": prose_of_code, ".md": prose_of_page, "": prose_of_makefile}


def files() -> list[Path]:
    """Return the files whose prose is read."""
    code = (path for folder in SOURCES for kind in ("py", "toml") for path in (ROOT / folder).rglob(f"*.{kind}"))
    pages = (path for place in PAGES for path in ROOT.glob(place))
    return sorted(path for path in {*code, *pages} if not path.relative_to(ROOT).as_posix().startswith(LEFT_OUT))


def test_rates_have_per_and_things_have_names() -> None:
    found = [
        f"{path.relative_to(ROOT)}: … {phrase} …"
        for path in files()
        for text in READERS[path.suffix](path.read_text(encoding="utf-8"))
        for phrase in habits(text)
    ]
    assert not found, "\n".join(found)


def test_folders_have_prose() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in files()}
    assert {*SOURCES, *(place.partition("/")[0] for place in PAGES)} <= names


@pytest.mark.parametrize(
    "text",
    [
        "Return a tidy table: a row a result, a column a key.",
        "It carries at most one flit a cycle.",
        "Processes run side by side, one a CPU.",
        "Instances run side by side, an instance a rank.",
        "Nodes (PEs) a router.",
        "needs 2 local ports a node",
        "cost of 310.28 US$ a port",
        "Give each switch a cache a port, and one CAM.",
        "Return the switches a packet traverses.",
        "Simulate so many cycles by `advance`.",
        "Whoever waits holds a channel.",
    ],
)
def test_bad_sentences_are_found(text: str) -> None:
    assert habits(text)


@pytest.mark.parametrize(
    "text",
    [
        "Return a tidy table: one row per result, one column per key.",
        "It carries at most 1 flit/cycle.",
        "Return which of several paths a packet takes.",
        "Count how many packets a node has sent.",
        "Which way round a ring a packet goes is drawn.",
        "Routes form a cycle; a rank takes a message, and a node sends a flit.",
        "Simulate `cycles` cycles by `advance`, one flit at a time.",
    ],
)
def test_good_sentences_pass(text: str) -> None:
    assert not habits(text)


def test_prose_of_code_is_strings_and_comments() -> None:
    source = 'def f():\n    """One.\n\n    A row\n    a point.\n    """\n    g(f"1 flit "\n    "a cycle")  # a b\n'
    assert list(prose_of_code(source)) == ["One.", "A row a point.", "1 flit a cycle", "a b"]


def test_prose_of_page_leaves_code_out() -> None:
    page = "One\ntwo.\n\n```sh\na row a point\n```\n\n| a |\n| b |\n"
    assert list(prose_of_page(page)) == ["One two.", "| a |", "| b |"]


def test_prose_of_makefile_is_comments() -> None:
    assert list(prose_of_makefile("bench: x  ## flits a second\n\tdo it\n")) == ["flits a second", ""]
