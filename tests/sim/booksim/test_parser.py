"""BookSim2's configuration language."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from sim.booksim.parser import Assignment, call, elements, parse, read

TEXT = """// a network, in words of our own

topology = torus;  // of eight by eight
k=8; n = 2;
\tinjection_rate = 0.15;   watch_out=-;
latency_thres = -1.5e2;
// num_vcs = 3;
stats_out = ../some/file-1.m;
packet_size = {{1, 4}};
traffic = hotspot({{0,9},{1,3}});"""


def pairs(text):
    return [(each.key, each.value) for each in parse(text, "net.cfg")]


def test_assignments_and_comments():
    assert pairs(TEXT) == [
        ("topology", "torus"),
        ("k", "8"),
        ("n", "2"),
        ("injection_rate", "0.15"),
        ("watch_out", "-"),
        ("latency_thres", "-1.5e2"),
        ("stats_out", "../some/file-1.m"),
        ("packet_size", "{{1,4}}"),
        ("traffic", "hotspot({{0,9},{1,3}})"),
    ]


def test_places_are_lines():
    lines = [int(each.place.rpartition(":")[2]) for each in parse(TEXT, "net.cfg")]
    assert lines == [3, 4, 4, 5, 5, 6, 8, 9, 10]


def test_overrides_come_last(tmp_path):
    path = tmp_path / "net.cfg"
    path.write_text("k = 4;\n")
    assert read(path, ["k=8"]) == [Assignment("k", "4", f"{path}:1"), Assignment("k", "8", "k=8")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k = 8\nn = 2;", "net.cfg:1: k = 8 n = 2: a semicolon is missing before the next key"),
        ("k;", "net.cfg:1: k: write key = value;"),
        ("\n= 8;", "net.cfg:2: = 8: write key = value;"),
        ("k = ;", "net.cfg:1: k =: write key = value;"),
        ("\n\nk = 8 9;", "net.cfg:3: k = 8 9: one value only; lists are written {1,2}"),
        ("k = {1,2;", r"net.cfg:1: k = { 1 , 2: '}' is missing"),
        ("k = 1);", r"net.cfg:1: k = 1 \): '\)' closes nothing"),
        ("k = {1);", r"closes nothing"),
    ],
)
def test_what_is_no_assignment_is_refused_with_its_line(text, message):
    with pytest.raises(TsujiError, match=message):
        parse(text, "net.cfg")


def test_an_override_without_a_value_is_refused(tmp_path):
    path = tmp_path / "net.cfg"
    path.write_text("")
    with pytest.raises(TsujiError, match=r"num_vcs: write key=value"):
        read(path, ["num_vcs"])


def test_a_file_that_is_not_there():
    with pytest.raises(TsujiError, match=r"nowhere.cfg: cannot be read: No such file"):
        read(Path("nowhere.cfg"))


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("", []),
        ("4", ["4"]),
        ("{4}", ["4"]),
        ("{1,2,3}", ["1", "2", "3"]),
        ("{{1,2},3}", ["{1,2}", "3"]),
        ("{}", []),
        ("{on_off({1,2}),bernoulli}", ["on_off({1,2})", "bernoulli"]),
    ],
)
def test_elements(value, want):
    assert elements(value) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("uniform", ("uniform", [])),
        ("randperm(7)", ("randperm", ["7"])),
        ("hotspot({0,9})", ("hotspot", ["0", "9"])),
        ("hotspot({{0,9},{1,3}})", ("hotspot", ["{0,9}", "{1,3}"])),
    ],
)
def test_calls(value, want):
    assert call(value) == want


@pytest.mark.parametrize("value", ["hotspot(0,9)", "hotspot({0,9},{1,3})"])
def test_arguments_that_booksim_would_leave_out_are_refused(value):
    with pytest.raises(TsujiError, match=r"several arguments are one list: hotspot\(\{"):
        call(value)


def test_files_with_headers_end_assignments_with_their_lines():
    """As derivatives write them; without a header a semicolon is needed."""
    text = "[network]\ntopology = mesh\nk = 4 // routers\n\n [traffic] \ntraffic = hotspot({{0,9}}); # node 0\n"
    assert pairs(text) == [("topology", "mesh"), ("k", "4"), ("traffic", "hotspot({{0,9}})")]
    assert parse(text, "a.ini")[1].place == "a.ini:3"
    with pytest.raises(TsujiError, match=r"a.ini:1: .*a semicolon is missing"):
        parse("topology = mesh\nk = 4\n", "a.ini")


WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.+-]{0,8}", fullmatch=True)
NUMBERS = st.integers(-999, 999).map(str) | st.floats(-9, 9, allow_nan=False).map(lambda value: f"{value:.3f}")
ATOMS = WORDS | NUMBERS
LISTS = st.lists(ATOMS, min_size=1, max_size=4).map(lambda atoms: f"{{{','.join(atoms)}}}")
BLANKS = st.sampled_from(["", " ", "\t", "  "])
GAPS = st.sampled_from(["", "\n", " // words = 1;\n", "\n\n  "])


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, ATOMS | LISTS, BLANKS, BLANKS, GAPS), max_size=6))
def test_what_is_written_is_read(rows):
    text = "".join(f"{key}{one}={two}{value};{gap}" for key, value, one, two, gap in rows)
    assert pairs(text) == [(key, value) for key, value, *_ in rows]
