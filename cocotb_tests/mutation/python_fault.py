"""A fault in Python source, addressed by function and kind of syntax node instead of by text.

Renamed local variables and a new layout do not change the address. It gives the index of the node and the number of
such nodes in the function, so it is refused as soon as there are more or fewer: the fault must follow the source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from models.errors import TsujiError
from synth.mutated import ROOT, copy_with

_T = TypeVar("_T")
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def _kind(node: ast.AST) -> str:
    """Return the name of a node in addresses; a statement that is a call has the name of the call."""
    match node:
        case ast.Expr(value=value):
            return _kind(value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return f"{name}()"
        case ast.Attribute(attr=name):
            return f".{name}"
        case ast.BinOp(op=op):
            return BINARY.get(type(op), "")
        case ast.AugAssign(op=op):
            return f"{BINARY.get(type(op), '')}="
        case ast.Compare(ops=[comparison]):
            return COMPARISONS.get(type(comparison), "")
        case ast.UnaryOp(op=ast.Invert()):
            return "~"
        case ast.IfExp():
            return "if else"
        case ast.Assign():
            return "="
        case ast.For():
            return "for"
    return ""


def _swapped(node: ast.BinOp, by: str) -> ast.expr:
    (op,) = (op for op, symbol in BINARY.items() if symbol == by)
    return ast.BinOp(node.left, op(), node.right)


def _with_argument(node: ast.Call, by: tuple[int, Any]) -> ast.expr:
    place, value = by
    arguments: list[ast.expr] = [*node.args]
    arguments[place] = ast.Constant(value)
    return ast.Call(node.func, arguments, node.keywords)


# For each operator: the kinds of expressions it applies to, and the replacement.
_EXPRESSIONS: dict[str, tuple[type[ast.expr], Callable[[Any, Any], ast.expr]]] = {
    "drop operator": (ast.UnaryOp, lambda node, by: node.operand),
    "keep left": (ast.BinOp, lambda node, by: node.left),
    "keep right": (ast.BinOp, lambda node, by: node.right),
    "swap operator": (ast.BinOp, _swapped),
    "replace by argument": (ast.Call, lambda node, by: node.args[by]),
    "set argument": (ast.Call, _with_argument),
    "read instead": (ast.Attribute, lambda node, by: ast.Attribute(node.value, by, node.ctx)),
    "set condition": (ast.IfExp, lambda node, by: node.body if by else node.orelse),
    "add one": (ast.expr, lambda node, by: ast.BinOp(node, ast.Add(), ast.Constant(1))),
    "replace by constant": (ast.expr, lambda node, by: ast.Constant(by)),
}


def _drop(block: list[ast.stmt], place: int) -> None:
    block[place] = ast.Pass()


def _initialise_in_loop(block: list[ast.stmt], place: int) -> None:
    loop = block[place]
    if isinstance(loop, ast.For) and place > 0 and isinstance(block[place - 1], ast.Assign):
        loop.body.insert(0, block[place - 1])


_STATEMENTS: dict[str, Callable[[list[ast.stmt], int], None]] = {
    "drop statement": _drop,
    "initialise in loop": _initialise_in_loop,
}


class _Replace(ast.NodeTransformer):
    """Replaces one syntax node by another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        found: ast.AST = self._new if node is self._old else self.generic_visit(node)
        return found


@dataclass(frozen=True)
class Fault:
    """One change of one function.

    Parameters
    ----------
    function : str
        Module and function to change, such as `models.batched.release.batch_end_packets`.
    of : str
        Kind of node to change. Expressions: an operator (`&`, `~`, `>=`), a call (`blend()`), an attribute (`.taken`),
        `if else`. Statements: `for`, an assignment (`=`, `|=`), a call.
    operator : str
        Kind of change. "drop operator" for `~`; "keep left", "keep right", "swap operator" for two operands; "replace
        by argument", "set argument" (index, value) for a call; "read instead" for an attribute; "set condition" for `if
        else`; "add one", "replace by constant" for any expression; "drop statement"; "initialise in loop": the
        assignment before a `for` is repeated at the beginning of its body.
    by : any
        Argument of the change: an operator, an index of an argument from 0 on, an attribute's name, a value.
    which : tuple of int
        Index of the node, from 1 on in source order (an expression before its parts), and the number of such nodes.
    """

    function: str
    of: str
    operator: str
    by: Any = None
    which: tuple[int, int] = (1, 1)

    @property
    def file(self) -> str:
        """The source file, relative to the root of the project."""
        return self.function.rpartition(".")[0].replace(".", "/") + ".py"

    def source(self) -> str:
        """Return the source of the module with the fault.

        Raises
        ------
        TsujiError
            If there is no such function, its number of such nodes is not that in `which`, `operator` does not apply to
            them, or nothing changes: the fault must follow the source.
        """
        path = ROOT / self.file
        if not path.is_file():
            raise TsujiError(f"{self}: there is no {self.file}")
        module = ast.parse(path.read_text(encoding="utf-8"))
        before = ast.dump(module)
        name = self.function.rpartition(".")[2]
        functions = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name]
        if len(functions) != 1:
            raise TsujiError(f"{self}: {self.file} has no function {name}")
        self._change(functions[0])
        if ast.dump(module) == before:
            raise TsujiError(f"{self}: nothing changes")
        return ast.unparse(ast.fix_missing_locations(module))

    def _change(self, function: ast.FunctionDef) -> None:
        if self.operator in _STATEMENTS:
            block, place = self._only([(block, n) for block, n in _statements(function) if self._fits(block[n])])
            _STATEMENTS[self.operator](block, place)
        elif self.operator in _EXPRESSIONS:
            node = self._only([node for node in _expressions(function) if self._fits(node)])
            kind, change = _EXPRESSIONS[self.operator]
            if not isinstance(node, kind):
                raise TsujiError(f"{self}: {self.operator!r} is not for {self.of!r}")
            try:
                new = change(node, self.by)
            except (IndexError, TypeError, ValueError) as error:
                raise TsujiError(f"{self}: {self.operator!r} does not know {self.by!r}") from error
            _Replace(node, new).visit(function)
        else:
            raise TsujiError(f"{self}: {self.operator!r} is none of {sorted(_STATEMENTS | _EXPRESSIONS)}")

    def _fits(self, node: ast.AST) -> bool:
        return _kind(node) == self.of

    def _only(self, found: list[_T]) -> _T:
        number, count = self.which
        if len(found) != count or not 1 <= number <= count:
            raise TsujiError(f"{self}: there are {len(found)} of {self.of!r}; change the fault with the source")
        return found[number - 1]


def _statements(node: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """Yield every statement within a node, as a block and an index in it."""
    for name in ("body", "orelse"):
        block = getattr(node, name, [])
        for n, statement in enumerate(block):
            yield block, n
            yield from _statements(statement)


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield every expression within a node, each before its parts."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        yield from _expressions(child)


def one_a_file(faults: Mapping[str, Fault | None]) -> list[str]:
    """Return the names of the first fault of each source file, and of the entries without a fault."""
    first: dict[str, str] = {}
    for name, fault in faults.items():
        first.setdefault(fault.file if fault else "", name)
    return list(first.values())


@contextmanager
def faulty_copy(fault: Fault | None) -> Iterator[Path]:
    """Yield a temporary folder with a copy of the package that has the fault; the project itself for None."""
    if fault is None:
        yield ROOT
        return
    with copy_with(fault.file, fault.source()) as folder:
        yield folder
