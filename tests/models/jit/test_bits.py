"""Bit masks and indices, compiled and as plain Python."""

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from models.jit.bits import assume_u32, count_trailing_zeros, each_member, mask_from_bit
from models.jit.compiled import compiled
from models.jit.sets import popcount

KINDS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)


@compiled
def _index(values: np.ndarray) -> int:  # compiled for every kind
    return assume_u32(values[0])


@pytest.mark.parametrize("kind", KINDS)
def test_index_keeps_every_number_from_0(kind: type[np.integer]) -> None:
    """Of all widths, up to the greatest number below 2^32."""
    for number in (0, 1, 77, min(np.iinfo(kind).max, (1 << 32) - 1)):
        assert _index(np.array([number], kind)) == assume_u32(kind(number)) == number


@pytest.mark.parametrize("number", [-1, 1 << 32])
def test_index_of_what_is_none(number: int) -> None:
    """Plain Python detects misuse, which compiled code cannot."""
    with pytest.raises(AssertionError):
        assume_u32(number)


@compiled
def _masked(bits: np.ndarray, number: int) -> int:  # compiled for every kind
    return number & mask_from_bit(bits[0])


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_masks_of_a_bit(kind: type[np.integer]) -> None:
    """All bits, or none."""
    for bit in (0, 1):
        expected = (0x5A5A << 40) * bit
        assert _masked(np.array([bit], kind), 0x5A5A << 40) == expected == 0x5A5A << 40 & mask_from_bit(bit)


def test_masks() -> None:
    """Lowest bit, number of bits."""
    assert [count_trailing_zeros(mask) for mask in (1, 0b1100, 1 << 62)] == [0, 2, 62]
    assert [popcount(mask) for mask in (0, 0b1011, (1 << 40) - 1)] == [0, 3, 40]


@compiled
def _visited(masks: np.ndarray, stop: int, found: np.ndarray) -> int:
    """Write the members of each mask, in order, up to one after `stop` in it; return how many. Compiled per kind."""
    count = 0
    for k in range(len(masks)):
        mask = masks[k]
        for member in each_member(mask):
            mask = 0  # of no effect on the loop
            for other in each_member(masks[0]):
                if other == 2:
                    continue
                found[count] = 100 * member + other
                count += 1
            if member == stop:
                break
        count += int(mask)
    return count


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compiles", [True, False])
def test_members_of_sets_are_visited_in_order(kind: type[np.integer], compiles: bool) -> None:
    """Loops within loops, left and gone on with, over an empty set, and while a mask changes."""
    found = np.zeros(20, np.int64)
    visit = _visited if compiles else getattr(_visited, "py_func", _visited)
    count = visit(np.array([0b10110, 0, 0b1001001], kind), 4, found)
    assert found[:count].tolist() == [101, 104, 201, 204, 401, 404, 1, 4, 301, 304, 601, 604]


def test_members_of_every_bit() -> None:
    """Up to the highest that a word may have."""
    assert list(each_member(0)) == []
    assert list(each_member((1 << 63) - 1)) == list(range(63))
    found = np.zeros(64, np.int64)
    assert _visited(np.array([1, (1 << 63) - 1]), -1, found) == 64
    assert found.tolist() == [0, *range(0, 6300, 100)]


def _clears_lowest(node: ast.AST) -> Iterator[ast.AST]:
    """Give the operations `x & (x - 1)` and `x &= x - 1` in loops of a function."""
    for loop in ast.walk(node):
        if not isinstance(loop, ast.While | ast.For):
            continue
        for each in ast.walk(loop):
            match each:
                case (
                    ast.AugAssign(target=left, op=ast.BitAnd(), value=right)
                    | ast.BinOp(left=left, op=ast.BitAnd(), right=right)
                ):
                    if ast.unparse(right) == f"{ast.unparse(left)} - 1":
                        yield each


def test_sets_are_looped_over_in_one_way() -> None:
    """No loop of the model or of the simulator clears the lowest bit of a mask by hand: `each_member` does."""
    root = Path(__file__).parents[3]
    found = [
        f"{path.relative_to(root)}: {function.name}"
        for path in (*root.glob("models/**/*.py"), *root.glob("sim/**/*.py"))
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and any(_clears_lowest(function))
    ]
    assert found == ["models/jit/bits.py: each_member"]
