from pathlib import Path

import pytest

from cocotb_tests.cases.tiers import tiered
from models.errors import TsujiError
from sim.config import load
from synth.lint import lint
from tsuji.board.design import TOP, digest, plan
from tsuji.board.verilated import DIVISOR

EXAMPLES = Path("examples/board")

NETWORK = ('topology.kind="mesh"', "topology.radix=[2]", "switch.data_width=32", 'traffic.draws="hash"')


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (['traffic.draws="numpy"'], 'traffic.draws: must be "hash" for a board'),
        (["traffic.packets_at_once=2"], "one packet at a time, without think_time"),
        (["traffic.think_time=9"], "one packet at a time, without think_time"),
        (["switch.node_ports=2"], "switch.node_ports = 2: a node of a board has one port"),
        (["workload.rank_map=[0, 1]"], r"\[workload\]|workload"),
    ],
)
def test_what_nodes_in_hardware_do_not_do_is_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        plan(load(None, [*NETWORK, *settings]))


def test_several_paths_are_refused():
    wide = ('topology.kind="torus"', "topology.radix=[4, 4]", 'traffic.draws="hash"', 'routing.kind="valiant"')
    with pytest.raises(TsujiError, match=r"routing: \d+ paths to a node; the nodes of a board know one"):
        plan(load(None, [*wide, "switch.vcs=8"]))


def test_a_bitstream_serves_every_load_and_seed():
    def of(*settings):
        return digest(load(None, [*NETWORK, *settings]))

    assert of() == of("traffic.load=0.05", "run.seed=7", "measure.period=500")
    different = {of(), of("switch.vcs=4"), of("traffic.packet_size=6"), of("link.latency=3"), of("topology.radix=[3]")}
    assert len(different) == 5


def test_entries_program_every_route():
    planned = plan(load(None, NETWORK))
    assert planned.entries is not None
    assert sorted(zip(planned.entries.switch, planned.entries.fields["tag"], strict=True)) == [
        (0, 0), (0, 1), (1, 0), (1, 1)
    ]  # fmt: skip
    computed = plan(load(None, [*NETWORK, 'switch.routing="dimension_order"']))
    assert computed.entries is None


def test_a_permutation_is_known_to_the_nodes():
    torus = ('topology.kind="torus"', "topology.radix=[4, 4]", "switch.data_width=32", 'traffic.draws="hash"')
    assert plan(load(None, torus)).design.fixed is None
    fixed = plan(load(None, [*torus, 'traffic.pattern="transpose"'])).design.fixed
    assert fixed is not None
    assert sorted(fixed) == list(range(16))


@pytest.mark.parametrize("name", tiered(sorted(path.stem for path in EXAMPLES.glob("*.toml")), ("line2",)))
def test_the_verilog_has_no_warnings(name):
    lint(plan(load(EXAMPLES / f"{name}.toml")).verilog(DIVISOR), TOP)
