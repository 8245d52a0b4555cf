"""Switches advanced a batch at a time: the vectors that is done with, and the same behaviour as one by one."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from cocotb_tests.runner.run_bench import seed
from cocotb_tests.soak.stimulus import Stimulus
from models.batched.flit import HEAD, MOST_VCS, TAIL, flit_on, flit_vc
from models.batched.vc_sets import batch_widths, can_batch
from models.jit.compiled import compiled
from models.jit.simd import (
    blend,
    broadcast,
    compress_store,
    decode_one_hot,
    fill_bytes,
    movemask,
    nonzero_mask,
    permute,
    priority_above,
    round_robin_one_hot,
    simd_load,
    simd_store,
)
from models.jit.simd_type import LANES, WIDTHS, batch_of, batches_of, lane_bits, lane_of, switch_in
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, PredictionParams, SwitchParams
from models.state.layout import aligned
from models.top import COUNTER_DATA
from synth.mutated import mutated, run_in

PLAIN = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
RING = {"routing": "dimension_order", "radix": (5,), "wrap": True}
SMALL_CAM = CamParams(latency=5, occupancy=2, entries=64)
SWITCHES = {
    "computed": PLAIN | RING | {"ports": 3, "vcs": 4},
    "fixed classes, head delay": PLAIN | RING | {"ports": 3, "vcs": 3, "ring_classes": "fixed", "head_delay": 2},
    "one VC of one flit": PLAIN | RING | {"ports": 3, "vcs": 1, "wrap": False, "depth": 1},
    "cached, to oneself": PLAIN | {"ports": 4, "vcs": 2, "u_turn": True, "cam": SMALL_CAM},
    "CAM": PLAIN | {"cache": CacheParams(entries=0), "cam": SMALL_CAM, "vcs": 5},
    "input first, linear table": PLAIN
    | {"vc_allocator": "input_first", "routing": "linear", "table_entries": 16, "vcs": 15, "ports": 3},
    "a queue of 256": PLAIN | RING | {"ports": 3, "vcs": 2, "depth": 256},
    "a queue of 257": PLAIN | RING | {"ports": 3, "vcs": 2, "depth": 257},
    "nine ports": PLAIN | {"ports": 9, "vcs": 2, "routing": "linear", "table_entries": 16},
    "as many ports as there are": PLAIN | {"ports": 15, "vcs": 2, "routing": "linear", "table_entries": 16},
}


@compiled
def _each(sets, starts, found, following, chosen):
    """Do to all batches of an array what a matching does."""
    lanes = 0
    for n in range(len(sets) // LANES):
        members, start = simd_load(sets, n), simd_load(starts, n)
        first = round_robin_one_hot(members, -start)
        simd_store(found, n, first)
        simd_store(following, n, priority_above(first))
        simd_store(
            chosen, n, blend(nonzero_mask(sets, members), broadcast(sets, 5), ~start) + (members & start | start)
        )
        lanes |= movemask(members)
    return lanes


@pytest.mark.parametrize(("bits", "size"), [(8, 1), (8, 5), (8, 8), (16, 1), (16, 2), (16, 5), (16, 15), (16, 16)])
def test_every_switch_of_a_row_has_its_own_number(bits, size):
    rng = np.random.default_rng(size)
    sets, starts, *results = (aligned((7 * LANES,), f"uint{bits}") for _ in range(5))
    sets[:] = rng.integers(0, 1 << size, len(sets)) * (rng.random(len(sets)) < 0.7)
    starts[:] = 1 << rng.integers(0, size, len(sets))
    lanes = _each(sets, starts, *results)
    assert lanes % (1 << 64) == sum(1 << k for k in range(LANES) if sets[k::LANES].any())
    for members, start, first, following, chosen in zip(sets, starts, *results, strict=True):
        members, start = int(members), int(start)
        begin = start.bit_length() - 1
        order = [(begin + k) % size for k in range(size)]
        winner = next((k for k in order if members >> k & 1), None)
        assert first == (0 if winner is None else 1 << winner)
        ones = (1 << bits) - 1
        assert following == (0 if winner is None else ones & -2 << winner)
        assert chosen == ((5 if members else ~start & ones) + start) & ones


def test_places():
    assert [(batch_of(s), lane_of(s)) for s in (0, 63, 64, 200)] == [(0, 0), (0, 63), (1, 0), (3, 8)]
    assert [switch_in(batch_of(s), lane_of(s)) for s in (0, 63, 64, 200)] == [0, 63, 64, 200]
    assert [batches_of(count) for count in (0, 1, 64, 65)] == [0, 1, 1, 2]


@compiled
def _some_of(sets, wanted):
    simd_store(wanted, 0, nonzero_mask(wanted, simd_load(sets, 0)))


@pytest.mark.parametrize(("bits", "wanted"), list(product(WIDTHS, WIDTHS)))
def test_what_is_found_in_one_kind_of_row_is_said_in_the_other(bits, wanted):
    rng = np.random.default_rng(bits + wanted)
    sets, some = aligned((LANES,), f"uint{bits}"), aligned((LANES,), f"uint{wanted}")
    sets[:] = rng.integers(0, 1 << bits, LANES) * (rng.random(LANES) < 0.5)
    _some_of(sets, some)
    assert np.array_equal(some, (sets != 0) * ((1 << wanted) - 1))


@compiled
def _gathered(batch, places, result):
    simd_store(result, 0, permute(simd_load(batch, 0), simd_load(places, 0)))


@pytest.mark.parametrize("bits", WIDTHS)
def test_numbers_change_places(bits):
    """Beyond the end of the batch they are counted from its beginning again."""
    rng = np.random.default_rng(bits)
    numbers, places, result = (aligned((LANES,), f"uint{bits}") for _ in range(3))
    for batch in numbers, places:
        batch[:] = rng.integers(0, 1 << bits, len(batch))
    _gathered(numbers, places, result)
    assert np.array_equal(result, numbers[places % len(numbers)])


@compiled
def _one_hot(numbers, result):
    simd_store(result, 0, decode_one_hot(simd_load(numbers, 0)))


@pytest.mark.parametrize("bits", WIDTHS)
def test_flits_say_their_vc(bits):
    vcs = np.arange(LANES) % (min(bits, MOST_VCS) + 1) - 1
    numbers, result = (aligned((LANES,), f"uint{bits}") for _ in range(2))
    numbers[:] = [flit_on(w) | HEAD * (n // 16 % 2) | TAIL * (n // 32) if w >= 0 else 0 for n, w in enumerate(vcs)]
    _one_hot(numbers, result)
    assert np.array_equal(result, [1 << w if w >= 0 else 0 for w in vcs])
    assert all(flit_vc(int(number)) == w for number, w in zip(numbers, vcs, strict=True))


@compiled
def _listed(sets, found, ports):
    """List the lanes of all batches of an array."""
    n = 0
    for batch in range(len(sets) // LANES):
        fill_bytes(ports, n, batch)
        n += compress_store(found, n, simd_load(sets, batch))
    return n


@pytest.mark.parametrize("bits", WIDTHS)
def test_lanes_are_listed(bits):
    rng = np.random.default_rng(bits)
    sets = aligned((7 * LANES,), f"uint{bits}")
    sets[:] = rng.integers(0, 1 << bits, len(sets)) * (rng.random(len(sets)) < 0.4)
    sets[2 * LANES : 3 * LANES] = 0
    sets[3 * LANES : 4 * LANES] = 1
    found, ports = np.zeros((2, 8 * LANES), np.uint8)
    count = _listed(sets, found, ports)
    assert np.array_equal(ports[:count].astype(np.int64) * LANES + found[:count], np.flatnonzero(sets))


def test_numbers_are_found_on_any_processor(tmp_path):
    """The tests above where no instruction takes numbers from anywhere, or puts those that there are side by side."""
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_JIT": "0"}
    env = os.environ | plain | {"NUMBA_CACHE_DIR": str(tmp_path)}
    tests = [
        f"{__file__}::{test.__name__}"
        for test in (test_numbers_change_places, test_flits_say_their_vc, test_lanes_are_listed)
    ]
    told = subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], env=env, capture_output=True, text=True)
    assert "6 passed" in told.stdout, told.stdout + told.stderr


@pytest.mark.parametrize(
    ("ports", "vcs", "widths"),
    [(7, 8, (8, 8)), (8, 8, (8, 16)), (7, 9, (16, 16)), (15, 15, (16, 16)), (16, 1, (0, 0)), (1, 16, (0, 0))],
)
def test_rows_are_as_narrow_as_what_they_hold(ports, vcs, widths):
    assert batch_widths(SwitchParams(**PLAIN, ports=2, vcs=vcs), ports) == widths


@pytest.mark.parametrize(("depth", "width"), [(256, 8), (257, 16)])
def test_rows_have_room_for_a_place_in_a_queue(depth, width):
    assert batch_widths(SwitchParams(**PLAIN | {"depth": depth})) == (width, width)


@pytest.mark.parametrize(
    "more",
    [
        {"allocator": "input_first"},
        {"allocator": "ports_first"},
        {"vc_stage": False},
        {"hold_packets": True},
        {"arbiter": "matrix"},
        {"claim_full": False},
        {"buffering": "static", "max_packet": 4},
        {"buffering": "dynamic", "max_packet": 4},
        {"speculation": "equal"},
        {"lpi": LpiParams()},
        {"prediction": PredictionParams()},
        {"adaptive": AdaptiveParams(escape_vcs=1)},
        {"speedup": 2},
        {"ports": max(WIDTHS)},
        {"vcs": 16},
        {"data_width": 8, "tag_width": 20},
    ],
)
def test_what_does_not_fit(more):
    assert can_batch(SwitchParams(**PLAIN))
    assert not can_batch(SwitchParams(**PLAIN | more))


@pytest.mark.parametrize("name", SWITCHES)
def test_in_a_row_as_by_itself(name):
    """Random neighbours, packets that are dropped, resets and reprogramming; they see what the switch sends."""
    params = SwitchParams(**SWITCHES[name])
    position = (2,) if params.computed else ()
    runs = [
        Stimulus(params, seed(), reset_odds=1 << 14, position=position, batched=batched).block(20_000)
        for batched in (True, False)
    ]
    for of_batch, by_itself in zip(*runs, strict=True):
        assert np.array_equal(of_batch, by_itself), f"TSUJI_SEED={seed()}"
    assert runs[0][2][:, :, 0].sum() > 2000


@pytest.mark.parametrize(("name", "most"), [("one VC of one flit", 1 << 8), ("input first, linear table", 1 << 16)])
def test_counters_beyond_what_a_row_can_count(name, most):
    params = SwitchParams(**SWITCHES[name])
    position = (2,) if params.computed else ()
    runs = [Stimulus(params, seed(), reset_odds=0, position=position, batched=batched) for batched in (True, False)]
    assert 1 << lane_bits(runs[0].state.batch_vcs) == most
    told, wanted = (run.block(most + 2000)[3] for run in runs)
    assert np.array_equal(told, wanted), f"TSUJI_SEED={seed()}"
    assert np.array_equal(runs[0].counts, runs[1].counts)
    assert told[most:, COUNTER_DATA].max() > most / 16


PROGRAM = """
import numpy as np
from cocotb_tests.soak.stimulus import Stimulus
from models.params import SwitchParams

