import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.node.traffic_hash import TrafficHash

NODES = [2, 3, 6, 16, 25, 100, 257, 1 << 16]


@pytest.mark.parametrize("nodes", tiered(NODES, [2, 6, 16, 1 << 16]))
def test_traffic_hash(nodes: int) -> None:
    bench = "cocotb_tests.unit.node.traffic_hash.bench"
    run_bench(TrafficHash(nodes), bench, f"{nodes} nodes", {"nodes": nodes}, cycles=5000)


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize("nodes", [1, (1 << 16) + 1])
def test_as_many_nodes_are_refused(nodes: int) -> None:
    with pytest.raises(ValueError, match=f"nodes = {nodes}: must be 2 to 65536"):
        TrafficHash(nodes)
