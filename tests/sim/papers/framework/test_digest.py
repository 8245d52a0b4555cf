"""Digest of a part: it depends on the code that the part runs, not on where that code lies."""

import re
import shutil
from pathlib import Path

import pytest

from sim.papers.framework.digest import ROOT, CodeDigests
from sim.papers.framework.source_graph import Definition, SourceGraph

OWN = """
from sim.other import g

FACTOR = 2
NOTE = 'a'


def f(x: int) -> int:
    '''Doc.'''
    return FACTOR * g(x)
"""
PART = ("sim.papers.beyond", "measured")
OTHER = "def g(x):\n    return x\n\n\ndef h(x):\n    return -x\n"


@pytest.fixture
def told(tmp_path):
    """Return a function that gives the digest of `sim.own.f` for given texts of modules."""

    def write(own=OWN, module="sim.own", **others):
        shutil.rmtree(tmp_path / "sim", ignore_errors=True)
        for name, text in ({"other": OTHER} | others | {module.removeprefix("sim."): own}).items():
            path = tmp_path / "sim" / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return CodeDigests(tmp_path).digest(module, "f")

    return write


def test_what_the_function_refers_to_counts(told):
    first = told()
    assert told(OWN.replace("FACTOR = 2", "FACTOR = 3")) != first
    assert told(other=OTHER.replace("return x", "return x + 1")) != first
    for change in ("FACTOR += {}\n", "if FACTOR:\n    FACTOR = {}\n", "for i in (1, {}):\n    FACTOR = i\n"):
        assert told(OWN + change.format(3)) != told(OWN + change.format(4))


def test_what_it_does_not_refer_to_does_not(told):
    first = told()
    assert told(OWN.replace("'a'", "'b'").replace("Doc.", "Other.").replace("-> int", "-> float")) == first
    assert told(OWN + "NOTE += 'c'\n") == first
    assert told(other=OTHER.replace("return -x", "return 1 - x")) == first
    assert (
        told(other=f"'''Other.'''\n# why\n\n{OTHER}".replace("return x\n", "return (\n        x  # so\n    )\n"))
        == first
    )


def test_the_place_of_code_does_not(told):
    first = told()
    assert told(OWN.replace("sim.other", "sim.lib.deep"), **{"lib.deep": OTHER}) == first
    assert told(module="sim.elsewhere.mine") == first
    split = {"one": OTHER, "two": "from sim.one import g\n"}
    assert told(OWN.replace("sim.other", "sim.two"), **split) == first
    joined = OWN.replace("from sim.other import g\n", "") + OTHER
    assert told(joined) == first
    assert (
        told(OWN.replace("    return", "    from sim.other import g\n    return").replace("from sim", "# ", 1)) == first
    )


def test_a_name_that_stands_for_another_function_counts(told):
    """Both definitions are reached either way; the digest depends on which name refers to which."""
    two = (
        "from sim.a import g as first\nfrom sim.b import g as second\n\n\ndef f(x):\n    return first(x) - second(x)\n"
    )
    a, b = "def g(x):\n    return x\n", "def g(x):\n    return 2 * x\n"
    assert told(two, a=a, b=b) != told(two, a=b, b=a)
    helped = "from sim.a import u\nfrom sim.b import v\n\n\ndef f(x):\n    return u(x) - v(x)\n"
    u, v = "def u(x):\n    return g(x)\n", "def v(x):\n    return g(x)\n"
    assert told(helped, a=u + a, b=v + b) != told(helped, a=u + b, b=v + a)


def test_definitions_that_refer_to_each_other(told):
    circle = "def f(x):\n    return g(x - 1) if x else 0\n\n\ndef g(x):\n    return f(x {} 1)\n"
    assert told(circle.format("-")) != told(circle.format("//"))
    assert told(circle.format("-")) == told(
        "from sim.other import g\n\n\ndef f(x):\n    return g(x - 1) if x else 0\n",
        other="def g(x):\n    from sim.own import f\n\n    return f(x - 1)\n",
    )


def test_strings_count_to_the_last_blank(told):
    text = "def g(x):\n    return '''a\n{}b'''\n"
    assert told(other=text.format("\n")) != told(other=text.format(""))
    assert told(other=text.format("c  \n")) != told(other=text.format("c\n"))
    assert told(other="def g(x):\n    return '# x'\n") != told(other="def g(x):\n    return '# y'\n")


def test_files_named_count_by_their_content(told, tmp_path):
    (tmp_path / "examples").mkdir()
    example = tmp_path / "examples" / "a.toml"
    example.write_text("[switch]\n")
    reads = OWN.replace("FACTOR = 2", "FACTOR = len('examples/a.toml')")
    before = told(reads)
    assert told(reads) == before
    example.write_text("[link]\n")
    assert told(reads) != before


