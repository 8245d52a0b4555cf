"""Test files that a change affects, nearest first: `python -m tests.selection` lists those of the uncommitted change.

Read from the source: a file depends on its imports, on modules that it names in a string (a bench is passed to
`run_bench` by name), or whose package it names (a registry imports each of a folder), and, if it is a test, on data
whose file or folder it names. Nearest is a test with the name of a changed file, or in the folder of that name; then
tests of the same folder; then tests that import the file through more and more files. All tests that reach the change
are listed: `make check` runs as many as its time allows.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("models", "hdl", "sim", "synth", "cocotb_tests", "tsuji", "benchmarks", "tests")
# Folders that tell where a test is, not what it tests.
PLACES = {*PACKAGES, "unit"}


def changed_files(root: Path = ROOT) -> list[PurePosixPath]:
    """Return the files that differ from the last commit, new and removed ones included, relative to `root`."""
    command = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "."]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [PurePosixPath(entry[3:]) for entry in told.split("\0") if entry]


def select(changed: Iterable[PurePosixPath], root: Path = ROOT) -> list[PurePosixPath]:
    """Return the test files that a change affects, nearest first.

    Parameters
    ----------
    changed : iterable of path
        Files relative to `root`; they may have been removed.
    root : Path
        Root of the project.
    """
    changed = list(changed)
    found = {
        PurePosixPath(path.relative_to(root).as_posix()) for name in PACKAGES for path in (root / name).rglob("*.py")
    }
    sources = found | {path for path in changed if path.suffix == ".py" and path.parts[0] in PACKAGES}
    modules = {_module(path): path for path in sources}
    users: defaultdict[PurePosixPath, set[PurePosixPath]] = defaultdict(set)
    words: dict[PurePosixPath, set[str]] = {}
    for path in found:
        imported, words[path] = _names(root / path)
        for used in _used(imported, words[path], modules):
            users[used].add(path)
    distance = dict.fromkeys((path for path in changed if path in sources), 1)
    distance |= dict.fromkeys(_readers(changed, words), 1)
    front = list(distance)
    while front:
        reached = {user for path in front for user in users[path]} - distance.keys()
        steps = distance[front[0]] + 1
        distance |= dict.fromkeys(reached, steps)
        front = list(reached)
    tests = [path for path in distance if path.name.startswith("test_") and path in found]
    return sorted(tests, key=lambda test: (min(_kinship(test, path) for path in changed), distance[test], test))


def _module(path: PurePosixPath) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def _names(file: Path) -> tuple[set[str], set[str]]:
    """Return the modules that a file imports, if they exist, and its strings."""
    imported, words = set(), set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
    return imported, words


def _used(imported: set[str], words: set[str], modules: dict[str, PurePosixPath]) -> Iterator[PurePosixPath]:
    """Yield the files that a file imports or names; those of a package that it names, of which it imports each."""
    for name in imported | words:
        if name in modules:
            yield modules[name]
            if name in words and "." in name and modules[name].name == "__init__.py":
                package = modules[name].parent
                yield from (path for path in modules.values() if path.parent == package)
        elif name.endswith(".") and name[:-1] in modules:  # f"cocotb_tests.switch.{bench}"
            yield from (path for module, path in modules.items() if module.startswith(name))


def _readers(changed: list[PurePosixPath], words: dict[PurePosixPath, set[str]]) -> Iterator[PurePosixPath]:
    """Yield the readers of changed files that are not Python: sources beside them, and tests that name them."""
    for data in changed:
        if data.suffix == ".py":
            continue
        names = {data.name, str(data), data.parts[0]}
        for path in words:
            if path.parent == data.parent or (path.name.startswith("test_") and words[path] & names):
                yield path


def _kinship(test: PurePosixPath, changed: PurePosixPath) -> int:
    """Return 0 if a test belongs to the changed file by name, 1 if it is of the same folder, 2 otherwise."""
    if test == changed:
        return 0
    about = [part for part in test.parent.parts if part not in PLACES]
    folder = [part for part in changed.parent.parts if part not in PLACES]
    if changed.stem in (test.stem.removeprefix("test_"), *about[-1:]):
        return 0
    return 1 if folder and folder == about[: len(folder)] else 2


if __name__ == "__main__":
    print(*select(changed_files()), sep="\n", file=sys.stdout)