shown, flits = False, 0
for depth in 1, 3:
    params = SwitchParams(
        ports=3, vcs=4, depth=depth, routing="dimension_order", radix=(5,), wrap=True, allocator="output_first",
        vc_stage=True, hold_packets=False, head_delay=1,
    )
    runs = []
    for batched in False, True:
        try:
            with np.errstate(over="ignore"):
                runs.append(Stimulus(params, 7, reset_odds=1 << 16, position=(2,), batched=batched).block(1500))
        except (AssertionError, IndexError, ValueError) as error:  # a place, or a bit, that there is not
            assert batched, error
            shown = True
            break
        flits += int(runs[0][2][:, :, 0].sum())
    else:
        shown |= not all(np.array_equal(*pair) for pair in zip(*runs))
    if shown:
        break
print(shown, flits)
"""
FAULTS = {
    "none": ("models/jit/simd.py", "-(member + member)", "-(member + member)"),
    "who was chosen comes first": ("models/jit/simd.py", "-(member + member)", "-member"),
    "a search does not begin again": (
        "models/jit/simd.py",
        "blend(nonzero_mask(sets, upper), upper, sets)",
        "upper",
    ),
    "an output's order advances though nobody took it": (
        "models/batched/matching.py",
        "above | grants(st, taken_at(st, i))",
        "above | grants(st, granted_at(st, i))",
    ),
    "outputs that nobody takes begin anew": ("models/batched/matching.py", " & ~taken | above", " & above | above"),
    "an output is granted again to those before its turn": (
        "models/batched/matching.py",
        "given = given | turn",
        "given = turn",
    ),
    "an output is granted to all before its turn": (
        "models/batched/matching.py",
        "given = given | asks",
        "given = given | asks & ~asks",
    ),
    "nowhere is granted to one": (
        "models/batched/matching.py",
        "    given = given & ~spread_outputs(st, 1 << st.k.ports)\n",
        "",
    ),
    "a port's order of outputs stays": ("models/batched/matching.py", "priority_above(taken)", "accept"),
    "a port's order of VCs stays": ("models/batched/matching.py", "priority_above(chosen)", "order"),
    "without a credit they go on": (
        "models/batched/matching.py",
        " & ~load_vector(st, batch, blocked_at(st, i))",
        "",
    ),
    "a credit wakes nobody": ("models/batched/output_unit.py", "o, w, 1 - (after >> w & 1))", "o, w, 1)"),
    "no batch is due for a credit": (
        "models/batched/output_unit.py",
        "    return movemask(after & ~before)",
        "    return 0",
    ),
    "who claims a VC without a credit goes on": (
        "models/batched/vc_sets.py",
        "1 - (lane_value(st, s, credited_at(st, o)) >> w & 1)",
        "0",
    ),
    "credits of a cycle are lost where one is spent": (
        "models/batched/output_unit.py",
        "up = came & ~spent",
        "up = came & ~came",
    ),
    "a credit is not carried": ("models/batched/output_unit.py", "up = up & credits", "up = up & ~up"),
    "a packet keeps its goal": (
        "models/batched/release.py",
        "granted_output & ~nonzero_mask(granted_output, gone)",
        "granted_output",
    ),
    "a packet keeps its output VC": ("models/batched/release.py", "| ends & scratch(", "| ends & ~ends & scratch("),
    "a queue stands still": ("models/batched/route_queue.py", "blend(gone, behind, front)", "front"),
    "a queue ends a place too late": (
        "models/batched/route_queue.py",
        "nonzero_mask(places, places ^ spread(st, st.k.depth))",
        "nonzero_mask(places, places ^ spread(st, st.k.depth + 1))",
    ),
    "who is behind a packet stays there": (
        "models/batched/release.py",
        "follow = follow | batch_release(",
        "follow = follow & batch_release(",
    ),
    "a head is at the front at once": (
        "models/route/route_queue.py",
        "int(position == batch_front(st, s, p, v))",
        "1",
    ),
    "a flit comes over the last": ("models/batched/vc_buffer.py", "to = below & ~left", "to = below & left"),
    "tails stay where they are": ("models/batched/vc_buffer.py", "blend(taken, tail_next, tail)", "tail"),
    "a buffer is looked at no deeper than its first flit": (
        "models/batched/vc_buffer.py",
        "held_next | left",
        "left & ~left",
    ),
    "packets have no tail": ("models/batched/matching.py", "& spread(st, TAIL)", "& spread(st, 0)"),
    "packets that end are not counted": (
        "models/batched/counters.py",
        "OUT, o), flits & spread(st, TAIL)",
        "OUT, o), flits ^ flits",
    ),
    "who is listed is said to be of one port": (
        "models/batched/lane_lists.py",
        "fill_bytes(st.batch_seen_ports, n, p)",
        "fill_bytes(st.batch_seen_ports, n, 0)",
    ),
    "a list is of the last port alone": (
        "models/batched/release.py",
        "n = list_more(st, n, i, _end",
        "n = list_more(st, list_begin(st, FOLLOWERS), i, _end",
    ),
    "a VC is offered twice in the second round": (
        "models/batched/vc_stage.py",
        "        offered |= offers\n        if",
        "        if",
    ),
    "heads that were put aside stay there": (
        "models/batched/release.py",
        "wake_blocked_heads(st, s, o, cycle + 1)",
        "pass",
    ),
    "who loses a VC does not ask again": (
        "models/batched/vc_stage.py",
        "head_asks(st, head_request(st, s, request_port(request), request_vc(request)), cycle + 1)",
        "pass",
    ),
    "of those who ask for a VC the last gets it": (
        "models/batched/vc_stage.py",
        "before & NO_PLACE if before >> PLACE_BITS == cycle else NO_PLACE",
        "NO_PLACE",
    ),
    "a reset leaves heads in the wheel": ("models/batched/reset.py", "    forget_heads(st, s)\n", ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_shows(name, monkeypatch):
    """As plain Python, in which a function is looked up by name; one without a fault, for comparison."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    file, old, new = FAULTS[name]
    with mutated(name, file, old, new) as folder:
        told = run_in(folder, name, ["-c", PROGRAM])
    if name == "none":
        assert told.startswith("False")
        assert int(told.split()[1]) > 300
    else:
        assert told.startswith("True")
