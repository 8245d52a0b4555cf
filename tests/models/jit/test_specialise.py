"""Constants of specialised code equal what ordinary code loads from the state."""

from typing import NamedTuple

import numpy as np
import pytest

from models.components import TABLES
from models.jit.compiled import compiled
from models.jit.native_types import kind_of
from models.jit.specialise import Known, pins
from models.jit.struct_pointer import struct_pointer
from models.params import SwitchParams
from models.power_up import new_state_beside
from models.state.layout import Place
from models.state.registers import SwitchState

SMALL = SwitchParams(ports=3, vcs=2, depth=2)
LARGE = SwitchParams(routing="dimension_order", radix=(4, 4), vcs=4, depth=8)
CURRENT = ("switches", "switch")


@struct_pointer
class Tree(NamedTuple):
    """A state within another tuple, as in the engine, beside an array."""

    number: int
    switches: SwitchState
    beside: np.ndarray


def tree(params: SwitchParams, switches: int = 3) -> Tree:
    """Return a state in which all numbers differ."""
    state, near = new_state_beside(params, switches, None, of_port=(Place("beside", np.int64, (2,)),))
    numbered = state.credits, state.flits, state.routes, state.counters, state.position, near["beside"]
    for number, array in enumerate(numbered):
        array[...] = np.arange(array.size).reshape(array.shape) + 100 * number
    for number, column in enumerate((state.switch.taken, state.vc.count, state.input.vc_order, state.output.free)):
        column[...] = np.arange(column.size).reshape(column.shape) * 3 + number
    return Tree(7, state, near["beside"])


def known(whole: Tree) -> Tree:
    """Return the same state with parameters and addresses as constants."""
    tables = {name: getattr(whole.switches, name) for name in TABLES}
    return whole._replace(
        switches=whole.switches._replace(k=Known(whole.switches.k, pins(whole, CURRENT), tables))  # type: ignore[arg-type]
    )


@compiled
def touch(whole: Tree, s: int, p: int, v: int) -> int:  # compiled for both kinds of state
    """Read and write all arrays."""
    st = whole.switches
    total = st.k.ports * 1_000_000 + st.k.depth * 10_000 + (500_000 if st.k.hold else 0)
    total += st.switch[s].taken + st.input[s, p].vc_order + st.output[s, p].free + st.vc[s, p, v].count
    total += st.credits[s, p, v] + st.flits[s, p, v, st.k.depth - 1] + st.routes[s, p, v, 1] + whole.beside[s, p, 1]
    total += st.credits[-1, p, -1] + st.flits[s][p, v, 0] + len(st.vc) + len(st.routes[s, p])
    total += st.credits.size + st.vc.size
    for d in range(len(st.radix)):
        total += st.radix[d] * st.position[s, d] + st.coordinate_bits[d]
    st.counters[s, p, 5:] = total
    st.vc[s, p, v].read = 9
    st.counters[s, p, 3] += 5
    whole.beside[s, p, 0] = whole.number
    return total


@pytest.mark.parametrize("params", [SMALL, LARGE])
def test_known_and_looked_up(params: SwitchParams) -> None:
    """The same elements are read and written, for every switch, port and VC."""
    one, other = tree(params), tree(params)
    for s, p, v in np.ndindex(3, params.ports, params.vcs):
        assert touch(known(one), s, p, v) == touch(other, s, p, v)
    for name in ("vc", "counters", "flits", "switch"):
        assert np.array_equal(getattr(one.switches, name), getattr(other.switches, name)), name
    assert np.array_equal(one.beside, other.beside)
    assert (one.switches.vc.read == 9).all()


def test_a_type_for_each_switch() -> None:
    """Other parameters give another type, more switches do not."""
    kinds = [kind_of(known(each).switches.k) for each in (tree(SMALL), tree(SMALL, 5), tree(LARGE))]
    assert kinds[0] == kinds[1] != kinds[2]
    other = tree(LARGE)
    other.switches.radix[0] += 1
    assert kind_of(known(other).switches.k) != kinds[2]
    assert kind_of(known(other)) != kind_of(known(tree(LARGE))) != kind_of(tree(LARGE))


def test_pins() -> None:
    """All arrays of the block have constant offsets, the first one is listed first, and no other array is."""
    found = pins(tree(SMALL), CURRENT)
    near = {
        "block",
        "switch",
        "input",
        "output",
        "credits",
        "counters",
        "vc",
        "flits",
        "routes",
        "position",
        "requests",
        "filled",
    }
    assert {pin.path for pin in found} == {("switches", name) for name in near} | {("beside",)}
    assert found[0].path == CURRENT
    assert found[0].offset == 0


def test_fields_of_known() -> None:
    """In Python the fields of a `Known` are read as those of its tuple."""
    state = tree(LARGE).switches
    assert Known(state.k).depth == 8
    with pytest.raises(AttributeError):
        _ = Known(state.k).colour
