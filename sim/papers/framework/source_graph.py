"""Definitions of a source tree and the references between them, read from the text without importing it.

A definition is a function, a class or a name that a module binds on its top level. References are resolved as Python
resolves them: global names through the module's definitions and imports, attributes of an imported module in that
module. A string that names a package stands for everything that the package's modules register (`sim.lib.registry`). A
string that is the path of a file stands for the file's content.

Neither the text of a definition nor its references depend on the file that it stands in.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import sys
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

FILE = re.compile(r"[\w./-]+/[\w.-]+")
PACKAGES = ("models", "hdl", "sim", "synth", "tsuji")
ENTERS = ("enter", "algorithm")
"""Names of functions that register a definition: it counts where the registry is used."""
ENTERED = "entered "
"""Prefix of the names of definitions that are referred to through a registry."""

PURE = ("compiled", "compiled_noinline", "struct_pointer")
"""Our decorators that act on nothing but the definition, as those of Python's own library do."""

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
LOCATION = ("lineno", "col_offset", "end_lineno", "end_col_offset", "ctx", "type_comment", "kind", "type_params")


class Definition(NamedTuple):
    """A top-level name of a module.

    Attributes
    ----------
    module, name : str
    """

    module: str
    name: str


class References(NamedTuple):
    """References of a definition.

    Attributes
    ----------
    definitions : dict
        Our definitions by the name used for them.
    modules : set of str
        Our modules that it imports when it runs.
    """

    definitions: dict[str, Definition]
    modules: set[str]


@dataclass
class Module:
    """A parsed module.

    Attributes
    ----------
    source : list of str
        Lines of the module.
    bound : dict
        Statements by the name that they bind or change; a definition may have several.
    imports : dict
        Module and name in it (None: the module itself), by the name that an import binds; by the whole dotted name
        for `import a.b`, which binds `a`.
    imported : set of str
        Our modules that it imports.
    effects : list
        Statements that act when the module is imported: those that bind nothing, loops and conditions that call
        something, definitions with decorators that may act on more than the definition, changes of what is imported.
    entered : list of str
        Definitions that it registers.
    """

    source: list[str] = field(default_factory=list)
    bound: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    imported: set[str] = field(default_factory=set)
    effects: list[ast.stmt] = field(default_factory=list)
    entered: list[str] = field(default_factory=list)


