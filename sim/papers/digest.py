"""Digest of the code that a function depends on: its module, and all of ours that this imports, over and over.

Read from the source, without importing. A string that is the name of a package counts as an import of all its modules,
since registries (`sim.registry`) import packages by name.
"""

from __future__ import annotations

import ast
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("models", "sim")


@cache
def code_digest(module: str) -> str:
    """Return the digest of a module's source and of all that it depends on."""
    reached, front = set[str](), [module]
    while front:
        name = front.pop()
        if name not in reached:
            reached.add(name)
            front += _imports(name)
    digest = sha256()
    for name in sorted(reached):
        digest.update(name.encode() + _file(name).read_bytes())
    return digest.hexdigest()[:16]


def _file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _modules() -> frozenset[str]:
    """Return the names of all modules of ours."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return frozenset(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths)


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of ours that a module imports, or names as a package."""
    found = set[str]()
    for node in ast.walk(ast.parse(_file(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("sim."):
            found |= {name for name in _modules() if name.startswith(f"{node.value}.")}
    return frozenset(found & _modules())
