"""Statements of the documents about files, functions, folders and make targets are true."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tsuji.pages.hook import GENERATED as PAGES_OF_THE_SITE

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("models", "hdl", "sim", "synth", "cocotb_tests", "tsuji")
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("*/*.md")),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
ARCHITECTURE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
PERFORMANCE = (ROOT / "docs" / "explanation" / "performance.md").read_text(encoding="utf-8")
EXAMPLES = {"sim/topology/full_mesh.py", "sim/routing/direct.py"}  # files that a guide tells the reader to write
GENERATED = ("build/", ".venv/")
MADE = {ROOT / "docs" / place for place in PAGES_OF_THE_SITE}  # when the site is built
QUESTIONS = {
    "Where is a credit returned?": ("credit", "return"),
    "Where is a head's VC chosen?": ("head", "vc", "choose"),
    "When does a link begin to sleep?": ("begin", "sleep"),
    "What does a link or a switch draw?": ("power", "account"),
    "Which VC class has a packet at a dateline?": ("dateline", "vc", "class"),
    "Is a message sent eagerly or by rendezvous?": ("eager", "message"),
    "What do the start and the end of an operation release?": ("release", "depend"),
    "When is a network saturated?": ("is", "saturated"),
    "Where is each VC of a set visited?": ("each", "member"),
    "Where is a wrong prediction squashed?": ("predict", "squash"),
    "Where is a packet's latency taken?": ("measure", "latenc"),
    "Where is `traffic.load` checked?": ("config", "load"),
    "Where is the CRC polynomial?": ("crc", "polynomial"),
    "Where is deadlock checked?": ("deadlock", "check"),
}


def rows(page, heading):
    """Return the cells of the table under a heading."""
    table = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


def ticked(text):
    return re.findall(r"`([^`\n]+)`", text)


@cache
def names(path):
    """Return the names that a file defines: functions, classes, members and constants, by name and by Class.member."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for member in getattr(node, "body", []) if isinstance(node, ast.Module | ast.ClassDef) else []:
            assigned = getattr(member, "targets", [getattr(member, "target", None)])
            targets = [member] if hasattr(member, "name") else assigned
            mine = {getattr(target, "name", getattr(target, "id", "")) for target in targets}
            found |= mine | ({f"{node.name}.{name}" for name in mine} if isinstance(node, ast.ClassDef) else set())
    return found - {""}


@cache
def all_names():
    return {name for package in PACKAGES for path in (ROOT / package).rglob("*.py") for name in names(path)}


def is_path(text):
    return re.fullmatch(r"[\w./-]+", text) and (text.endswith((".py", ".md", ".toml", "/")) or text.count("/") > 1)


def dotted(text):
    """Return file and name of `package.module.name`."""
    parts = text.split(".")
    for count in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:count])
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py"), ".".join(parts[count:])
        if path.is_dir():
            return path / "__init__.py", ".".join(parts[count:])
    return None, text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_paths_exist(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:\s]+)\)", text)
    for link in links:
        path = (page.parent / link).resolve()
        assert path.exists() or path in MADE, f"{page.name}: {link}"
    for path in filter(is_path, ticked(text)):
        example = path in EXAMPLES or re.search(r"/x(\.py|/)$", path)
        if example or path.startswith((*GENERATED, "..")) or "/" not in path.rstrip("/"):
            continue
        assert any((folder / path).exists() for folder in (ROOT, ROOT / "docs")), f"{page.name}: {path}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_dotted_names_exist(page):
    for text in ticked(page.read_text(encoding="utf-8")):
        if not re.fullmatch(rf"({'|'.join(PACKAGES)})(\.\w+)+", text) or text.startswith("tsuji."):
            continue
        path, name = dotted(text)
        assert path is not None, f"{page.name}: {text}"
        assert not name or name in names(path), f"{page.name}: {text}"


@pytest.mark.parametrize("page", [ARCHITECTURE, PERFORMANCE], ids=["architecture", "performance"])
def test_functions_and_components_exist(page):
    other = {"x", "run.specialise", "run.simd", "traffic.load", "tsuji"}
    other |= {"__main__.py", "formats.py", "counters.py", "components.py"}
    components = {path.stem for path in (ROOT / "models").rglob("*.py")}
    for text in set(ticked(page)) - other:
        if re.fullmatch(r"\w+/\w+", text):
            assert (ROOT / "models" / f"{text}.py").exists() or (ROOT / text).exists(), text
        elif re.fullmatch(r"[a-zA-Z_]\w*(\.\w+)?", text) and text.partition(".")[0] not in PACKAGES:
            assert text in components or text in all_names(), text


def test_stages_hold_the_components_of_the_page():
    for stage, _, components in rows(ARCHITECTURE, "Folders follow a flit"):
        common, _, rest = components.partition(";")
        folder = ticked(stage)[0]
        listed = set(common.split(", "))
        hardware = set(re.findall(r"\w+", rest.partition("in hdl also")[2].partition(", which")[0]))
        model = set(re.findall(r"\w+", rest.partition("in models also")[2]))
        for package, more in (("hdl", hardware), ("models", model)):
            there = {path.stem for path in (ROOT / package / folder).glob("*.py")} - {"__init__"}
            assert there == listed | more, f"{package}/{folder}"
    stages = {ticked(row[0])[0].strip("/") for row in rows(ARCHITECTURE, "Folders follow a flit")}
    folders = {path.parent.name for path in (ROOT / "hdl").glob("*/__init__.py")}
    assert folders == stages | {"lib", "bus"}


def test_imports_of_the_page_are_those_that_are_tested():
    tree = ast.parse((ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    (allowed,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "ALLOWED")
    written = {}
    for folder, may in rows(ARCHITECTURE, "Imports go one way"):
        package = ticked(folder)[0].strip("/")
        own = set(PACKAGES) if may == "all" else set(ticked(may.partition(";")[0])) & set(PACKAGES)
        written[package] = own | {package}
    assert written == ast.literal_eval(allowed)


def test_questions_are_answered_by_one_function_of_one_file():
    table = rows(ARCHITECTURE, "Where is it decided?")
    assert [row[0] for row in table] == list(QUESTIONS)
    for question, file, function, besides in table:
        (path,), (name,) = ticked(file), ticked(function)
        assert name in names(ROOT / path), f"{question} {path} has no {name}"
        said = f"{path} {name}".lower()
        assert all(word in said for word in QUESTIONS[question]), question
        files = [text for text in ticked(besides) if "/" in text] or [path]
        for more in ticked(besides):
            assert more in files or any(more in names(ROOT / each) for each in files), f"{question} {more}"


def test_architecture_is_one_page():
    assert len(ARCHITECTURE.splitlines()) <= 90


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    pages = [*PAGES, ROOT / ".github" / "workflows" / "ci.yml"]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        used = re.findall(r"`make ([a-z]+)|run: make ([a-z]+)|^    make ([a-z]+)", text, re.MULTILINE)
        for target in {name for names in used for name in names if name}:
            assert target in targets, f"{page.name}: make {target}"
