"""Components declare the registers of the model; what sums them knows none by name."""

import ast
import os
import shutil
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from models.components import COMPONENTS, FIELDS, RECORDS, REGISTERS
from models.node import terminal
from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.state.declare import Array, Made, Sizes
from sim.engine import state as engine_state

ROOT = Path(__file__).resolve().parents[3]
MODULES = [*dict.fromkeys(import_module(component.__module__) for component in COMPONENTS), terminal, engine_state]
DTYPES = RECORDS | {
    name: dtype
    for module in MODULES
    for name, dtype in vars(module).items()
    if isinstance(dtype, np.dtype) and dtype.names
}


def test_all_records_are_looked_at():
    assert {"vc", "MISS", "SOURCE", "PACKET", "CLOCK"} <= set(DTYPES)


@pytest.mark.parametrize("name", DTYPES)
def test_field_names_do_not_hide_behind_methods_of_records(name):
    """In plain Python `record.fill` would be numpy's method, not the field."""
    assert [field for field in DTYPES[name].names if hasattr(np.record, field)] == []


def test_a_name_is_declared_once():
    names = Counter(
        name
        for component in COMPONENTS
        for name, register in vars(component).items()
        if isinstance(register, Array | Made)
    )
    assert set(names.values()) == {1}
    assert names.keys() == REGISTERS.keys()


SUMS = ["components.py", "power_up.py", "reset.py", "state/declare.py", "state/placement.py", "state/registers.py"]


@pytest.mark.parametrize("file", SUMS)
def test_what_sums_registers_names_none(file):
    names = {*REGISTERS, *(field.name for fields in FIELDS.values() for field in fields)}
    names -= {*Sizes._fields, *RECORDS}  # parameters of power-up, and the records to which components add fields
    names -= {"history", "latest"}  # kinds of predictors, too
    nodes = list(ast.walk(ast.parse((ROOT / "models" / file).read_text(encoding="utf-8"))))
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    found |= {node.value for node in nodes if isinstance(node, ast.Constant)}
    found |= {node.arg for node in nodes if isinstance(node, ast.keyword)}
    assert not found & names, file


ADDED = {
    "class CamRegisters(Registers):\n": """@compiled_noinline
def added_reset(st: SwitchState, s: int, cycle: int) -> None:
    st.added_apart[s] = cycle + 12


class CamRegisters(Registers):
""",
    "    in_switch = fields(\n": """    added_in_block: np.ndarray = placed(
        Area.COUNTERS, np.int32, PORT, lambda n: (3,), fill=lambda n: np.arange(3)
    )
    added_kept: np.ndarray = placed(Area.REST, np.uint8, SWITCH, fill=8, kept=True)
    added_records = placed(Area.REST, np.dtype([("a", np.int8), ("b", np.int64)]), VC, fill={"b": -3})
    added_apart: np.ndarray = apart(np.int64, SWITCH, fill=5)
    reset = added_reset
    in_switch = fields(
        Field("added_field", np.int16, fill=11),
        Field("added_kept_field", np.int8, fill=lambda n: 8 + n.ports, kept=True),
""",
    "from models.state.declare import ": """from models.jit.compiled import compiled_noinline
from models.state.declare import PORT, SWITCH, VC, apart, placed
from models.state.placement import Area
from models.state.declare import """,
}
LOOK = """
from models.jit.compiled import compiled
from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset

@compiled
def look(st, s, p):
    sw, record = st.switch[s], st.added_records[s, p, 1]
    kept = sw.added_kept_field, int(st.added_kept[s])
    return *kept, sw.added_field, int(st.added_in_block[s, p, 2]), record.a, record.b, int(st.added_apart[s])

@compiled
def write(st, s, p):
    sw, record = st.switch[s], st.added_records[s, p, 1]
    sw.added_kept_field = st.added_kept[s] = sw.added_field = st.added_in_block[s, p, 2] = record.a = record.b = 7
    st.added_apart[s] = 7

st = new_state(SwitchParams(), 2)
print(*look(st, 1, 2))
for s in range(2):
    write(st, s, 2)
reset(st, 1, 1)
print(*look(st, 1, 2))
print(*look(st, 0, 2))
print(st.added_in_block.strides[:2] == st.counters.strides[:2])
"""


def test_a_register_is_added_in_one_file(tmp_path):
    """A register added to a component's file is allocated, reset and readable by compiled code."""
    shutil.copytree(ROOT / "models", tmp_path / "models", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "models" / "route" / "cam.py"
    text = file.read_text(encoding="utf-8")
    for before, after in ADDED.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")
    (tmp_path / "look.py").write_text(LOOK, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    environment.pop("NUMBA_DISABLE_JIT", None)
    told = subprocess.run(
        [sys.executable, "look.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines() == ["13 8 11 2 0 -3 5", "7 7 11 2 0 -3 13", "7 7 7 7 7 7 7", "True"]


def test_a_reset_keeps_what_a_switch_is_and_is_wired_to():
    """Its position, which kind of switch it is, and what it sees of the crossbars ahead; all else is reset."""
    plane = {"routing": "hyper_crossbar", "radix": (3, 3), "ports": 3, "vcs": 3}
    state = new_state(SwitchParams(**plane, adaptive={"kind": "step", "lookahead": True}), 2)
    for s in range(2):
        state.position[s] = 2
        state.switch[s].crossbar = 1
        state.switch[s].held = state.ahead[s] = state.open[s] = 5
    reset(state, 1, 0)
    assert (state.position == 2).all()
    assert (state.switch.crossbar == 1).all()
    assert (state.ahead == 5).all()
    assert state.switch.held.tolist() == [5, 0]
    assert state.open.tolist() == [[5] * 3, [7] * 3]
