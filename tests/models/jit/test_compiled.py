"""The golden model compiled and as plain Python: the same behaviour."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cocotb_tests.cases.shared import CASES
from models.errors import CompilationError
from models.jit.compiled import compiled, entry_point
from models.jit.native_types import kind_of
from models.jit.sets import popcount
from models.params import SwitchParams
from models.power_up import new_state

PROGRAM = """
import hashlib, sys
import numpy as np
from cocotb_tests.soak.stimulus import Stimulus
from models.params import CacheParams, CamParams, SwitchParams

cases = {
    "default": dict(cam=CamParams(entries=64, latency=9, occupancy=4), cache=CacheParams(entries=16)),
    "plru": dict(vcs=3, depth=5, cam=CamParams(entries=64, latency=5, occupancy=1),
                 cache=CacheParams(entries=8, ways=4, policy="plru"), arbiter="matrix", u_turn=True),
    "header": dict(data_width=8, tag_width=64, depth=9, vcs=16, cam=CamParams(entries=64, latency=4, occupancy=1),
                   cache=CacheParams(entries=8, ways=8, policy="fifo")),
    "batched": dict(vcs=4, depth=2, routing="dimension_order", radix=(5, 4), wrap=True, allocator="output_first",
                 vc_stage=True, hold_packets=False, head_delay=1),
    "computed": dict(routing="dimension_order", radix=(5, 4), wrap=True, buffering="dynamic", max_packet=3),
}
stimulus = Stimulus(SwitchParams(**cases[sys.argv[1]]), seed=9, reset_odds=1 << 14,
                    position=(2, 1) if sys.argv[1] in ("computed", "batched") else ())
with np.errstate(over="ignore"):
    blocks = stimulus.block(300)
print(hashlib.sha256(b"".join(block.tobytes() for block in blocks)).hexdigest(), int(blocks[2][:, :, 0].sum()))
"""


@pytest.mark.parametrize("case", ["default", "plru", "header", "computed", "batched"])
def test_plain_python_agrees(case):
    runs = [
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, case],
            env=os.environ | {"NUMBA_DISABLE_JIT": disable},
            capture_output=True,
            text=True,
            check=False,
        )
        for disable in ("0", "1")
    ]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout == runs[1].stdout
    assert int(runs[0].stdout.split()[1]) > 100, "too little traffic to mean anything"


def test_way_in() -> None:
    """A call of an entry point, which does not inspect types, gives the same result; it is restricted to its types."""
    table = np.arange(5)
    way = entry_point(popcount, 7)
    assert way(0b1011) == popcount(0b1011) == 3
    with pytest.raises(TypeError):
        way(table)
    assert entry_point(sum, [1]) is sum


def test_only_adaptive_switches_and_those_with_wide_tags_are_types_of_their_own() -> None:
    """Code compiled for one set of parameters serves all others."""
    kinds: dict[tuple[bool, bool], set[object]] = {}
    for case in CASES.values():
        of_these = kinds.setdefault((case.params.selects, case.params.has_cam and case.params.tag_width > 31), set())
        of_these |= {kind_of(new_state(case.params, switches)) for switches in (1, 3)}
    plain = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
    widest = SwitchParams(**plain, ports=9, vcs=9)
    kinds[False, False].add(kind_of(new_state(widest, 3, batched=True)))
    assert [len(of_these) for of_these in kinds.values()] == [1] * len(kinds)


@compiled
def _raises(number: int) -> int:
    if number > 3:
        raise ValueError("more than three")
    return number


@compiled
def _many(flag: bool, ratio: float, word: int, small: int = 4) -> tuple[int, float, bool, int]:
    return small + 1, ratio / 2, not flag, word >> 1


@compiled
def _no_number(numbers: np.ndarray) -> np.ndarray:
    return numbers


def test_exceptions_come_through() -> None:
    assert _raises(3) == 3
    with pytest.raises(ValueError, match="more than three"):
        _raises(4)


@pytest.mark.parametrize("flag", [True, np.False_])
def test_results_of_several_kinds(flag: bool) -> None:
    assert _many(flag, 0.5, np.uint64(1 << 63)) == (5, 0.25, not flag, 1 << 62)
    assert _many(flag, np.float64(3), -2, small=np.int8(-1)) == (0, 1.5, not flag, -1)
    with pytest.raises(TypeError, match="_many takes flag, ratio, word, small"):
        _many(flag, word=1)


def test_what_cannot_be_returned_is_refused() -> None:
    with pytest.raises(CompilationError, match="returns numbers, booleans and tuples of them"):
        _no_number(np.arange(3))


@pytest.mark.parametrize("value", [None, "text", [1, 2], {}])
def test_what_is_no_argument_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no argument of a compiled function"):
        popcount(value)  # type: ignore[arg-type]


WARM = """
import sys
from models.jit.sets import popcount
assert popcount(0b1011) == 3
print("numba" in sys.modules)
"""


def test_what_is_on_disk_needs_no_compiler() -> None:
    popcount(1)
    run = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


BOUNDS = """
import numpy as np
from models.jit.compiled import compiled

@compiled
def fourth(numbers: np.ndarray) -> int:
    return numbers[3]

try:
    print(fourth(np.arange(8)[:3]))
except IndexError as error:
    print(error)
"""


@pytest.mark.parametrize(("check", "printed"), [("0", "3\n"), ("1", "index is out of bounds\n")])
def test_bounds_are_checked_when_asked_for(check: str, printed: str, tmp_path: Path) -> None:
    """Code with bounds checks and code without are stored separately."""
    (tmp_path / "bounds.py").write_text(BOUNDS)
    environment = os.environ | {"NUMBA_BOUNDSCHECK": check, "XDG_CACHE_HOME": str(tmp_path)}
    for _ in range(2):  # compiled, and from disk
        run = subprocess.run(
            [sys.executable, tmp_path / "bounds.py"],
            env=environment | {"PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == printed