def test_registries_count_as_imports(told):
    """If a package is named in a string, what its modules register counts, wherever the package lies."""
    asks = "KINDS = Registry('{}')\n\n\ndef f(x):\n    return KINDS\n"
    kind = "@KINDS.enter\nclass Torus:\n    size = {}\n"
    more = {"kinds/__init__": "", "kinds/torus": kind.format(2)}
    first = told(asks.format("sim.kinds"), **more)
    assert told(asks.format("sim.kinds"), **(more | {"kinds/torus": kind.format(3)})) != first
    elsewhere = {"lib/kinds/__init__": "", "lib/kinds/torus": kind.format(2)}
    assert told(asks.format("sim.lib.kinds"), **elsewhere) == first


def test_what_an_import_does_counts(told):
    """A call at module level, or a definition that a decorator of another package takes."""
    for text in ("print({})\n", "import numba\n\n\n@numba.overload\ndef h():\n    return {}\n"):
        mine = OTHER.replace("return -x", "return x") + text
        assert told(other=mine.format(1)) != told(other=mine.format(2))
        indirect = {"third": text, "other": "import sim.third\n\n\ndef g(x):\n    return x\n"}
        assert told(**{name: each.format(1) for name, each in indirect.items()}) != told(
            **{name: each.format(2) for name, each in indirect.items()}
        )


@pytest.mark.parametrize(
    "text",
    [
        "from sim.tools import teach\n\n\n@teach(h)\ndef taught():\n    return {}\n",
        "for number in (1, 2):\n    print(number + {})\n",
        "from sim.tools import TABLE\n\nTABLE['a'] = {}\n",
    ],
)
def test_what_acts_on_others_counts(told, text):
    tools = "TABLE = {}\n\n\ndef teach(of):\n    return lambda function: TABLE.setdefault(of, function)\n"
    assert told(other=OTHER + text.format(1), tools=tools) != told(other=OTHER + text.format(2), tools=tools)


def test_every_module_that_a_file_imports_for_its_effects_counts(told):
    """`import sim.one` and `import sim.two` both bind the name `sim`."""
    other = f"import sim.one\nimport sim.two\n\n\n{OTHER}"
    first = told(other=other, one="print(1)\n", two="print(2)\n")
    assert told(other=other, one="print(3)\n", two="print(2)\n") != first
    assert told(other=other, one="print(1)\n", two="print(3)\n") != first


def test_a_dotted_name_counts(told):
    other = "import sim.third\n\n\ndef g(x):\n    return sim.third.h(x)\n"
    third = "def h(x):\n    return {}\n"
    assert told(other=other, third=third.format(1)) != told(other=other, third=third.format(2))


def test_all_that_the_compiler_is_taught_counts():
    """Compiled forms of functions are registered by decorators, in modules that are imported for that alone."""
    reached = CodeDigests(ROOT).reach(*PART)
    effects = {definition.module for definition in reached if definition.name.isdigit()}
    assert {f"models.jit.compiler.{name}" for name in ("bits", "prefetch", "simd", "entry")} <= effects


def test_a_configuration_may_name_any_family():
    graph, reached = SourceGraph(ROOT), CodeDigests(ROOT).reach("sim.papers.cache_applications", "relative_speed")
    entered = [
        Definition(module, name)
        for module in graph.modules
        if module.startswith("sim.")
        for name in graph.module(module).entered
    ]
    names = {definition.name for definition in entered if definition in reached}
    assert {"TorusFamily", "Valiant", "Uniform", "rabenseifner"} <= {definition.name for definition in entered}
    assert names == {definition.name for definition in entered}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """Return a copy of the packages."""
    root = tmp_path_factory.mktemp("clone")
    for package in ("models", "sim"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "examples", root / "examples")
    return root


def test_a_file_moved_in_a_clone_changes_no_digest(scratch):
    here = CodeDigests(ROOT).digest(*PART)
    assert CodeDigests(scratch).digest(*PART) == here
    moves = {"models.transfer.crossbar": "models.crossing", "sim.engine.loop": "sim.advancing.each_cycle"}
    for old, new in moves.items():
        target = scratch / f"{new.replace('.', '/')}.py"
        target.parent.mkdir(exist_ok=True)
        (scratch / f"{old.replace('.', '/')}.py").rename(target)
    for path in scratch.rglob("*.py"):
        text = path.read_text()
        for old, new in moves.items():
            text = re.sub(rf"\b{re.escape(old)}\b", new, text)
            parent, _, name = old.rpartition(".")
            assert f"from {parent} import {name}" not in text
        path.write_text(text)
    assert CodeDigests(scratch).digest(*PART) == here
    loop = scratch / "sim/advancing/each_cycle.py"
    text = loop.read_text()
    changed = re.sub(r" \+ 1\b", " - 1", text, count=1)
    assert changed != text
    loop.write_text(changed)
    assert CodeDigests(scratch).digest(*PART) != here


def test_what_is_asked_for_must_be_there(tmp_path):
    (tmp_path / "sim").mkdir()
    Path(tmp_path / "sim" / "own.py").write_text(OWN)
    with pytest.raises(KeyError):
        CodeDigests(tmp_path).digest("sim.own", "g2")
