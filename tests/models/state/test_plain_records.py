"""Records of plain Python are read and written like numpy record arrays."""

import numpy as np
import pytest

from models.state.plain_records import plain_records

PAIR = np.dtype([("x", np.int32), ("y", np.int16)], align=True)


def _both() -> tuple[np.recarray, np.ndarray]:
    memory = np.arange(24, dtype=np.int32)
    return memory.copy().view(PAIR).reshape(3, 4).view(np.recarray), plain_records(memory.view(PAIR).reshape(3, 4))


def test_fields_of_a_record_are_those_of_the_array() -> None:
    ours = _both()[1]
    ours[1, 2].x = 7
    ours[1, 2].y += 5
    assert ours["x"][1, 2] == 7
    assert ours[1, 2].y == ours["y"][1, 2] == 13 + 5
    kept = ours[1, 2]
    ours["y"][1, 2] = 3
    assert kept.y == 3  # a record is a view, not a copy


@pytest.mark.parametrize("places", [..., 1, (slice(None), 2), np.array([0, 2])])
def test_as_a_recarray(places: object) -> None:
    theirs, ours = _both()
    assert np.array_equal(theirs[places].x, ours[places].x)
    theirs[places].y = 9
    ours[places].y = 9
    theirs[0, 0] = theirs[2, 3]
    ours[0, 0] = ours[2, 3]
    assert np.array_equal(theirs.view(np.ndarray).tolist(), ours.view(np.ndarray).tolist())


def test_what_is_no_field() -> None:
    ours = _both()[1]
    assert ours.shape == (3, 4)
    with pytest.raises(AttributeError, match="z"):
        _ = ours.z  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = ours[0, 0].z
    with pytest.raises(AttributeError):
        ours[0, 0].z = 1
