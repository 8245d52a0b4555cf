"""`tsuji registers`: the registers of a switch behind AXI4-Lite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.module_options import SwitchOptions, TextFile
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import folder
from tsuji.registers.export import Format


def _known(form: str | None) -> str | None:
    """Refuse another form, as the callback of an option."""
    if form is not None and form not in list(Format):
        *others, last = Format
        raise TsujiError(f"--format {form}: must be {', '.join(others)} or {last}")
    return form


@with_option_groups
def registers(
    switch: SwitchOptions,
    file: TextFile,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="|".join(Format),
            callback=_known,
            help="Form of the output: Markdown, SystemRDL, C header or JSON. Default: md; none with --html alone.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            callback=folder,
            help="Write pages of HTML into a folder; browsers show them from a web server.",
        ),
    ] = None,
) -> None:
    """Print the register map of a switch: what is programmed and read of it over AXI4-Lite.

    [bold]Examples[/]

      tsuji registers switch.toml --format c -o switch.h

      tsuji registers --set switch.ports=7 --set cam.match=ternary --format rdl

      tsuji registers switch.toml --html registers
    """
    from models.register_map import register_map
    from tsuji.registers.export import register_text, write_html

    only_pages = html is not None and file.output is None
    if only_pages and form is not None:
        raise TsujiError(f"--format {form}: --html alone writes no text; give --output, too, or leave it out")
    params, streams = switch.read()
    found = register_map(params, table=switch.table, streams=streams.local_ports(params) if streams else 0)
    if html is not None:
        write_html(found, switch.name, html)
        # PeakRDL's pages load their parts by scripts, which browsers refuse for local files.
        console = Console(stderr=True, highlight=False)
        console.print(f"{html}: to look at it, python -m http.server -d {html}", markup=False, soft_wrap=True)
    if not only_pages:
        file.write(register_text(found, switch.name, Format(form or Format.MARKDOWN)))
