"""Digest of the code that a function runs, independent of where that code is.

It covers the function's definition and all definitions that it refers to, directly or through others (`source_graph`),
and the effects of importing modules. These do not count: comments, docstrings, types of parameters, the order of
definitions, the files that definitions stand in, and the lines that import them.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import networkx as nx

from sim.papers.framework.source_graph import ENTERED, Definition, SourceGraph

ROOT = Path(__file__).resolve().parents[3]


class CodeDigests:
    """Digests of the definitions of a tree.

    Parameters
    ----------
    root : Path
        Folder with the packages.
    """

    def __init__(self, root: Path) -> None:
        self._graph = SourceGraph(root)
        self._known: dict[Definition, str] = {}
        self._own: dict[Definition, str] = {}

    def digest(self, module: str, function: str) -> str:
        """Return the digest of a function of a module, and of all that it depends on.

        Raises
        ------
        KeyError
            If there is no such function.
        """
        start = self._graph.find(module, function)
        if start is None:
            raise KeyError(f"{module}.{function}")
        reached = self._reach([start])
        effects = sorted({self._known[each] for each in reached if _is_effect(each)})
        return _hash(self._known[start], *effects)[:16]

    def reach(self, module: str, function: str) -> set[Definition]:
        """Return the definitions that a function of a module depends on; effects are named by numbers."""
        return self._reach([Definition(module, function)])

    def _reach(self, front: list[Definition]) -> set[Definition]:
        """Return all that definitions depend on, effects of imports included, and compute the digest of each."""
        graph, modules, reached = nx.DiGraph(), set[str](), set[Definition]()
        while front:
            definition = front.pop()
            if definition in reached:
                continue
            reached.add(definition)
            graph.add_node(definition)
            links, imported = self._links(definition)
            graph.add_edges_from((definition, target) for target in links.values())
            front += links.values()
            front += self._effects({definition.module, *imported}, modules)
        self._label(graph)
        return reached

    def _effects(self, front: set[str], seen: set[str]) -> list[Definition]:
        """Return the effects of modules and of those that they import, except those in `seen`; add them to it."""
        found = list[Definition]()
        while front:
            module = front.pop()
            if module in seen or module not in self._graph.modules:
                continue
            seen.add(module)
            front |= self._graph.imported(module)
            found += (Definition(module, str(number)) for number in range(len(self._graph.module(module).effects)))
        return found

    def _links(self, definition: Definition) -> tuple[dict[str, Definition], set[str]]:
        if _is_effect(definition):
            effect = self._graph.module(definition.module).effects[int(definition.name)]
            return self._graph.references_of(definition.module, effect)
        return self._graph.references(definition)

    def _text(self, definition: Definition) -> str:
        """Return the digest of a definition's own text."""
        if definition not in self._own:
            if _is_effect(definition):
                statements = [self._graph.module(definition.module).effects[int(definition.name)]]
            else:
                statements = self._graph.statements(definition)
            self._own[definition] = _hash(*(self._graph.shape(definition.module, each) for each in statements))
        return self._own[definition]

    def _label(self, graph: nx.DiGraph) -> None:
        """Give each definition a digest of its text and its references; a cycle of definitions counts as a whole."""
        circles = nx.condensation(graph)
        for number in reversed(list(nx.topological_sort(circles))):
            members = circles.nodes[number]["members"]
            if members <= self._known.keys():
                continue
            inner = {each: _hash(self._text(each), *self._told(each, members)) for each in members}
            whole = _hash(*sorted(inner.values()))
            for each in members:
                self._known[each] = _hash(whole, inner[each])

    def _told(self, definition: Definition, members: set[Definition]) -> list[str]:
        """Return each name that a definition uses with the digest of its definition."""
        links, _ = self._links(definition)
        digests = {name: self._text(each) if each in members else self._known[each] for name, each in links.items()}
        return sorted(digest if name.startswith(ENTERED) else f"{name} {digest}" for name, digest in digests.items())


def _is_effect(definition: Definition) -> bool:
    return definition.name.isdigit()


def _hash(*texts: str) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()


@cache
def _here() -> CodeDigests:
    return CodeDigests(ROOT)


@cache
def code_digest(module: str, function: str) -> str:
    """Return the digest of a function of this project, and of all that it depends on."""
    return _here().digest(module, function)
