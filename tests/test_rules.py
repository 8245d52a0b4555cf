"""Each rule of a switch is written once, for one switch and for 64 of a batch (docs/explanation/rules.md)."""

import ast
import copy
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.test_docs import rows, ticked

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "rules.md"
TABLE = rows(PAGE.read_text(encoding="utf-8"), "The rules")
APART = "each arbiter has its own order"  # instead of a function that is called
STAGES = ("buffer", "route", "predict", "allocate", "transfer", "power", "node")


@cache
def defined(file):
    """Return the functions and classes of a file by name."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def functions(file):
    return {name: node for name, node in defined(file).items() if isinstance(node, ast.FunctionDef)}


def called(node):
    """Return the names of the functions that are called; of a class, all names: it declares values by functions."""
    if isinstance(node, ast.ClassDef):
        return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return {each.func.id for each in ast.walk(node) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}


def files(folder):
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "models" / folder).glob("*.py"))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_both_forms_call_the_rule(row):
    """A cell names a file and one of its functions, or a class; those of the forms call that of the rule."""
    _, *cells = row
    assert len(cells) == 3
    (file, name), *forms = [ticked(cell) for cell in cells if cell != APART]
    assert name in functions(file), name
    for where, by in forms:
        assert name in called(defined(where)[by]), f"{where}: {by} does not call {name}"
    assert [where.startswith("models/batched/") for where, _ in forms] in ([False, True], [True])
    assert sum(APART in row for row in TABLE) == 1


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


class _Inlined(ast.NodeTransformer):
    """Puts the value of a local variable that is assigned once in place of its name."""

    def __init__(self, function):
        assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
        names = [node.targets[0].id for node in assigned if isinstance(node.targets[0], ast.Name)]
        self.values = {
            node.targets[0].id: node.value
            for node in assigned
            if isinstance(node.targets[0], ast.Name) and names.count(node.targets[0].id) == 1
        }

    def visit_Name(self, node):
        value = self.values.pop(node.id, None)
        found = node if value is None else self.visit(copy.deepcopy(value))
        if value is not None:
            self.values[node.id] = value
        return found


CHAINS = {ast.BitAnd: "and", ast.BitOr: "or"}
MASKS = {"nonzero_mask", "blend", "either"}  # functions of masks, which are operators, too


def parts(node, kind):
    """Return the operands of a chain of one operator."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, kind):
        return parts(node.left, kind) + parts(node.right, kind)
    return [node]


def shape(node):
    """Return an expression without its operands, in an order that does not matter, and how many operators it has."""
    if isinstance(node, ast.BinOp) and type(node.op) in CHAINS:
        inside = [shape(each) for each in parts(node, type(node.op))]
        text = f"{CHAINS[type(node.op)]}({' '.join(sorted(text for text, _ in inside))})"
        return text, sum(count for _, count in inside) + len(inside) - 1
    if isinstance(node, ast.UnaryOp):
        text, count = shape(node.operand)
        return f"{type(node.op).__name__}({text})", count + 1
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MASKS:
        inside = [shape(each) for each in node.args]
        return f"{node.func.id}({' '.join(text for text, _ in inside)})", sum(count for _, count in inside) + 1
    return "_", 0


def expressions(function):
    """Return the expressions of sets in a function, as lists: of a chain its operands, else the expression alone."""
    whole = _Inlined(function).visit(copy.deepcopy(function))
    return [
        (CHAINS[type(node.op)], Counter(shape(each)[0] for each in parts(node, type(node.op))))
        for node in ast.walk(whole)
        if isinstance(node, ast.BinOp) and type(node.op) in CHAINS
    ]


def results(function):
    """Return the operator of a chain that a rule returns, the shapes of its operands, and how many operators it has."""
    whole = _Inlined(function).visit(copy.deepcopy(function))
    for node in ast.walk(whole):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.BinOp) and type(node.value.op) in CHAINS:
            kind = type(node.value.op)
            yield CHAINS[kind], Counter(shape(each)[0] for each in parts(node.value, kind)), shape(node.value)[1]


def twins(rules, others):
    """Return which rules of three operators and more stand in `others`, as a chain or a part of one; both dicts."""
    found = set()
    for rule, function in rules.items():
        for kind, operands, count in results(function):
            for name, other in others.items() if count > 2 else ():
                if any(operands <= each for chain, each in expressions(other) if chain == kind):
                    found.add((rule, name))
    return found


def batched():
    return {f"{file}: {name}": node for file in files("batched") for name, node in functions(file).items()}


def function_of(text):
    return ast.parse(text).body[0]


# An expression of the same shape that is another matter: the drain port, to which many are granted, is never given.
NO_RULE = {(rule, "models/batched/matching.py: grant_outputs") for rule in ("free_vcs", "orders_after")}


def test_no_rule_has_a_twin_in_batches():
    """Batches load and store vectors; none of their expressions is one of a rule."""
    rules = {ticked(row[1])[1]: functions(ticked(row[1])[0])[ticked(row[1])[1]] for row in TABLE}
    assert {rule for rule, node in rules.items() if any(count > 2 for *_, count in results(node))} == {
        *("first", "won_first", "orders_after", "not_held", "open_vcs", "free_vcs", "row_wins", "row_after")
    }
    assert twins(rules, batched()) == NO_RULE


RULE = "def rule(a, b, c):\n    return a & (b | ~c)\n"


@pytest.mark.parametrize(
    "text",
    [
        "x = y | load(st, o) & (free(st)[o] | ~head)",
        "x = (free | ~head) & credited",
        "usable = free | ~head\n    x = credited & usable",
        "x = more & credited & (~head | free)",
    ],
)
def test_a_twin_is_found(text):
    assert twins({"rule": function_of(RULE)}, {"other": function_of(f"def other(st, o):\n    {text}\n")})


@pytest.mark.parametrize("text", ["x = a & b & ~c", "x = a | b & ~c", "x = a & (b | c)"])
def test_another_expression_is_none(text):
    assert not twins({"rule": function_of(RULE)}, {"other": function_of(f"def other(st, o):\n    {text}\n")})


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
