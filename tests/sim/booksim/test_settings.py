"""Values of keys: lists for classes of traffic, keys that are ignored or have no effect, refusals all at once."""

import re

import pytest

from models.errors import TsujiError
from sim.booksim import mapping
from sim.booksim.parser import parse
from sim.booksim.settings import settings

MESH = "topology = mesh; k = 4; routing_function = dor; num_vcs = 4;"


def given(text):
    return settings(parse(text, "net.cfg"))


def plan(text):
    return mapping.plan(given(MESH + text))


def test_lists_have_a_value_for_each_class():
    """Of too few values the last one counts for all further classes; of too many BookSim2 takes the first ones."""
    found = plan("classes = 3; injection_rate = {0.1,0.2}; packet_size = {{1,3},4}; traffic = {uniform,transpose};")
    assert [each.load for each in found.classes] == pytest.approx([0.2, 0.8, 0.8])
    assert [each.pattern.traffic for each in found.classes] == ["uniform", "transpose", "transpose"]
    one = given(MESH + "packet_size = {1,4}; num_vcs = {4};")
    assert mapping.plan(one).sizes.all == (1,)
    (told,) = one.beyond_the_classes()
    assert told.startswith("packet_size = {1,4}: values of classes of traffic, of which there are 1")


def test_keys_that_are_ignored_keep_their_defaults():
    text = MESH + "num_vcs = 7; noq = 1; hbm_channels = 4;"
    found = settings(parse(text, "net.cfg"), ["num_vcs", "noq"], ignore_unknown=True)
    assert list(found.ignored) == ["num_vcs", "noq", "hbm_channels"]
    assert mapping.plan(found).config.switch.vcs == 16
    with pytest.raises(TsujiError, match=r"--ignore vct: the configuration does not set it"):
        settings(parse(MESH, "net.cfg"), ["vct"])
    with pytest.raises(TsujiError, match=r"no such key; did you mean channel_sweep\? --ignore hbm_channels leaves"):
        settings(parse("hbm_channels = 4;", "net.cfg"))


def test_keys_of_requests_matter_with_requests():
    found = given(MESH + "read_reply_size = 4; class_priority = 2;").without_effect()
    assert found == {
        "read_reply_size": "matters with use_read_write = 1",
        "class_priority": "matters with priority = class",
    }
    assert not given(MESH + "use_read_write = {0,1}; read_reply_size = 4;").without_effect()


def test_keys_without_effect_are_told():
    found = given("pair_stats = 1; c = 4; k = 4; watch_out = -; sim_power = 1;")
    assert list(found.without_effect()) == ["pair_stats", "c", "watch_out", "sim_power"]
    assert found.without_effect()["c"] == "matters with topology = cmesh or flatfly"
    assert "c" not in given("topology = cmesh; c = 4;").without_effect()


def test_all_that_is_refused_is_named_at_once():
    with pytest.raises(TsujiError) as refused:
        plan("router = event; noq = 1; num_vcs = many; no_such_key = 1;")
    lines = str(refused.value).splitlines()
    names = {re.search(r"(\w+) = ", line)[1] for line in lines}
    assert len(lines) == 4
    assert names == {"no_such_key", "router", "noq", "num_vcs"}
