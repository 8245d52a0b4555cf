"""No array of a user reaches compiled code unchecked."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams, LpiParams, SwitchParams
from sim.engine.network import Network
from sim.lib.array_check import check_int, check_ints, check_number
from sim.packets import Packets
from sim.topology.torus import grid


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 16], r"^a\[1\] = 16: must be a whole number, 0 to 15$"),
        ([-1, 0], r"^a\[0\] = -1: must be a whole number, 0 to 15$"),
        ([0.0, 1.5], r"^a\[1\] = 1.5: must be a whole number"),
        ([0.0, float("nan")], r"^a\[1\] = nan: must be a whole number"),
        ([0.0, float("inf")], r"^a\[1\] = inf: must be a whole number"),
        (np.array([2**64 - 1, 0], np.uint64), r"^a\[0\] = 18446744073709551615: must be a whole number"),
        ([2**70, 0], r"^a: array of object"),
        ([True, False], r"^a\[0\] = True: must be a whole number, not true or false$"),
        ([1, np.True_], r"^a\[1\] = np\.True_: must be a whole number, not true or false$"),
        ([[1, 2], [3, False]], r"^a\[1\]\[1\] = False: must be a whole number, not true or false$"),
        (np.array([True, False]), r"^a: array of bool"),
        (["1", "2"], r"^a: array of <U1"),
        ([[0, 1]], r"^a: shape \(1, 2\); must be \(2,\)$"),
        ([0], r"^a: shape \(1,\); must be \(2,\)$"),
        ([[0], [1, 2]], r"^a: is no array of numbers"),
        (np.ma.masked_array([0, 1], [False, True]), r"^a: has masked values"),
        ([np.ma.masked, 1], r"^a: has masked values"),
    ],
)
def test_what_is_wrong_is_named(values, message):
    with pytest.raises(TsujiError, match=message):
        check_ints("a", values, (2,), 0, 15)


@pytest.mark.parametrize("values", [[0, 15], [0.0, 15.0], np.array([0, 15], np.uint8), (0, 15)])
def test_what_is_right_becomes_int64(values):
    checked = check_ints("a", values, (None,), 0, 15)
    assert checked.dtype == np.int64
    assert checked.tolist() == [0, 15]


def test_numbers():
    assert check_int("n", np.int32(3), 0, 3) == 3
    for value in 4, -1, 1.0, True, "1", None:
        with pytest.raises(TsujiError, match=r"^n = .*: must be a whole number, 0 to 3$"):
            check_int("n", value, 0, 3)


def test_real_numbers():
    assert check_number("x", np.float64(0.5), 0, 1) == 0.5
    for value in -0.1, 1.5, True, "1", None, float("nan"):
        with pytest.raises(TsujiError, match=r"^x = .*: must be a number, 0 to 1$"):
            check_number("x", value, 0, 1)
    with pytest.raises(TsujiError, match=r"^x = inf: must be a number, 0 or more$"):
        check_number("x", float("inf"), 0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"source": [0, 16]}, r"^packets\.source\[1\] = 16: must be a whole number, 0 to 15$"),
        ({"source": [-1, 0]}, r"^packets\.source\[0\] = -1"),
        ({"destination": [0, -3]}, r"^packets\.destination\[1\] = -3"),
        ({"size": [0, 1]}, r"^packets\.size\[0\] = 0: must be a whole number, 1 to 65536$"),
        ({"size": [1]}, r"^packets\.size: shape \(1,\); must be \(2,\)$"),
        ({"message_class": [0, 1]}, r"^packets\.message_class\[1\] = 1: must be a whole number, 0 to 0$"),
        ({"birth": [3, 2]}, r"^packets\.birth\[1\] = 2: packets must be offered in order of birth, from cycle 3 on$"),
        ({"birth": [-1, 2]}, r"^packets\.birth\[0\] = -1"),
    ],
)
def test_packets_are_refused_whole(changed, message):
    torus = grid((4, 4), wrap=True)
    routing = {"routing": "dimension_order", "radix": (4, 4), "wrap": True}
    network = Network(SwitchParams(ports=5, vcs=2, **routing), LinkParams(), torus, None)
    given = {"birth": [0, 1], "source": [0, 1], "destination": [2, 3], "size": [1, 1]} | changed
    with pytest.raises(TsujiError, match=message):
        network.offer(Packets(**given))
    assert network.in_flight == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda net: net.watch_buffers([-1], 0, 9), r"^switches\[0\] = -1: must be a whole number, 0 to 15$"),
        (lambda net: net.watch_buffers([99], 0, 9), r"^switches\[0\] = 99"),
        (lambda net: net.watch_buffers([0], -1, 9), r"^begin = -1: must be a whole number, 0 or more$"),
        (lambda net: net.watch_buffers([0], 9, 9), r"^end = 9: must be a whole number, 10 to"),
        (
            lambda net: net.counters(1 << 20),
            r"^at = 1048576: must be 0, the cycle, or None while anything is in flight$",
        ),
        (lambda net: net.wakes(5), r"^at = 5: must be 0"),
        (lambda net: made(net, seed=-1), r"^seed = -1: must be a whole number, 0 or more$"),
        (lambda net: made(net, log=-1), r"^log = -1: must be a whole number, 0 to"),
        (lambda net: made(net, log=1 << 62), r"^log = 4611686018427387904"),
    ],
)
def test_numbers_of_a_network_are_named(call, message):
    torus = grid((4, 4), wrap=True)
    params = SwitchParams(ports=5, vcs=2, routing="dimension_order", radix=(4, 4), wrap=True, lpi=LpiParams())
    network = Network(params, LinkParams(), torus, None)
    network.offer(Packets([0], [1], [2], [3]))
    with pytest.raises(TsujiError, match=message):
        call(network)


def made(network, **given):
    return Network(network.params, LinkParams(), network.topology, None, **given)


def test_hostile_arrays_do_no_harm():
    program = Path(__file__).with_name("hostile.py")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "unharmed\n"
