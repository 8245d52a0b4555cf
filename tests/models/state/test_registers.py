"""Records of the model's state."""

import numpy as np
import pytest

from models.node import terminal
from models.state import registers as state
from sim.engine import state as engine_state

DTYPES = {
    name: dtype
    for module in (state, terminal, engine_state)
    for name, dtype in vars(module).items()
    if isinstance(dtype, np.dtype) and dtype.names
}


def test_all_records_are_looked_at():
    assert {"VC", "SOURCE", "PACKET", "CLOCK"} <= set(DTYPES)


@pytest.mark.parametrize("name", DTYPES)
def test_field_names_do_not_hide_behind_methods_of_records(name):
    """In plain Python `record.fill` would be numpy's method, not the field."""
    assert [field for field in DTYPES[name].names if hasattr(np.record, field)] == []
