"""Tutorials as tests: what a page says to write and to run is written and run, and what it shows is compared.

Fenced blocks of a page, in order:

- with `title="FILE"`: the file, written as it stands;
- `diff title="FILE"`: lines that begin with a space or `-` stand in the file exactly once, one after the other, and are
  replaced by those that begin with a space or `+`;
- `console`: commands, each behind `$ `, and what they print. Each line shown must be printed, behind the one shown
  before it; runs of blanks count as one, `…` stands for anything, and a time in seconds for any other.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"\d[\d,.]* s\b")


@dataclass(frozen=True)
class Command:
    """A command and the lines that a page shows of what it prints."""

    line: str
    shown: list[str]

    @property
    def may_fail(self) -> bool:
        """Whether the page shows an error."""
        return any(re.search(r"error:|MISMATCH", line) for line in self.shown)


def commands(block: str) -> list[Command]:
    """Return the commands of a console block.

    Parameters
    ----------
    block : str
        Text between the fences.
    """
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        elif found and found[-1].line.endswith("\\"):
            found[-1] = Command(found[-1].line[:-1] + line, [])
        elif line.strip():
            found[-1].shown.append(line)
    return found


def follow(page: Path, folder: Path, code: Path = ROOT) -> Iterator[str]:
    """Do what a tutorial says, step by step; yield what was done, and raise at the first difference.

    Parameters
    ----------
    page : Path
        Tutorial.
    folder : Path
        Where it is done; files and commands are relative to it.
    code : Path
        Sources that the commands use.

    Raises
    ------
    AssertionError
        If a command fails, or does not print what the page shows.
    """
    for language, title, block in FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "diff":
            _change(folder / title, block)
            yield f"changed {title}"
        elif title:
            (folder / title).parent.mkdir(parents=True, exist_ok=True)
            (folder / title).write_text(block, encoding="utf-8")
            yield f"wrote {title}"
        else:
            assert language == "console", f"{page.name}: a block of {language} is neither a file nor run"
            for command in commands(block):
                run(command, folder, code)
                yield command.line


def run(command: Command, folder: Path, code: Path) -> None:
    """Run a command, and compare what it prints with what is shown.

    Raises
    ------
    AssertionError
        If it fails unexpectedly, or a line that is shown is not printed.
    """
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        command.line,
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(code), "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == command.may_fail, f"$ {command.line}\n{done.stdout}"
    missed = first_missed(command.shown, done.stdout)
    assert missed is None, f"$ {command.line}\nis said to print\n{missed}\nbut prints\n{done.stdout}"


def first_missed(shown: list[str], printed: str) -> str | None:
    """Return the first line shown that is not printed behind those before it; None if all are.

    Parameters
    ----------
    shown : list of str
        Lines of a page.
    printed : str
        What a command printed.
    """
    lines = iter([_plain(line) for line in printed.splitlines()])
    for line in shown:
        pattern = ".*".join(map(re.escape, _plain(line).split("…")))
        if _plain(line) != "…" and not any(re.fullmatch(pattern, printed_line) for printed_line in lines):
            return line
    return None


def _plain(line: str) -> str:
    """Return a line without what is not compared: runs of blanks, rules of tables, and times."""
    return SECONDS.sub("0 s", " ".join(line.split()))


def _change(file: Path, block: str) -> None:
    """Change a file as a block of lines that stay, go and come says."""
    lines = block.splitlines()
    old, new = ("\n".join(line[1:] for line in lines if line[:1] != sign) for sign in "+-")
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file}: stands there {text.count(old)} times, not once:\n{old}"
    file.write_text(text.replace(old, new), encoding="utf-8")
