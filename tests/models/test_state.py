"""Records of the model's state."""

import numpy as np
import pytest

from models import state, terminal
from sim import engine

DTYPES = {
    name: dtype
    for module in (state, terminal, engine)
    for name, dtype in vars(module).items()
    if isinstance(dtype, np.dtype) and dtype.names
}


@pytest.mark.parametrize("name", DTYPES)
def test_field_names_do_not_hide_behind_methods_of_records(name):
    """In plain Python `record.fill` would be numpy's method, not the field."""
    assert [field for field in DTYPES[name].names if hasattr(np.record, field)] == []
