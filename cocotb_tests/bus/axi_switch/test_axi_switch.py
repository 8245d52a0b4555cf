from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.bus.axi_switch import AxiSwitch
from hdl.bus.register_switch import RegisterSwitch
from hdl.bus.streams import Streams
from hdl.top import Top
from models.params import SwitchParams

SMALL: dict[str, Any] = {"ports": 3, "cache": {"entries": 8, "ways": 2}, "cam": {"entries": 32, "latency": 5}}
CUT_THROUGH = {"buffering": "dynamic", "depth": 8, "max_packet": 6}
# What the switch has, ports with links, whether packets leave one after the other.
CASES: dict[str, tuple[dict[str, Any], int, bool]] = {
    "64 bits, one VC": ({"data_width": 64, "vcs": 1}, 0, False),
    "8 bits, tag of 20, a link": ({"data_width": 8, "tag_width": 20, "vcs": 2}, 1, False),
    "16 bits, whole": ({"data_width": 16, "vcs": 2, **CUT_THROUGH}, 0, True),
    "32 bits, linear, two links": (
        {"data_width": 32, "vcs": 2, "routing": "linear", "table_entries": 32, "counter_width": 0},
        2,
        False,
    ),
    "128 bits": ({"data_width": 128, "vcs": 2, **CUT_THROUGH}, 0, False),
    "256 bits, whole": ({"data_width": 256, "vcs": 4, **CUT_THROUGH}, 1, True),
    "512 bits": ({"data_width": 512, "vcs": 2}, 0, False),
}


@pytest.mark.parametrize("case", tiered(CASES, ["8 bits, tag of 20, a link", "16 bits, whole"]))
def test_packets(case: str) -> None:
    settings, network, whole = CASES[case]
    settings = SMALL | settings
    params = SwitchParams.model_validate(settings)
    parameters = settings | {"network": network, "whole": whole}
    design = AxiSwitch(params, Streams(network, whole), Top(params))
    run_bench(design, "cocotb_tests.bus.axi_switch.bench", case, parameters, cycles=2000, by_name=True)


@pytest.mark.parametrize("case", tiered(CASES, ["16 bits, whole"]))
def test_packets_of_a_switch_with_registers(case: str) -> None:
    """The table is programmed, and the counters are read, over AXI4-Lite."""
    settings, network, whole = CASES[case]
    settings = SMALL | settings | {"counter_width": 40}
    params = SwitchParams.model_validate(settings)
    parameters = settings | {"network": network, "whole": whole}
    switch = AxiSwitch(params, Streams(network, whole), Top(params))
    design = RegisterSwitch(params, switch, streams=params.ports - network)
    run_bench(design, "cocotb_tests.bus.axi_switch.bench", f"{case}, registers", parameters, cycles=1000, by_name=True)


def test_a_switch_without_local_ports_is_refused() -> None:
    params = SwitchParams(ports=3)
    with pytest.raises(ValueError, match=r"no local port: all of switch.ports = 3 lead to other switches"):
        AxiSwitch(params, Streams(3), Top(params))
