from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import formats
from models.formats import Layout
from models.params import SwitchParams
from models.route.dimension_order import encode

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


def test_the_tag_is_laid_out_as_routes_read_it() -> None:
    params = SwitchParams(ports=7, routing="dimension_order", radix=(5, 8))
    fields = formats.tag(params)
    assert formats.width(fields) == params.tag_width
    word = formats.pack(fields, {"x_0": 4, "x_1": 6, "local": 2, "unused": 0})
    assert word == encode((4, 6), 2, params.coordinate_bits) == 4 | 6 << 3 | 2 << 6
    assert formats.position(params) == fields[:2]


def test_bits_that_decide_ties_are_the_lowest_of_the_tag() -> None:
    params = SwitchParams(ports=7, routing="dimension_order", radix=(5, 8, 4), wrap=True, ties="random")
    widths = [(field.name, field.width) for field in formats.tag(params)]
    assert widths == [("tie_0", 1), ("tie_1", 1), ("x_0", 3), ("x_1", 3), ("x_2", 2), ("unused", 6)]
    assert sum(width for _, width in widths[:-1]) == params.address_bits


def test_tags_of_tables_are_one_number() -> None:
    (field,) = formats.tag(SwitchParams(routing="linear", table_entries=8))
    assert (field.width, field.meaning) == (16, "entry of the table; 8 or more: dropped")
    (field,) = formats.tag(SwitchParams(tag_width=20))
    assert (field.name, field.width) == ("tag", 20)


def test_a_header_carries_the_tag_from_its_lowest_bits_on() -> None:
    assert formats.header(SwitchParams(tag_width=20, data_width=8)) == ((7, 0), (15, 8), (19, 16))
    assert formats.header(SwitchParams(tag_width=16, data_width=64)) == ((15, 0),)
