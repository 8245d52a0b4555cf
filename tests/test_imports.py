"""Imports between files: no cycle of files, no two folders of sim/ that import each other, none up the floors of sim/.

Imports inside functions count; those under `if TYPE_CHECKING` do not, as they are not there when the program runs.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("models", "hdl", "sim", "synth", "cocotb_tests", "tsuji", "benchmarks")

# Floors of sim/ (docs/explanation/architecture.md): 1 what is known before a run, 2 what runs, 3 the run of a
# configuration, 4 commands that ask for runs. Imports go down or stay on a floor.
FLOORS = {
    1: {"lib", "files", "topology", "routing", "traffic", "config", "packets"},
    2: {"engine", "measure", "power", "messages", "schedule", "mpi", "analysis"},
    3: {"simulation"},
    4: {"workload", "sweep", "plot", "booksim", "papers"},
}


def _run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, but those that only type checkers see."""
    front = [tree]
    while front:
        node = front.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            front += node.orelse
            continue
        yield node
        front += ast.iter_child_nodes(node)


def import_graph(root: Path) -> nx.DiGraph:
    """Return which module of ours imports which, `__init__` under the name of its package."""
    paths = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
    }
    graph = nx.DiGraph()
    for name, path in paths.items():
        graph.add_node(name, folder=".".join(path.parent.relative_to(root).parts))
        for node in _run_time(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [each if each in paths else node.module for each in whole]
            else:
                continue
            graph.add_edges_from((name, target) for target in targets if target in paths and target != name)
    return graph


def cycles(graph: nx.DiGraph) -> list[list[str]]:
    """Return the groups of modules, or folders, that import each other, directly or through others."""
    return [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]


def folders(graph: nx.DiGraph) -> nx.DiGraph:
    """Return which folder of sim/ imports which; its two files, `simulation` and `packets`, count as folders."""

    def room(name: str) -> str:
        return name.split(".")[1] if "." in name else ""

    found = nx.DiGraph()
    for source, target in graph.edges:
        if source.startswith("sim.") and target.startswith("sim.") and room(source) != room(target):
            found.add_edge(room(source), room(target), example=f"{source} imports {target}")
    return found


@cache
def here() -> nx.DiGraph:
    return import_graph(ROOT)


def test_no_files_import_each_other():
    assert cycles(here()) == []


def test_no_folders_of_sim_import_each_other():
    assert cycles(folders(here())) == []


def test_imports_of_sim_go_down_its_floors():
    floor = {room: number for number, rooms in FLOORS.items() for room in rooms}
    found = (ROOT / "sim").iterdir()
    rooms = {path.stem for path in found if (path / "__init__.py").exists() or path.suffix == ".py"} - {"__init__"}
    assert rooms == set(floor)
    for source, target, example in folders(here()).edges.data("example"):
        assert floor[source] >= floor[target], example


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"sim/a.py": "import sim.b\n", "sim/b.py": "def f():\n    from sim import a\n"}, [["sim.a", "sim.b"]]),
        ({"sim/a.py": "from sim.b import f\n", "sim/b.py": "if TYPE_CHECKING:\n    import sim.a\n"}, []),
        (
            {"sim/a.py": "import sim.b\n", "sim/b.py": "import sim.c\n", "sim/c.py": "from sim.a import x\n"},
            [["sim.a", "sim.b", "sim.c"]],
        ),
    ],
)
def test_cycles_are_found(tmp_path, files, found):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cycles(import_graph(tmp_path)) == found


def test_folders_that_import_each_other_are_found(tmp_path):
    for name, text in {"a/x": "import sim.b.y\n", "b/y": "", "b/z": "import sim.a.w\n", "a/w": ""}.items():
        path = tmp_path / "sim" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    graph = import_graph(tmp_path)
    assert cycles(graph) == []
    assert cycles(folders(graph)) == [["a", "b"]]
