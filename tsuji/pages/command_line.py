"""The page "Command line": every command, argument and option, from the commands themselves."""

from __future__ import annotations

import re

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from tsuji.cli import command_line

HEAD = """\
# Command line

Made from the commands. `tsuji COMMAND --help` prints the same in a terminal. What is wrong ends with one message and
exit code 2; a network that stands still, or a comparison that fails, with exit code 1.

| command | what it does |
| --- | --- |
"""


def page() -> str:
    """Return the page, in Markdown; it lies in docs/reference/."""
    command = get_command(command_line())
    documented = get_docs_for_click(obj=command, ctx=typer.Context(command, info_name="tsuji"), name="tsuji")
    sections = documented.split("\n## ")[1:]
    return HEAD + "\n".join(map(_row, sections)) + "\n\n" + "\n".join(f"## {_section(text)}" for text in sections)


def _row(section: str) -> str:
    """Return a command's row of the overview: its name and the first sentence of its help."""
    name, _, rest = section.partition("\n\n")
    return f"| [{name}](#{name.strip('`').replace(' ', '-')}) | {_text(rest.partition(chr(10) * 2)[0])} |"


def _section(text: str) -> str:
    """Return a command's section, with what Markdown would not understand put into its words."""
    without_list = re.sub(r"\*\*Commands\*\*:\n\n(\* .*\n)+\n?", "", text)  # of subcommands, cut short
    fences = without_list.split("```")
    fences[::2] = ["\n".join(map(_text, part.split("\n"))) for part in fences[::2]]
    return "```".join(fences)


def _text(line: str) -> str:
    """Return a line of help: examples indented as code, rich's bold as Markdown's, pages as links, `<` as itself."""
    if line.startswith("  "):
        return f"    {line.strip()}"
    line = re.sub(r"\[bold\](.*?)\[/\]", r"**\1**", line)
    line = re.sub(r"(?<![`\w/])docs/([\w/]+\.md)", r"[docs/\1](../\1)", line)
    ticked = line.split("`")
    ticked[::2] = [part.replace("<", "&lt;") for part in ticked[::2]]
    return "`".join(ticked)
