"""Digest of the code that a function depends on, read from the source, without importing.

Of its own module it is the function and what it names there, over and over, and files of ours whose paths are strings
there: an edit of a note or of a figure beside it changes nothing. Of other modules of ours it is all of their source
but comments, docstrings and empty lines, and of all that they import. A string that is the name of a package counts as
an import of those of its modules that enter something into a registry (`sim.registry`).
"""

from __future__ import annotations

import ast
import re
import tokenize
from functools import cache
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import TypeGuard

FILE = re.compile(r"[\w./-]+/[\w.-]+")
ENTERS = re.compile(r"^@(\w+\.enter\b|algorithm\()", re.MULTILINE)
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("models", "hdl", "sim", "synth")


@cache
def code_digest(module: str, function: str) -> str:
    """Return the digest of a function of a module, and of all that it depends on."""
    digest = sha256()
    own, front = _needed(module, function)
    for text in own:
        digest.update(text.encode())
        for path in _files_named(text):
            digest.update(path.read_bytes())
    reached = set[str]()
    while front:
        name = front.pop()
        if name not in reached:
            reached.add(name)
            front += _imports(name)
    for name in sorted(reached):
        digest.update(f"{name}\n{_bare_source(name)}".encode())
    return digest.hexdigest()[:16]


def _needed(module: str, function: str) -> tuple[list[str], list[str]]:
    """Return the source of a function and of what it names in its module, and the modules that these import."""
    tree = _Unannotated().visit(ast.parse(_file(module).read_text(encoding="utf-8")))
    defined: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined |= {name.id: node for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name.split(".")[0]: node for alias in node.names}
    reached, front = dict[str, ast.stmt](), [function]
    while front:
        name = front.pop()
        if name in defined and name not in reached:
            reached[name] = defined[name]
            front += [node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)]
            for number, (node, changed) in enumerate(_changes(tree)):
                if name in changed:
                    defined[f"{name} {number}"] = node
                    front.append(f"{name} {number}")
    modules = [found for node in reached.values() for found in sorted(_imported(node))]
    own = (reached[name] for name in sorted(reached))
    source = [ast.unparse(node) for node in own if not isinstance(node, ast.Import | ast.ImportFrom)]
    return source, modules


def _changes(tree: ast.Module) -> list[tuple[ast.stmt, set[str]]]:
    """Return the other statements of a module's own level, and the names that each binds or changes an item of."""
    found: list[tuple[ast.stmt, set[str]]] = []
    for node in tree.body:
        if isinstance(node, ast.AugAssign | ast.For | ast.While | ast.If | ast.With | ast.Try | ast.Assign):
            stores = [each for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Store)]
            names = {each.id for store in stores for each in ast.walk(store) if isinstance(each, ast.Name)}
            plain = isinstance(node, ast.Assign) and all(
                isinstance(each, ast.Name | ast.Tuple) for each in node.targets
            )
            if not plain:
                found.append((node, names))
    return found


class _Unannotated(ast.NodeTransformer):
    """Takes types and docstrings away, on which no value depends."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if _is_note(node) else node


def _file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _files_named(source: str) -> list[Path]:
    """Return the files of the repository whose paths are strings in a piece of source: examples that it runs."""
    strings = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [
        ROOT / text for text in strings if isinstance(text, str) and FILE.fullmatch(text) and (ROOT / text).is_file()
    ]


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text(encoding="utf-8"))


@cache
def _bare_source(module: str) -> str:
    """Return a module's source without comments, docstrings and empty lines.

    The text, not the syntax tree written out: that differs from one Python version to the next.
    """
    lines = _file(module).read_text(encoding="utf-8").split("\n")
    inside = set[int]()  # lines that go on in a string of several lines, where blanks count
    for token in tokenize.generate_tokens(StringIO("\n".join(lines)).readline):
        row, column = token.start
        if token.type == tokenize.COMMENT:
            lines[row - 1] = lines[row - 1][:column]
        elif token.type not in (tokenize.NEWLINE, tokenize.NL):
            inside |= set(range(row, token.end[0]))
    for node in ast.walk(_tree(module)):
        if _is_note(node):
            first, last = node.lineno, node.end_lineno
            head = lines[first - 1].encode()[: node.col_offset].decode()
            tail = lines[last - 1].encode()[node.end_col_offset :].decode()
            lines[first - 1 : last] = [""] * (last - first) + [head.rstrip() + tail]
            inside -= set(range(first, last))
    kept = (line if row in inside else line.rstrip() for row, line in enumerate(lines, 1))
    return "\n".join(line for row, line in enumerate(kept, 1) if line or row in inside or row - 1 in inside)


def _is_note(node: ast.AST) -> TypeGuard[_Note]:
    """Return whether a statement is a string alone: a docstring, or what is said of a name above it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _Note(ast.Expr):
    """A statement that is a string alone."""

    end_lineno: int
    end_col_offset: int


@cache
def _modules() -> frozenset[str]:
    """Return the names of all modules of ours."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return frozenset(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths)


def _imported(tree: ast.AST) -> set[str]:
    """Return the modules of ours that a piece of source imports, or names as a package."""
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("sim."):
            found |= {name for name in _modules() if name.rpartition(".")[0] == node.value and _enters(name)}
    return found & _modules()


@cache
def _enters(module: str) -> bool:
    """Return whether a module enters something into a registry."""
    return ENTERS.search(_file(module).read_text(encoding="utf-8")) is not None


@cache
def _imports(module: str) -> frozenset[str]:
    return frozenset(_imported(_tree(module)))
