"""Layout of the state in memory: arrays do not overlap, and the data of a switch is contiguous."""

from collections.abc import Sequence

import numpy as np
import pytest

from models.jit.native_types import is_strided, kind_of
from models.params import SwitchParams
from models.params.parts import MAX_PORTS
from models.power_up import new_state
from models.state.layout import LINE, Place, aligned, blocks

PAIR = np.dtype([("x", np.int32), ("y", np.int16)], align=True)
COUNTS = (3, 4, 2)
LEVELS = (
    [Place("alone", np.int64)],
    [Place("pair", PAIR), Place("narrow", np.int16, (3,)), Place("wide", np.int64, (9,))],
    [Place("byte", np.int8), Place("table", np.int32, (2, 5))],
)


def test_nothing_overlaps() -> None:
    """Writing an element changes no other element."""
    arrays, memory = blocks(COUNTS, LEVELS)
    for number, array in enumerate(arrays.values()):
        array.view(np.ndarray)[...] = (
            np.array(number + 1).astype(array.dtype) if array.dtype.names is None else number + 1
        )
    for number, (name, array) in enumerate(arrays.items()):
        columns = [array[field] for field in array.dtype.names] if array.dtype.names else [array]
        assert all((column == number + 1).all() for column in columns), name
    memory[1] = 0
    assert [not np.any(arrays["wide"][s]) for s in range(3)] == [False, True, False]


def test_shapes_and_lines() -> None:
    """Arrays have the shapes requested, ports and VCs begin at cache lines, a switch is one block."""
    arrays, memory = blocks(COUNTS, LEVELS)
    assert {name: array.shape for name, array in arrays.items()} == {
        "alone": (3,),
        "pair": (3, 4),
        "narrow": (3, 4, 3),
        "wide": (3, 4, 9),
        "byte": (3, 4, 2),
        "table": (3, 4, 2, 2, 5),
    }
    assert isinstance(arrays["pair"], np.recarray)
    for first in ("alone", "pair", "byte"):
        assert arrays[first].ctypes.data % LINE == 0
        assert all(stride % LINE == 0 for stride in arrays[first].strides)
    (stride,) = {array.strides[0] for array in arrays.values()}
    assert stride // LINE % 2 == 1  # so that the same line of all switches spreads over all sets of a cache
    assert memory.shape == (3, stride // memory.itemsize)
    (port,) = {arrays[name].strides[1] for name in ("pair", "wide", "byte", "table")}
    assert port >= arrays["byte"].strides[2] * COUNTS[2]


@pytest.mark.parametrize("kind", [np.int64, PAIR])
def test_aligned(kind: np.dtype) -> None:
    """Zeroed arrays begin at a cache line, empty ones included."""
    for shape in ((0,), (5,), (3, 7)):
        array = aligned(shape, kind)
        assert array.shape == shape
        assert array.ctypes.data % LINE == 0 or not array.size
        assert not np.any(array.view(np.uint8) if array.size else array.size)


@pytest.mark.parametrize(
    ("batched", "ports"), [(False, range(5, MAX_PORTS + 1)), (True, (5, 7)), (True, range(8, 16))], ids=str
)
def test_numbers_of_ports_do_not_change_types(batched: bool, ports: Sequence[int]) -> None:
    """Compiled code serves switches of any size, but for the width of SIMD lanes."""
    switches = [SwitchParams(ports=each, routing="dimension_order", radix=(3, 3)) for each in ports]
    assert len({kind_of(new_state(each, count, batched=batched)) for each in switches for count in (1, 2)}) == 1


def test_a_block_of_nothing_takes_no_memory() -> None:
    assert blocks(COUNTS, ([], [], []))[1].shape == (COUNTS[0], 0)


def test_an_array_that_fills_its_block_is_a_strided_view() -> None:
    """Such an array must have the type that it has in a larger block."""
    for words in range(1, 40):
        arrays, memory = blocks((2,), ([Place("alone", np.int64, (words,))],))
        assert is_strided(arrays["alone"]), words
        assert memory.shape[1] > words
