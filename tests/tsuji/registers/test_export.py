"""Register maps as C header, Markdown, HTML and JSON."""

import json
import re
import sys

import pytest

from models.errors import TsujiError
from models.params import CacheParams, CamParams, LpiParams, SwitchParams
from models.register_map import WORD_BYTES, register_map
from synth import toolchain
from tsuji.registers.export import Format, register_text, write_html

PARAMS = SwitchParams(
    ports=35,
    tag_width=40,
    counter_width=40,
    lpi=LpiParams(),
    cam=CamParams(match="ternary", entries=16),
    cache=CacheParams(entries=4),
)
REGISTERS = register_map(PARAMS, streams=7)


@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_compiler_agrees_with_the_header(language, tmp_path):
    (tmp_path / "sw.h").write_text(register_text(REGISTERS, "sw", Format.C))
    checks = ["#include <stddef.h>", '#include "sw.h"']
    for register in REGISTERS.registers:
        checks.append(f'static_assert(offsetof(sw_t, {register.name}) == {register.address}, "place");')
        for field in register.fields:
            macro = f"SW__{register.name}__{field.name}".upper()
            checks.append(f'static_assert({macro}_bm == {field.mask}u && {macro}_bp == {field.low}, "{macro}");')
            if field.reset is not None:
                checks.append(f'static_assert({macro}_reset == {field.reset}u, "{macro}");')
    for window in REGISTERS.windows:
        for register in window.registers:
            last = f"{window.name}.{register.name}[{register.count - 1}]"
            place = register.address + WORD_BYTES * (register.count - 1)
            checks.append(f'static_assert(offsetof(sw_t, {last}) == {place}, "{last}");')
    assert len(checks) > 60
    (tmp_path / "check.c").write_text("\n".join(checks) + "\n")
    standard = {"c": "-std=c11", "c++": "-std=c++17"}[language]
    arguments = ["-x", language, standard, "-Wall", "-Werror", "-fsyntax-only", "check.c"]
    toolchain.compiler().run(arguments, cwd=tmp_path)
    (tmp_path / "check.c").write_text(
        checks[0] + "\n" + checks[1] + '\nstatic_assert(offsetof(sw_t, cache) == 0, "");\n'
    )
    with pytest.raises(TsujiError, match="static"):
        toolchain.compiler().run(arguments, cwd=tmp_path)


def test_markdown_lists_each_register_once():
    text = register_text(REGISTERS, "sw", Format.MARKDOWN)
    headings = re.findall(r"^### (\w+) register$", text, re.MULTILINE)
    assert headings == [register.name for register in REGISTERS.every_register()]
    assert "Generated from: sw\n" in text
    assert re.search(r"^\| *0x0030\| *lpi_idle *\| *T_lt: idle cycles", text, re.MULTILINE)


def test_html_names_each_register(tmp_path):
    write_html(REGISTERS, "sw", tmp_path / "pages")
    assert (tmp_path / "pages" / "index.html").is_file()
    pages = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "pages" / "content").glob("*.html"))
    for register in REGISTERS.every_register():
        assert register.name in pages
    (tmp_path / "file").touch()
    with pytest.raises(TsujiError, match=rf"{tmp_path}/file: cannot be written: "):
        write_html(REGISTERS, "sw", tmp_path / "file")


def test_json_has_the_whole_table():
    document = json.loads(register_text(REGISTERS, "sw", Format.JSON))
    assert document["name"] == "sw"
    assert [each["address"] for each in document["registers"]] == [each.address for each in REGISTERS.registers]
    assert document["windows"][1]["registers"][0] == {
        "name": "flits_in",
        "address": 0x2000,
        "meaning": "counter of port i",
        "fields": [
            {
                "name": "value",
                "low": 0,
                "width": 32,
                "access": "status",
                "meaning": "low bits; a read keeps the high bits of this counter in counter_high",
                "reset": None,
                "carries": "",
                "part": 0,
            }
        ],
        "count": 35,
    }


@pytest.mark.parametrize("module", ["systemrdl", "peakrdl_cheader.exporter"])
def test_what_is_not_installed_is_named(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    told = rf"^--format c: needs {module}: pip install 'tsuji\[registers\]'; --format rdl and json need nothing more$"
    with pytest.raises(TsujiError, match=told):
        register_text(REGISTERS, "sw", Format.C)
    assert register_text(REGISTERS, "sw", Format.RDL).startswith("addrmap \\sw {\n")


def test_pages_need_their_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "peakrdl_html", None)
    with pytest.raises(TsujiError, match=r"^--html: needs peakrdl_html: pip install"):
        write_html(REGISTERS, "sw", tmp_path)
