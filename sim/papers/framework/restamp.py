"""Gives kept parts of an earlier commit the current digests, if only the place of their code has changed.

Each part is checked by itself: the kept part has the digest that the commit's own program computes for it, and the code
that it runs in the commit is the same as here, definition by definition (`source_graph`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pandas as pd

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.papers.framework.digest import ROOT, CodeDigests
from sim.papers.framework.parts import CODE, KEY, Parts
from sim.papers.framework.runner import Wanted
from sim.papers.framework.study import Part

FILES = ("models", "hdl", "sim", "synth", "cocotb_tests", "tsuji", "examples", "pyproject.toml")

LIST_PARTS = """
import json, sys
from importlib import import_module
from pathlib import Path
framework, traces, folder = sys.argv[1:]
runner, study, kept = (import_module(f"{framework}.{name}") for name in ("runner", "study", "parts"))
import_module("tsuji.combination_cost"), import_module("tsuji.hardware_cost")
found = {}
for quick in (False, True):
    for each, options in runner.chosen(["all"], study.Options(quick, Path(traces))):
        for part in each.parts(options):
            found[part.key] = {
                "key": part.key, "code": part.code, "module": part.run.__module__, "function": part.run.__name__,
                "table": part.table, "params": dict(part.params), "id": each.id,
                "file": str(kept.Parts(Path(folder)).file(each, part)),
            }
json.dump(list(found.values()), sys.stdout)
"""
"""Script run in the tree of the commit: lists its parts and digests with its own program."""


class Restamped(NamedTuple):
    """Result for kept parts.

    Attributes
    ----------
    same : int
        Number of parts with unchanged code, which have the current digests.
    changed : list of str
        Functions whose code has changed, with the number of their parts; `tsuji papers run` computes these again.
    """

    same: int
    changed: list[str]


class Before(NamedTuple):
    """A part in the earlier commit."""

    key: str
    code: str
    module: str
    function: str
    file: Path


def restamp(commit: str, wanted: Sequence[Wanted], folder: Path) -> Restamped:
    """Give kept parts that were valid at a commit the current digests, if only the place of their code has changed.

    Parameters
    ----------
    commit : str
        Any name of the commit for git.
    wanted : sequence of Wanted
        Ids and options, in all sizes whose parts may be kept.
    folder : Path
        Folder of kept parts.

    Raises
    ------
    TsujiError
        If there is no such commit, or its parts cannot be listed.
    """
    folder = folder.absolute()
    with TemporaryDirectory() as name:
        tree = Path(name)
        _extract(commit, tree)
        before = _parts_of(commit, tree, wanted, folder)
        then, now = CodeDigests(tree), CodeDigests(ROOT)
        equal: dict[tuple[str, str], bool] = {}
        moved: dict[str, tuple[Before, Path, Part]] = {}
        changed: dict[str, set[str]] = {}
        for study, options in wanted:
            for part in study.parts(options):
                old = before.get(_identity(study.id, part.table, part.run.__name__, dict(part.params)))
                if old is None:
                    continue
                function = (part.run.__module__, part.run.__name__)
                if function not in equal:
                    equal[function] = then.digest(old.module, old.function) == now.digest(*function)
                if equal[function]:
                    moved[old.key] = (old, Parts(folder).file(study, part), part)
                else:
                    changed.setdefault(".".join(function), set()).add(old.key)
    return Restamped(_rewrite(moved), [f"{name}: {len(keys)} parts" for name, keys in sorted(changed.items())])


def _extract(commit: str, tree: Path) -> None:
    command = ["git", "-C", str(ROOT), "archive", commit, "--", *FILES]
    told = subprocess.run(command, capture_output=True, check=False)
    if told.returncode:
        raise TsujiError(f"{commit}: {told.stderr.decode().strip()}; must be a commit of this clone")
    with tarfile.open(fileobj=BytesIO(told.stdout)) as archive:
        archive.extractall(tree, filter="data")


def _parts_of(commit: str, tree: Path, wanted: Sequence[Wanted], folder: Path) -> dict[str, Before]:
    """Return the parts of a commit's tree by their keys."""
    studies = list((tree / "sim" / "papers").rglob("study.py"))
    if len(studies) != 1:
        raise TsujiError(f"{commit}: has no ids of papers; must be a commit that has `tsuji papers run`")
    framework = ".".join(studies[0].parent.relative_to(tree).parts)
    arguments = [framework, str(wanted[0][1].traces), str(folder)]
    command = [sys.executable, "-c", LIST_PARTS, *arguments]
    told = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if told.returncode:
        raise TsujiError(f"{commit}: its parts cannot be listed: {told.stderr.strip().splitlines()[-1]}")
    return {
        _identity(each["id"], each["table"], each["function"], each["params"]): Before(
            each["key"], each["code"], each["module"], each["function"], Path(each["file"])
        )
        for each in json.loads(told.stdout)
    }


def _identity(study: str, table: str, function: str, params: object) -> str:
    return json.dumps([study, table, function, params], sort_keys=True)


def _rewrite(moved: dict[str, tuple[Before, Path, Part]]) -> int:
    """Write the current digests, table by table; return the number of parts that had those of the commit."""
    count = 0
    for path in sorted({old.file for old, _, _ in moved.values() if old.file.exists()}):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        names = set[Path]()
        for old, file, part in moved.values():
            mine = (frame[KEY] == old.key) & (frame[CODE] == old.code)
            if old.file == path and mine.any():
                frame.loc[mine, [KEY, CODE]] = part.key, part.code
                names.add(file)
                count += 1
        if len(names) > 1:
            raise TsujiError(f"{path}: its parts belong to {', '.join(map(str, sorted(names)))} now; divide it by hand")
        for name in names:
            write_output(name, frame.to_csv(index=False, lineterminator="\n"))
            if name != path:
                path.unlink()
    return count
