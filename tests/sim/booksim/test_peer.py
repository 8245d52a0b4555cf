"""A BookSim2 executable beside us: a stand-in, and the real one that TSUJI_BOOKSIM names."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.booksim import mapping, parser, settings
from sim.booksim.measure import Spread, measure
from sim.booksim.peer import run
from tsuji.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples" / "booksim"
INPUT_FIRST, OUTPUT_FIRST = "separable_input_first", "separable_output_first"
MESH = EXAMPLES / "mesh88.cfg"
SAMPLE = """Class 0:
Packet latency average = 11
\tminimum = 3
\tmaximum = 12
Accepted flit rate average= 0.4
\tminimum = 0.25 (at node 21)
\tmaximum = 0.5 (at node 10)
Injected packet length average = 2
"""
OVERALL = """Time taken is 1000 cycles
====== Overall Traffic Statistics ======
Packet latency average = 40.5 (1 samples)
\tminimum = 7 (1 samples)
\tmaximum = 80 (1 samples)
Network latency average = -nan (1 samples)
\tminimum = nan (1 samples)
\tmaximum = nan (1 samples)
Accepted flit rate average = 0.5 (1 samples)
\tminimum = 0.25 (1 samples)
\tmaximum = 0.75 (1 samples)
Injected packet size average = 1 (1 samples)
Hops average = 6.25 (1 samples)
Total run time 1.5
"""
ABORTED = "Average latency for class 0 exceeded 500 cycles. Aborting simulation.\nSimulation unstable, ending ...\n"


@pytest.fixture
def stub(tmp_path):
    """Return a function that makes an executable that prints a text, after its arguments, and exits like BookSim2."""

    def make(text, error=""):
        path = tmp_path / "stub"
        program = f"import sys\nprint(sys.argv[1:])\nprint({text!r})\nsys.stderr.write({error!r})\nsys.exit(255)\n"
        path.write_text(f"#!{sys.executable}\n{program}")
        path.chmod(0o755)
        return path

    return make


def test_the_last_figures_count(stub):
    outcome = run(stub(SAMPLE + OVERALL), MESH, ["k=4"], 64)
    assert outcome.unstable == ""
    assert outcome.figures["Packet latency"] == Spread(40.5, 7, 80)
    assert outcome.figures["Network latency"] == Spread(None, None, None)
    assert outcome.figures["Accepted flit rate"] == Spread(0.5, 0.25, 0.75)
    assert outcome.figures["Injected packet size"] == Spread(1)
    assert outcome.figures["Hops"] == Spread(6.25)
    assert (outcome.cycles, outcome.flit_hops) == (1000, round(0.5 * 64 * 1000 * 5.25))
    assert outcome.cpu_s > 0


def test_a_simulation_that_was_given_up_has_its_last_sample(stub):
    outcome = run(stub(SAMPLE + ABORTED), MESH, [], 64)
    assert outcome.unstable == "Average latency for class 0 exceeded 500 cycles."
    assert outcome.figures["Packet latency"] == Spread(11, 3, 12)
    assert outcome.figures["Accepted flit rate"] == Spread(0.4, 0.25, 0.5)
    assert outcome.figures["Injected packet size"] == Spread(2)
    assert outcome.flit_hops == 0


def test_an_executable_without_figures_is_refused_with_what_it_said(stub):
    with pytest.raises(TsujiError, match=r"stub: printed no figures; it said: Parse error : Unknown field: foo$"):
        run(stub("BEGIN", "Parse error : Unknown field: foo\n"), MESH, [], 64)


def test_an_executable_that_stands_still_is_stopped(tmp_path, monkeypatch, capsys):
    path = tmp_path / "stub"
    program = "while True:\n    print('WARNING: Possible network deadlock.', flush=True)\n"
    path.write_text(f"#!{sys.executable}\n{program}")
    path.chmod(0o755)
    assert command(monkeypatch, MESH, "k=4", "sample_period=200", "--peer", path) == 2
    printed = capsys.readouterr()
    assert "Packet latency" in printed.out  # ours
    assert "stub: stopped: it warned 50 times of a network deadlock" in printed.err


def test_odd_vcs_on_a_torus_are_noted(monkeypatch, capsys):
    assert command(monkeypatch, EXAMPLES / "torus88.cfg", "k=4", "sample_period=200", "num_vcs=3") == 0
    assert "num_vcs = 3 is odd: BookSim2's two classes of a ring share" in capsys.readouterr().out


def test_an_executable_that_is_not_there():
    with pytest.raises(TsujiError, match="nowhere: cannot be run: No such file"):
        run(Path("nowhere"), MESH, [], 64)


def command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["tsuji", "booksim", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_the_command_prints_both_side_by_side(stub, tmp_path, monkeypatch, capsys):
    file = tmp_path / "both.json"
    peer = stub(OVERALL)
    code = command(monkeypatch, MESH, "k=4", "sample_period=200", "pair_stats=1", "--peer", peer, "--json", file)
    printed = capsys.readouterr().out
    assert code == 0
    assert max(map(len, printed.splitlines())) <= 80
    for words in (r"Packet latency average", "40.5", "BookSim2", "ratio", "stub: 1,000 cycles, 42,000 flit-hops in"):
        assert words in printed
    assert "pair_stats has no effect: says what is printed or written besides" in printed
    document = json.loads(file.read_text())
    assert document["booksim"]["k"] == "4"
    assert document["network"]["topology"]["radix"] == [4, 4]
    assert document["peer"]["figures"]["Packet latency"] == {"average": 40.5, "minimum": 7, "maximum": 80}
    assert document["tsuji"]["figures"]["Packet latency"]["average"] > 7


def test_booksim_itself_gets_the_defaults_of_keys_that_are_left_out(tmp_path, monkeypatch, capsys):
    told = []

    def note(executable, config, overrides, nodes):
        told.extend(overrides)
        raise TsujiError("noted")

    monkeypatch.setattr("sim.booksim.peer.run", note)
    file = tmp_path / "net.cfg"
    file.write_text(MESH.read_text().replace("= 3000", "= 100") + "credit_delay = 2; hbm = 4; network_file = x;")
    asked = [file, "k=4", "--ignore", "credit_delay,network_file", "--ignore-unknown", "--peer", "booksim"]
    assert command(monkeypatch, *asked) == 2
    assert "noted" in capsys.readouterr().err
    assert told == ["k=4", "credit_delay=0"]


def test_several_rates_in_one_command(tmp_path, monkeypatch, capsys):
    """Each has the figures that it has alone."""
    rates, file = ("0.05", "0.1"), tmp_path / "rates.json"
    short = ("k=4", "sample_period=200")
    code = command(monkeypatch, MESH, *short, "--over", f"injection_rate={','.join(rates)}", "--json", file)
    assert code == 0
    printed = capsys.readouterr().out
    points = json.loads(file.read_text())["points"]
    assert [each["values"] for each in points] == [{"injection_rate": rate} for rate in rates]
    for rate, point in zip(rates, points, strict=True):
        assert re.search(rf"^ *{rate} ", printed, re.MULTILINE)
        command(monkeypatch, MESH, *short, f"injection_rate={rate}", "--json", file)
        alone = json.loads(file.read_text())
        assert point["tsuji"]["figures"] == alone["tsuji"]["figures"]
        assert point["network"] == alone["network"]
        assert point["booksim"]["injection_rate"] == rate


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--over", "injection_rate"], "--over injection_rate: write key=start:stop:step"),
        (["--over", "injection_rate=0.1,nine"], "nine"),
        (["--over", "no_such_key=1,2"], "no_such_key"),
        (["--over", "injection_rate=0.1,0.2", "--peer", "booksim"], "--peer booksim: compares one run"),
        (["--over", "injection_rate=0.1,0.2", "--ignore", "injection_rate"], "--over injection_rate: --ignore and"),
        (["--over", "no_such_key=1,2", "--ignore-unknown"], "--over no_such_key: --ignore and --ignore-unknown leave"),
    ],
)
def test_wrong_axes_are_refused_before_anything_runs(arguments, told, monkeypatch, capsys):
    assert command(monkeypatch, MESH, *arguments) == 2
    assert told in capsys.readouterr().err


def test_a_network_that_is_too_large_is_refused_before_another_is_run(monkeypatch, capsys):
    monkeypatch.setattr("tsuji.cli.booksim_points.measure", None)
    asked = ["vc_allocator=separable_input_first(matrix)", "--over", "num_vcs=4,1024"]
    assert command(monkeypatch, MESH, *asked) == 2
    assert "64 routers with 5120 VCs of 8 flits: too large to be simulated: " in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.cfg")), ids=lambda path: path.stem)
def test_the_examples_run(path, monkeypatch, capsys):
    assert command(monkeypatch, path, "sample_period=300") == 0
    printed = capsys.readouterr().out
    for name in ("Packet latency", "Network latency", "Flit latency", "Accepted flit rate", "Hops"):
        assert name in printed
    assert "unstable" not in printed


def test_refusals_end_with_one_message_and_code_2(monkeypatch, capsys):
    assert command(monkeypatch, MESH, "topology=fattree") == 2
    message = "error: mesh88.cfg:7: routing_function = dor: must be one of nca, anca on fattree\n"
    assert capsys.readouterr().err.replace(str(EXAMPLES) + "/", "") == message


@pytest.mark.skipif("TSUJI_BOOKSIM" not in os.environ, reason="TSUJI_BOOKSIM names no BookSim2 executable")
@pytest.mark.parametrize(
    ("file", "overrides"),
    [
        ("mesh88.cfg", ("injection_rate=0.1",)),
        ("mesh88.cfg", ("injection_rate=0.3", "routing_delay=0")),
        ("mesh88.cfg", ("injection_rate=0.3", "routing_delay=0", "speculative=1")),
        ("mesh88.cfg", ("injection_rate=0.4", "speculative=1", f"sw_allocator={INPUT_FIRST}")),
        ("mesh88.cfg", ("injection_rate=0.2", "speculative=1", "vc_buf_size=2", "vc_busy_when_full=1")),
        ("torus88.cfg", ("injection_rate=0.4", "speculative=1", "hold_switch_for_packet=1")),
        ("torus88.cfg", ("injection_rate=0.5", "speculative=1", f"sw_allocator={OUTPUT_FIRST}(matrix)")),
        ("fattree64.cfg", ("injection_rate=0.6", "speculative=1")),
        ("mesh88.cfg", ("injection_rate=0.3", "speculative=1", "vc_allocator=piggyback", "vc_alloc_delay=3")),
        ("torus88.cfg", ("injection_rate=0.4", "speculative=1", "internal_speedup=2.0")),
        ("torus88.cfg", ("injection_rate=0.4", "speculative=1", f"vc_allocator={INPUT_FIRST}")),
        ("mesh88.cfg", ("injection_rate=0.05", "traffic=hotspot({{0,9},{1,3}})", "k=4")),
        ("mesh88.cfg", ("injection_rate=0.1", "packet_size={{1,4}}", "injection_process=on_off({0.1,0.2})")),
        ("mesh88.cfg", ("injection_rate=0.05", "topology=mesh", "k=2", "n=6")),
        ("mesh88.cfg", ("injection_rate=0.1", "vc_buf_size=1")),
        ("mesh88.cfg", ("injection_rate=0.2", "vc_buf_size=2", "credit_delay=2")),
        ("torus88.cfg", ("injection_rate=0.1",)),
        (
            "torus88.cfg",
            ("injection_rate=0.4", "hold_switch_for_packet=1", f"sw_allocator={OUTPUT_FIRST}(matrix)"),
        ),
        ("torus88.cfg", ("injection_rate=0.24", "traffic=transpose", "packet_size=1", "num_vcs=16")),
        ("torus88.cfg", ("injection_rate=0.18", "traffic=tornado")),  # saturates at 0.208
        ("torus88.cfg", ("injection_rate=0.1", "wait_for_tail_credit=1", "credit_delay=1")),
        ("torus88.cfg", ("injection_rate=0.3", "vc_buf_size=4", "credit_delay=3")),
        ("cmesh64.cfg", ("injection_rate=0.15",)),
        ("cmesh64.cfg", ("traffic=transpose", "injection_rate=0.05")),
        ("flatfly64.cfg", ("injection_rate=0.4",)),
        ("flatfly64.cfg", ("k=2", "n=4", "traffic=bitrev", "injection_rate=0.15")),
        ("fattree64.cfg", ("injection_rate=0.4",)),
        ("fattree64.cfg", ("k=3", "packet_size=4", "injection_rate=0.05")),
        ("fattree64.cfg", ("injection_rate=0.6", f"vc_allocator={INPUT_FIRST}", f"sw_allocator={INPUT_FIRST}")),
        ("fattree64.cfg", ("injection_rate=0.6", f"vc_allocator={INPUT_FIRST}")),
        ("fattree64.cfg", ("injection_rate=0.6", f"sw_allocator={INPUT_FIRST}(matrix)")),
        ("torus88.cfg", ("injection_rate=0.5", f"vc_allocator={INPUT_FIRST}", f"sw_allocator={INPUT_FIRST}")),
        ("fattree64.cfg", ("topology=fly", "k=10", "n=1", "routing_function=dest_tag")),
        ("dragonfly72.cfg", ("injection_rate=0.3",)),
        ("mesh88.cfg", ("injection_rate=0.2", "internal_speedup=2.0")),
        ("dragonfly72.cfg", ("injection_rate=0.3", "internal_speedup=2.0")),
        ("anynet.cfg", ("injection_rate=0.3", f"network_file={EXAMPLES / 'anynet.txt'}")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_agreement_with_booksim_itself(file, overrides):
    """Below saturation: latency within 2 %, accepted traffic in 3 %, hops in 1 %."""
    path = EXAMPLES / file
    plan = mapping.plan(settings.settings(parser.read(path, overrides)))
    nodes = plan.config.topology.build().nodes
    ours, theirs = measure(plan), run(Path(os.environ["TSUJI_BOOKSIM"]), path, overrides, nodes)
    assert not ours.unstable
    assert not theirs.unstable
    tolerances = {"Packet latency": 0.02, "Network latency": 0.02, "Accepted flit rate": 0.03, "Hops": 0.01}
    for name, within in tolerances.items():
        assert ours.figures[name].average == pytest.approx(theirs.figures[name].average, rel=within), name
    assert ours.figures["Packet latency"].minimum == theirs.figures["Packet latency"].minimum