class SourceGraph:
    """The definitions of a tree, parsed on demand.

    Parameters
    ----------
    root : Path
        Folder with the packages.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._parsed: dict[str, Module] = {}
        self._references: dict[Definition, References] = {}

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Files by module."""
        paths = (path for package in PACKAGES for path in (self.root / package).rglob("*.py"))
        names = ((".".join(path.relative_to(self.root).with_suffix("").parts), path) for path in paths)
        return {name.removesuffix(".__init__"): path for name, path in names}

    def module(self, name: str) -> Module:
        """Return a module, parsed."""
        if name not in self._parsed:
            self._parsed[name] = _read(self.modules[name].read_text(encoding="utf-8"), self.modules)
        return self._parsed[name]

    def find(self, module: str, name: str) -> Definition | None:
        """Return the definition of a name in a module, followed through imports; None if it is not ours."""
        while module in self.modules:
            parsed = self.module(module)
            if name in parsed.bound:
                return Definition(module, name)
            if name not in parsed.imports:
                return None
            module, attribute = parsed.imports[name]
            if attribute is None:
                return None
            name = attribute
        return None

    def statements(self, definition: Definition) -> list[ast.stmt]:
        """Return the statements that bind or change a definition."""
        return self.module(definition.module).bound[definition.name]

    def references(self, definition: Definition) -> References:
        """Return the references of a definition."""
        if definition not in self._references:
            found = References({}, set())
            for statement in self.statements(definition):
                own = self.references_of(definition.module, statement)
                found.definitions.update(own.definitions)
                found.modules.update(own.modules)
            found.definitions.pop(definition.name, None)
            self._references[definition] = found
        return self._references[definition]

    def references_of(self, module: str, statement: ast.stmt) -> References:
        """Return the references of a statement of a module."""
        parsed = self.module(module)
        inner = Module()
        for node in ast.walk(statement):
            if isinstance(node, ast.Import | ast.ImportFrom):
                _read_import(node, inner, self.modules)
        imports = parsed.imports | inner.imports
        found = References({}, {*inner.imported})
        for name, attribute in _names(statement, parsed.source, inner.imports.keys()):
            if name in imports and (name in inner.imports or name not in parsed.bound):
                target, member = imports[name]
                for each in self._members(target, member, attribute):
                    found.definitions[f"{name}.{each.name}" if member is None else name] = each
            elif name in parsed.bound:
                found.definitions[name] = Definition(module, name)
            for dotted in (each for each in imports if each.startswith(f"{name}.")):
                for each in self._members(dotted, None, None):
                    found.definitions[f"{dotted}.{each.name}"] = each
        for text in strings(statement):
            for each in self.entered(text):
                found.definitions[f"{ENTERED}{each.module}.{each.name}"] = each
        return found

    def _members(self, module: str, name: str | None, attribute: str | None) -> list[Definition]:
        """Return the definitions of an imported name, or of an attribute of an imported module."""
        if name is None and attribute is None:
            return [Definition(module, each) for each in self.module(module).bound]
        found = self.find(module, name or attribute or "")
        return [found] if found else []

    def entered(self, package: str) -> list[Definition]:
        """Return the definitions that the modules of a package register; empty if the text names no package of ours."""
        if "." not in package or package not in self.modules:
            return []
        inside = sorted(name for name in self.modules if name.rpartition(".")[0] == package)
        return [Definition(name, each) for name in inside for each in self.module(name).entered]

    def imported(self, module: str) -> set[str]:
        """Return our modules that a module imports at its top level."""
        return self.module(module).imported

    def file_content(self, text: str) -> bytes | None:
        """Return the content of the file whose path is `text`; None if there is none."""
        path = self.root / text
        return path.read_bytes() if FILE.fullmatch(text) and path.is_file() else None

    def shape(self, module: str, node: ast.AST) -> str:
        """Return a statement of a module as text: without comments, docstrings, types of functions, imports of ours."""
        depth = len(self.modules[module].relative_to(self.root).parts) - 1
        return "".join(self._shape(node, f".parents[{depth}]"))

    def _shape(self, node: object, top: str) -> Iterator[str]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield self._string(node.value)
        elif isinstance(node, ast.Subscript) and _is_root(node, top):
            yield "<root>"
        elif isinstance(node, ast.AST):
            yield f"{type(node).__name__}("
            for name in node._fields:
                value = getattr(node, name, None)
                if name not in LOCATION and value not in (None, []) and not _is_type(node, name):
                    yield f"{name}="
                    yield from self._shape(value, top)
            yield ")"
        elif isinstance(node, list):
            yield "["
            for each in node:
                if not (_is_note(each) or self._imports_ours(each)):
                    yield from self._shape(each, top)
                    yield ","
            yield "]"
        else:
            yield repr(node)

    def _string(self, text: str) -> str:
        if "." in text and text in self.modules:
            return "<module>"
        content = self.file_content(text)
        return repr(text) if content is None else repr(content)

    def _imports_ours(self, node: object) -> bool:
        return isinstance(node, ast.Import | ast.ImportFrom) and _is_ours(node)


def _is_ours(node: ast.Import | ast.ImportFrom) -> bool:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return names[0].split(".")[0] in PACKAGES


def _is_note(node: object) -> bool:
    """Return whether a statement is only a string: a docstring, or the documentation of the name above it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_root(node: ast.Subscript, top: str) -> bool:
    """Return whether an expression is the root of the tree, written for the depth of its module."""
    text = ast.unparse(node)
    return text.startswith("Path(__file__)") and text.endswith(top)


def _is_type(node: ast.AST, field_name: str) -> bool:
    """Return whether a field of a node is a type that affects no value; types of classes' fields do."""
    return field_name == "returns" or (field_name == "annotation" and isinstance(node, ast.arg))


