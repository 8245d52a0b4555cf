"""Each rule of a switch is written once, for one switch and for 64 of a batch (docs/explanation/rules.md)."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.test_docs import rows, ticked

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "rules.md"
TABLE = rows(PAGE.read_text(encoding="utf-8"), "The rules")
BY_NUMBER = "kept as a number"  # of an arbiter that is not kept as a set
STAGES = ("buffer", "route", "predict", "allocate", "transfer", "power", "node")


@cache
def functions(file):
    """Return the functions of a file by name."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def called(node):
    return {each.func.id for each in ast.walk(node) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}


def files(folder):
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "models" / folder).glob("*.py"))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_both_forms_call_the_rule(row):
    """A cell names a file and one of its functions; that of a rule is called by those of the forms."""
    _, *cells = row
    assert len(cells) == 3
    (file, name), *forms = [ticked(cell) for cell in cells if cell != BY_NUMBER]
    assert name in functions(file), name
    for where, by in forms:
        assert name in called(functions(where)[by]), f"{where}: {by} does not call {name}"
    assert [where.startswith("models/batched/") for where, _ in forms] in ([False, True], [True])
    assert sum(BY_NUMBER in row for row in TABLE) == 1


def test_the_table_has_every_function_of_sets():
    listed = {ticked(row[1])[1] for row in TABLE}
    sets = {
        name
        for stage in STAGES
        for file in files(stage)
        for name, node in functions(file).items()
        if any(ast.unparse(argument.annotation or ast.Constant(0)) == "Set" for argument in node.args.args)
    }
    assert len(sets) > 7
    assert sets <= listed


def shape(node):
    """Return an expression with its operands left out, and how many operators of sets it has."""
    if isinstance(node, ast.BinOp):
        (left, before), (right, behind) = shape(node.left), shape(node.right)
        sets = isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor)
        return f"({left} {type(node.op).__name__} {right})", before + behind + sets
    if isinstance(node, ast.UnaryOp):
        inside, count = shape(node.operand)
        return f"{type(node.op).__name__} {inside}", count + 1
    return "_", 0


def shapes(node):
    """Return the shapes, of three operators and more, of all expressions of a function, and of their parts."""
    found = [shape(each) for each in ast.walk(node) if isinstance(each, ast.BinOp | ast.UnaryOp)]
    return {text for text, count in found if count > 2}


def twins(rules, others):
    """Return which expressions of `rules` stand in `others`, both dicts of functions."""
    here = {text: name for name, node in rules.items() for text in shapes(node)}
    return {(here[text], name) for name, node in others.items() for text in shapes(node) & here.keys()}


def batched():
    return {f"{file}: {name}": node for file in files("batched") for name, node in functions(file).items()}


def test_no_rule_has_a_twin_in_batches():
    """Batches load and store vectors; none of their expressions is one of a rule."""
    rules = {ticked(row[1])[1]: functions(ticked(row[1])[0])[ticked(row[1])[1]] for row in TABLE}
    assert twins(rules, batched()) == set()


def test_a_twin_is_found():
    rules = ast.parse("def rule(a, b, c):\n    return a & (b | ~c)\n").body[0]
    other = ast.parse("def other(st, o):\n    x = y | load(st, o) & (free(st)[o] | ~head)\n").body[0]
    assert twins({"rule": rules}, {"other": other}) == {("rule", "other")}


def test_no_arbiter_is_written_in_batches():
    """The lowest member of a set needs a unary minus, and so does the order after it. Counters add masks, −1 or 0."""
    found = {
        name
        for name, node in batched().items()
        for each in ast.walk(node)
        if isinstance(each, ast.UnaryOp)
        and isinstance(each.op, ast.USub)
        and not isinstance(each.operand, ast.Constant)
    }
    sizes = {"models/batched/link.py: due_words"}
    assert found - sizes == {"models/batched/counters.py: _count"}
