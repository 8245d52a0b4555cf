from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import formats
from models.formats import Layout
from models.params import SwitchParams

LAYOUTS: list[Callable[[SwitchParams], Layout]] = [
    formats.flit,
    formats.credit,
    formats.route,
    formats.route_or_drop,
    formats.cam_request,
    formats.cam_answer,
    formats.program,
    formats.cam_entry,
]

switches = st.builds(
    SwitchParams,
    ports=st.integers(2, 62),
    vcs=st.integers(1, 16),
    data_width=st.integers(8, 512),
    depth=st.integers(8, 16),
    tag_width=st.integers(16, 64),
)


@given(params=switches, layout=st.sampled_from(LAYOUTS), data=st.data())
def test_pack_and_unpack_are_inverse(params: SwitchParams, layout: Callable, data: st.DataObject) -> None:
    fields = layout(params)
    values = {field.name: data.draw(st.integers(0, (1 << field.width) - 1)) for field in fields}
    word = formats.pack(fields, values)
    assert 0 <= word < 1 << formats.width(fields)
    assert formats.unpack(fields, word) == values


@given(params=switches, layout=st.sampled_from(LAYOUTS), data=st.data())
def test_unpack_and_pack_are_inverse(params: SwitchParams, layout: Callable, data: st.DataObject) -> None:
    fields = layout(params)
    word = data.draw(st.integers(0, (1 << formats.width(fields)) - 1))
    assert formats.pack(fields, formats.unpack(fields, word)) == word


def test_first_field_is_lowest() -> None:
    fields = formats.flit(SwitchParams())
    assert formats.pack(fields, {"vc": 1, "tail": 0, "data": 0}) == 1
    assert formats.pack(fields, {"vc": 0, "tail": 1, "data": 0}) == 2
    assert formats.pack(fields, {"vc": 0, "tail": 0, "data": 5}) == 5 << 2


def test_refusals_name_the_field() -> None:
    fields = formats.flit(SwitchParams())
    with pytest.raises(ValueError, match="vc = 2: must fit 1 bits, 0 to 1"):
        formats.pack(fields, {"vc": 2, "tail": 0, "data": 0})
    with pytest.raises(ValueError, match="tail = -1"):
        formats.pack(fields, {"vc": 0, "tail": -1, "data": 0})
    with pytest.raises(ValueError, match=r"the layout has \['data', 'tail', 'vc'\]"):
        formats.pack(fields, {"vc": 0, "tail": 0})


def test_cam_entry_has_twelve_bytes() -> None:
    assert formats.width(formats.cam_entry(SwitchParams())) == 96
