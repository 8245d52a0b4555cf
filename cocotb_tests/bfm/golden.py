"""Golden model of one switch for benches: reset state, and conversions between its numbers and those of ports.

The model keeps tags as signed 64-bit integers, and a route as one word (models/route/route_queue.py); ports carry
unsigned numbers in the layouts of models/formats.py. This file has conversions only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cocotb_tests.bfm.lockstep import Expected, Partly
from models import formats
from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.route.linear_table import linear_program
from models.route.route_table import table_program
from models.route.ternary_table import ternary_program
from models.state.registers import SwitchState
from models.state.route_word import route_choices, route_drop, route_first, route_last, route_out, route_word


def power_up(params: SwitchParams, position: Sequence[int] = ()) -> SwitchState:
    """Return the state of one switch, with computed routes at `position`, in reset until the cycle before cycle 0."""
    state = new_state(params)
    if position:
        state.position[0] = position
    reset(state, 0, -1)
    return state


def signed(value: int) -> Any:
    """Return an unsigned number of up to 64 bits as the model's int64, whose shifts wrap as in compiled code."""
    return np.uint64(value).astype(np.int64)


def unsigned(value: int, bits: int) -> int:
    """Return a number of the model as a port of `bits` bits carries it."""
    return int(value) & ((1 << bits) - 1)


def port_answer(params: SwitchParams) -> formats.Layout:
    """Return the layout of a CAM answer as the requesting port sees it: all fields but the port."""
    return tuple(field for field in formats.cam_answer(params) if field.name != "port")


def program(params: SwitchParams, state: SwitchState, payload: int) -> None:
    """Write an entry of the switch's table as the programming operation `payload` says."""
    fields = formats.unpack(formats.program(params), payload)
    tag, found = signed(fields.pop("tag")), fields.pop("found")
    if params.ternary:
        mask, number = signed(fields.pop("mask")), fields.pop("entry")
        ternary_program(state, 0, number, tag, mask, found, route_word(**fields, drop=0))
        return
    enter = linear_program if params.linear else table_program
    enter(state, 0, tag, found, route_word(**fields, drop=0))


def word(params: SwitchParams, route: int, drop: int = 0) -> int:
    """Return the model's word of a route that a port without `drop` carries."""
    return int(route_word(**formats.unpack(formats.route(params), route), drop=drop))


def fields(params: SwitchParams, word: int) -> dict[str, int]:
    """Return the fields of a route word of the model, named as in `models.formats.route`."""
    word = int(word)
    values = {"out": int(route_out(word)), "vc_first": int(route_first(word)), "vc_last": int(route_last(word))}
    if params.selects:
        values["choices"] = int(route_choices(word)) & ((1 << params.ports) - 1)
    return values


def route(params: SwitchParams, word: int) -> int:
    """Return a route word of the model as a port without `drop` carries it."""
    return formats.pack(formats.route(params), fields(params, word))


def route_or_drop(params: SwitchParams, word: int) -> int:
    """Return a route word of the model as a port with `drop` carries it."""
    return formats.pack(formats.route_or_drop(params), {**fields(params, word), "drop": int(route_drop(int(word)))})


def wake_hint_word(params: SwitchParams, hops: int, destination: int) -> int:
    """Return a wake hint of the model as its channel carries it; its hops must be 0 if it has no such field."""
    layout = formats.wake_hint(params)
    values = {"hops": hops, "destination": unsigned(destination, params.address_bits)}
    assert len(layout) == len(values) or not hops
    return formats.pack(layout, {field.name: values[field.name] for field in layout})


def if_followed(params: SwitchParams, word: int) -> Expected:
    """Return the expected value of a port with `drop` for a route word: of a dropped route, only the drop bit."""
    packed = route_or_drop(params, word)
    drop = formats.pack(formats.route_or_drop(params), {**fields(params, 0), "drop": 1})
    return Partly(drop, drop) if packed & drop else packed


def open_route(params: SwitchParams, word: int, tag: int) -> Expected:
    """Return a route word before the adaptive choice, for a packet to `tag`, as `hdl.formats.open_route`."""
    ports, bits = params.ports, params.vc_bits
    if route_drop(int(word)):
        return Partly(0, (1 << ports) - 1)
    values = fields(params, word)
    packed = (
        1 << values["out"] | (values["choices"] | (values["vc_first"] | values["vc_last"] << bits) << ports) << ports
    )
    target = tag & ((1 << sum(params.coordinate_bits)) - 1) if params.lookahead else 0
    return packed | target << (2 * ports + 2 * bits)


def front_route(params: SwitchParams, word: int) -> Expected:
    """Return a route word as the allocators get it, as `hdl.formats.front_route`; of a dropped route, no output."""
    values = fields(params, word)
    every_output = (1 << params.ports) - 1
    if route_drop(int(word)):
        return Partly(0, every_output)
    want = 1 << values["out"]
    return want | (values["vc_first"] | values["vc_last"] << params.vc_bits) << params.ports
