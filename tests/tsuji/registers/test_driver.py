"""`tsuji.register_driver`: switches and networks as they are described elsewhere."""

import pytest

import tsuji
from models.register_map import register_map

NETWORK = {"topology": {"kind": "mesh", "radix": [3, 4]}, "switch": {"routing": "dimension_order"}}


def test_of_a_switch_and_of_a_network(tmp_path):
    written = {}
    driver = tsuji.register_driver({"switch": {"ports": 3}}, written.get, written.__setitem__, base=256)
    assert isinstance(driver, tsuji.RegisterDriver)
    driver.program(7, 2)
    assert written == {256 + 0x80: 7 | 1 << 16 | 2 << 17 | 1 << 20, 256 + 0x60: 1}
    node = tsuji.register_driver(NETWORK, written.get, written.__setitem__, streams=2)
    assert node.map == register_map(tsuji.config(NETWORK).switch, streams=2)
    (tmp_path / "switch.toml").write_text("[switch]\nports = 9\n")
    wide = tsuji.register_driver(
        tmp_path / "switch.toml", written.get, print, {"switch.counter_width": 40}, table=False
    )
    assert wide.map.find("counter_high")
    assert not wide.map.find("program")


def test_what_is_wrong_is_named():
    with pytest.raises(tsuji.TsujiError, match=r"^switch.ports = 1: "):
        tsuji.register_driver({"switch": {"ports": 1}}, print, print)
    with pytest.raises(tsuji.TsujiError, match="only the simulator has links slower"):
        tsuji.register_driver(NETWORK | {"link": {"interval": 2}}, print, print)
