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

FILE = re.compile(r"[\w./-]+/[\w.-]+")
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
    modules = [found for node in reached.values() for found in sorted(_imported(node))]
    own = (reached[name] for name in sorted(reached))
    source = [ast.unparse(node) for node in own if not isinstance(node, ast.Import | ast.ImportFrom)]
    return source, modules


class _Unannotated(ast.NodeTransformer):
    """Takes types and docstrings away, on which no value depends."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        self.generic_visit(node)
        return node


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
    text = _file(module).read_text(encoding="utf-8")
    lines = text.split("\n")
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(_tree(module)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            string = node.body[0]
            if string.end_lineno is not None and not lines[string.lineno - 1][: string.col_offset].strip():
                lines[string.lineno - 1 : string.end_lineno] = [""] * (string.end_lineno - string.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


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
    return ".enter\n" in _file(module).read_text(encoding="utf-8")


@cache
def _imports(module: str) -> frozenset[str]:
    return frozenset(_imported(_tree(module)))