def strings(node: ast.AST) -> Iterator[str]:
    """Yield the strings in a piece of source."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _read(text: str, modules: dict[str, Path]) -> Module:
    """Classify the statements of a module."""
    tree = ast.parse(text)
    found = Module(text.split("\n"))
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            _read_import(node, found, modules)
    pure = {*PURE, *_names_of_python(tree)}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_note(node) or _is_guard(node):
            continue
        names = _bound(node)
        for name in names:
            found.bound.setdefault(name, []).append(node)
        called = {part for each in _calls(node) for part in each.split(".")}
        if called & {*ENTERS}:
            found.entered += names if isinstance(node, Scope) else []
        elif not names or _acts(node, pure) or (not _is_plain(node) and {*names} & found.imports.keys()):
            found.effects.append(node)
    return found


def _read_import(node: ast.Import | ast.ImportFrom, found: Module, modules: dict[str, Path]) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name in modules:
                found.imported.add(alias.name)
                found.imports[alias.asname or alias.name] = (alias.name, None)
    elif node.module and node.module.split(".")[0] in PACKAGES:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            target = (whole, None) if whole in modules else (node.module, alias.name)
            found.imported.add(target[0])
            found.imports[alias.asname or alias.name] = target


def _names_of_python(tree: ast.Module) -> set[str]:
    """Return the names that a module imports from Python's own library, and those that Python has built in."""
    found = {*dir(builtins)}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            if modules[0].split(".")[0] in sys.stdlib_module_names:
                found |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
    return found


def _acts(node: ast.stmt, pure: Set[str]) -> bool:
    """Return whether a statement that binds names may act on other definitions, too, when the module is imported.

    A definition may through a decorator that is not known to be `pure`; a loop or condition through a call.
    """
    if isinstance(node, Scope):
        return not {call.split(".")[0] for call in _calls(node)} <= pure
    return not _is_plain(node) and any(isinstance(each, ast.Expr) for each in ast.walk(node))


def _is_plain(node: ast.stmt) -> bool:
    """Return whether a statement is a definition, or an assignment to names."""
    if isinstance(node, ast.Assign):
        return all(isinstance(each, ast.Name | ast.Tuple) for each in node.targets)
    return isinstance(node, Scope | ast.AnnAssign)


def _is_guard(node: ast.stmt) -> bool:
    """Return whether a statement runs only for type checkers, or only as a command."""
    return isinstance(node, ast.If) and ("TYPE_CHECKING" in ast.dump(node.test) or "__main__" in ast.dump(node.test))


def _bound(node: ast.stmt) -> list[str]:
    """Return the names that a top-level statement binds, or of which it changes an item."""
    if isinstance(node, Scope):
        return [node.name]
    stores = [each for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Store)]
    return list(dict.fromkeys(each.id for store in stores for each in ast.walk(store) if isinstance(each, ast.Name)))


def _calls(node: ast.stmt) -> list[str]:
    """Return the decorators of a definition, or the calls of another statement."""
    if isinstance(node, Scope):
        heads = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    else:
        heads = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
    return [ast.unparse(head) for head in heads if isinstance(head, ast.Name | ast.Attribute)]


def _names(statement: ast.stmt, source: list[str], imported: Set[str]) -> set[tuple[str, str | None]]:
    """Return the names that a statement uses, global or imported in it, with the attribute used of each, or None."""
    names = _global_names(statement, source) | imported
    found = set[tuple[str, str | None]]()
    taken = set[int]()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add((node.value.id, node.attr))
            taken.add(id(node.value))
        elif isinstance(node, ast.Name) and id(node) not in taken:
            found.add((node.id, None))
    return {(name, attribute) for name, attribute in found if name in names}


def _global_names(statement: ast.stmt, source: list[str]) -> set[str]:
    """Return the names of a statement that are not local to its functions; of types, only those of classes' fields."""
    first = min(node.lineno for node in (statement, *getattr(statement, "decorator_list", ())))
    text = "\n".join([_LATER_TYPES, *source[first - 1 : statement.end_lineno]])
    table = symtable.symtable(text, "statement", "exec")
    found, front = {name.get_name() for name in table.get_symbols()}, list(table.get_children())
    while front:
        scope = front.pop()
        found |= {name.get_name() for name in scope.get_symbols() if name.is_global()}
        front += scope.get_children()
    for node in ast.walk(statement):
        if isinstance(node, ast.ClassDef):
            types = (each.annotation for each in node.body if isinstance(each, ast.AnnAssign))
            found |= {each.id for kind in types for each in ast.walk(kind) if isinstance(each, ast.Name)}
    return found


_LATER_TYPES = "from __future__ import annotations"  # keeps types of parameters out of the symbol table
