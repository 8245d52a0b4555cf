import pytest

from cocotb_tests.runner.run_bench import run_bench
from synth.boards.host_port import HostPort


@pytest.mark.parametrize(("read_latency", "timeout"), [(1, 20), (4, 90)])
def test_host_port(read_latency: int, timeout: int) -> None:
    design = HostPort(read_latency, timeout)
    parameters = {"read_latency": read_latency, "timeout": timeout}
    run_bench(design, "cocotb_tests.boards.host_port.bench", f"{read_latency}", parameters, cycles=30_000)


@pytest.mark.parametrize(("read_latency", "timeout"), [(0, 20), (1, 0)])
def test_a_latency_or_a_timeout_of_nothing_is_refused(read_latency: int, timeout: int) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        HostPort(read_latency, timeout)
