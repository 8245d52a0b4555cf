"""Hook of MkDocs: adds the generated pages to the site (mkdocs.yml names this file)."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tsuji.pages import command_line, keys, python, registers

GENERATED = {
    "reference/command_line.md": command_line.page,
    "reference/keys.md": keys.page,
    "reference/python.md": python.page,
    "reference/registers.md": registers.page,
}
"""Functions that make a page, by its place in docs/."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that are files.

    Parameters
    ----------
    files : Files
        What was found in docs/.
    config : MkDocsConfig
        Of the site.
    """
    for place, page in GENERATED.items():
        files.append(File.generated(config, place, content=page()))
    return files
