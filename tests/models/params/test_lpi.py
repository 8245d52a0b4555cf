"""T_lt, the idle time before sleep: a number of cycles, or "never"."""

import re
from pathlib import Path

import pytest

from models.errors import TsujiError
from models.params import NEVER_IDLE, TIME_BITS, LpiParams, SwitchParams
from models.params.config_file import read_config, switch_params


def test_never_is_all_ones_in_the_register() -> None:
    never = LpiParams.model_validate({"idle": "never"})
    assert never.idle == NEVER_IDLE == (1 << TIME_BITS) - 1
    assert never == LpiParams(idle=NEVER_IDLE)
    assert not never.sleeps
    assert LpiParams(idle=NEVER_IDLE - 1).sleeps


def test_none_is_accepted() -> None:
    assert LpiParams(idle=0).idle == 0


@pytest.mark.parametrize(("text", "idle"), [('"never"', "never"), ("0", 0), ("65534", 65534)])
def test_files_and_overrides_give_it(text: str, idle: int | str, tmp_path: Path) -> None:
    path = tmp_path / "switch.toml"
    path.write_text(f"[lpi]\nidle = {text}\n")
    given = text.strip('"')
    for table in (read_config(path), read_config(None, [f"lpi.idle={given}"])):
        params = switch_params(table)
        document = params.model_dump(mode="json")
        assert document["lpi"]["idle"] == idle
        assert SwitchParams.model_validate(document) == params


@pytest.mark.parametrize("value", ["-1", "65536", "nevr"])
def test_what_is_neither_is_refused(value: str) -> None:
    with pytest.raises(
        TsujiError, match=rf"lpi\.idle = .?{value}.?: must be a whole number of cycles or \"never\"; allowed: "
    ):
        switch_params(read_config(None, [f"lpi.idle={value}"]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["lpi.hints=2"], 'routing = "table": must be 0; hints need routing = "dimension_order" or "hypercube"'),
        (
            ["lpi.hints=2", "switch.routing=hyper_crossbar", "switch.radix=[3,3]", "switch.ports=3"],
            'routing = "hyper_crossbar": must be 0',
        ),
        (
            ["lpi.hints=2", "switch.routing=dimension_order", "switch.radix=[3,3]", "adaptive.kind=escape"],
            "adaptive routing knows no output before a head leaves; must be 0",
        ),
    ],
)
def test_hints_need_routes_that_are_known_ahead(given: list[str], said: str) -> None:
    with pytest.raises(TsujiError, match=rf"lpi\.hints = 2: {re.escape(said)}"):
        switch_params(read_config(None, given))


@pytest.mark.parametrize("hints", [-1, 16])
def test_the_number_of_links_ahead_is_limited(hints: int) -> None:
    with pytest.raises(TsujiError, match=rf"lpi\.hints = {hints}: "):
        switch_params(read_config(None, [f"lpi.hints={hints}", "switch.routing=dimension_order", "switch.radix=[3,3]"]))
