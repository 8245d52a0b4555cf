"""Single changes of Python source as usual in mutation testing: of operators, constants, conditions, statements.

For faults that a program draws (`cocotb_tests.mutation.drawn`); those that are written by hand are in the TOML files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from cocotb_tests.mutation.python_fault import BINARY, COMPARISONS

# Another operator for each.
_OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "//": "*",
    "%": "//",
    "&": "|",
    "|": "&",
    "^": "|",
    "<<": ">>",
    ">>": "<<",
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
}
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)


@dataclass(frozen=True)
class Candidate:
    """A change of one place.

    Attributes
    ----------
    file : str
        Source file, relative to the root of the project.
    line : int
        Its line, from 1 on.
    begin, end : int
        Place of the old text in the source, in characters.
    old, new : str
        Text, and its replacement.
    """

    file: str
    line: int
    begin: int
    end: int
    old: str
    new: str

    def applied(self, source: str) -> str:
        """Return the source with the change."""
        return source[: self.begin] + self.new + source[self.end :]

    def __str__(self) -> str:
        """Return the change in one line."""
        return f"{self.file}:{self.line}: {' '.join(self.old.split())} -> {' '.join(self.new.split())}"


def candidates(file: str, source: str) -> list[Candidate]:
    """Return all changes of a source file; messages of errors, type hints, docstrings and imports stay as they are."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        # Columns of the syntax tree count bytes.
        text = source[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text.encode()[:column].decode())

    found = []
    for node, new in _changes(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
        found.append(Candidate(file, node.lineno, begin, end, source[begin:end], new))
    return found


def _changes(module: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield each node that can be changed, with its new text."""
    for node in _within(module):
        match node:
            case ast.BinOp() | ast.Compare() | ast.BoolOp() | ast.UnaryOp():
                yield from ((node, f"({new})") for new in _operations(node))
            case ast.Constant(value=bool() as value):
                yield node, str(not value)
            case ast.Constant(value=int() as value):
                yield node, str(value + 1)
                if value > 0:
                    yield node, str(value - 1)
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield test, f"(not ({ast.unparse(test)}))"
            case ast.AugAssign() | ast.Expr(value=ast.Call()):
                yield node, "pass"


def _operations(node: ast.expr) -> Iterator[str]:
    """Yield an operation with another operator, with its operands swapped, or without it."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            old = BINARY[type(op)]
            yield f"{_operand(left)} {_OPERATORS[old]} {_operand(right)}"
            if isinstance(op, _ORDERED):
                yield f"{_operand(right)} {old} {_operand(left)}"
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield f"{_operand(left)} {_OPERATORS[COMPARISONS[type(op)]]} {_operand(right)}"
        case ast.BoolOp(op=op, values=values):
            yield (" or " if isinstance(op, ast.And) else " and ").join(map(_operand, values))
        case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=operand):
            yield ast.unparse(operand)


def _operand(node: ast.expr) -> str:
    """Return the text of an operand; in parentheses, as another operator may bind it otherwise."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes whose value matters when the program runs."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "keywords") and isinstance(
            node, ast.AnnAssign | ast.arg | ast.FunctionDef | ast.ClassDef
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Assert):
                continue
            if isinstance(child, ast.AST):
                yield child
                yield from _within(child)
