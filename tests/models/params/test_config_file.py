from pathlib import Path

import pytest

from models.errors import TsujiError
from models.params import SwitchParams
from models.params.config_file import Table, check_sections, read_config, switch_params

TEXT = """\
# a switch
[switch]
ports = 7
vcs = 3

[cache]
entries = 128
ways = 8  # of 16 sets
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "switch.toml"
    path.write_text(TEXT)
    return path


def _message(path: Path | None, *overrides: str) -> str:
    with pytest.raises(TsujiError) as caught:
        switch_params(read_config(path, overrides))
    return str(caught.value)


def test_nothing_gives_the_default() -> None:
    assert switch_params(read_config(None)) == SwitchParams()


def test_file_and_overrides(config: Path) -> None:
    params = switch_params(read_config(config, ["switch.vcs=4", "cam.latency=9", "switch.arbiter=matrix"]))
    assert (params.ports, params.vcs, params.arbiter) == (7, 4, "matrix")
    assert (params.cache.entries, params.cache.ways, params.cam.latency) == (128, 8, 9)


def test_later_override_wins() -> None:
    assert switch_params(read_config(None, ["switch.vcs=4", "switch.vcs=5"])).vcs == 5


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("switch.routing=dimension_order", "dimension_order"),
        ('switch.routing="table"', "table"),
        ("switch.radix=[4, 4]", [4, 4]),
        ("switch.hold_packets=false", False),
        ("traffic.load=0.5", 0.5),
        ("cache.crc_polynomial=0x11021", 0x11021),
    ],
)
def test_override_values(override: str, value: object) -> None:
    section, _, key = override.partition("=")[0].partition(".")
    assert read_config(None, [override])[section][key] == value


def test_refusal_names_file_line_key_value_and_range(config: Path) -> None:
    config.write_text(TEXT.replace("vcs = 3", "vcs = 99"))
    message = _message(config)
    assert message.startswith(f"{config}:4: switch.vcs = 99: ")
    assert "≥ 1 and ≤ 16" in message


def test_refusal_of_a_combination_names_the_line(config: Path) -> None:
    config.write_text(TEXT.replace("ways = 8 ", "ways = 7 "))
    assert _message(config) == f"{config}:8: cache.ways = 7: must be a power of two from 1 to 64"


def test_refusal_of_an_override_names_it(config: Path) -> None:
    assert _message(config, "cache.entries=65").startswith("--set cache.entries=65: cache.entries = 65: must be 0")


def test_unknown_key(config: Path) -> None:
    config.write_text(TEXT.replace("ports", "prots"))
    message = _message(config)
    assert f"{config}:3: switch.prots = 7: unknown key; did you mean ports?" in message
    assert "data_width" in message


def test_all_refusals_at_once(config: Path) -> None:
    config.write_text(TEXT.replace("vcs = 3", "vcs = 99").replace("ports", "prots"))
    assert len(_message(config).splitlines()) == 2


def test_unknown_section(config: Path) -> None:
    wrong = "cahce"  # codespell:ignore
    config.write_text(TEXT.replace("[cache]", f"[{wrong}]"))
    with pytest.raises(TsujiError, match=rf"switch.toml:6: \[{wrong}\]: unknown section; did you mean cache\?"):
        check_sections(read_config(config), ["switch", "cache", "cam"])


@pytest.mark.parametrize(
    ("override", "word"),
    [
        ("switch", "key=value"),
        ("=3", "key=value"),
        ("switch.=3", "key=value"),
        ("switch.ports.x=3", "ports is a value"),
        ("switch=3", "is a section"),
        ("switch.cache.ways=2", "[cache]"),
    ],
)
def test_malformed_override(config: Path, override: str, word: str) -> None:
    assert word in _message(config, override)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TsujiError, match=r"no.toml: cannot be read: No such file"):
        read_config(tmp_path / "no.toml")


def test_not_toml(config: Path) -> None:
    config.write_text("[switch]\nports = = 3\n")
    with pytest.raises(TsujiError, match=r"switch.toml: not TOML: .*line 2"):
        read_config(config)


def test_not_text(config: Path) -> None:
    config.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TsujiError, match="not UTF-8"):
        read_config(config)


def test_table_is_a_dict() -> None:
    assert Table({"a": 1}) == {"a": 1}


@pytest.mark.parametrize(
    ("setting", "allowed"),
    [
        ("switch.output_buffer=65", "allowed: ≥ 1 and ≤ 64"),  # a number, or left out
        ("lpi.hints=16", "allowed: a whole number, ≥ 0 and ≤ 15"),
        ("cam.match=fuzzy", "allowed: exact, ternary"),
    ],
)
def test_both_ends_of_a_range_are_named(setting: str, allowed: str) -> None:
    assert _message(None, setting).endswith(allowed)
