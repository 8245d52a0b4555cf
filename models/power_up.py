"""The state of switches at power-up, from their parameters: what components declare (`models.components`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from models.batched.limits import batch_widths
from models.components import FIELDS, RECORDS, REGISTERS, StateTuple, SwitchState
from models.constants import constants
from models.errors import TsujiError
from models.jit.simd_type import WIDTHS
from models.params import SwitchParams
from models.state.declare import PORT, SWITCH, Array, Sizes, kept_bits
from models.state.layout import Place
from models.state.placement import Area, Indexed, place


def new_state(params: SwitchParams, switches: int = 1, ports: int | None = None, batched: bool = False) -> SwitchState:
    """Return the state of `switches` switches at power-up; reset each before use.

    Parameters
    ----------
    params : SwitchParams
        Parameters of every switch.
    switches : int
        How many.
    ports : int, optional
        Ports of each, if more than `params.ports`: room for neighbours of another kind.
    batched : bool
        Whether they are batched; such as `models.batched.limits.can_batch` allows.

    Returns
    -------
    SwitchState
        Tables are empty; `position` is all 0; all are crossbars if `params.crossbar` is set.

    Raises
    ------
    TsujiError
        If `batched` is set for switches that cannot be batched.
    """
    return new_state_beside(params, switches, ports, batched=batched)[0]


def new_state_beside(
    params: SwitchParams,
    switches: int,
    ports: int | None,
    of_switch: Sequence[Place] = (),
    of_port: Sequence[Place] = (),
    batched: bool = False,
    pin_slots: int = 1,
    others: int = 0,
    parts: bool = False,
) -> tuple[SwitchState, dict[str, np.ndarray]]:
    """Return the state of `switches` switches, and arrays of the caller's that lie beside it in memory.

    Parameters
    ----------
    params, switches, ports, batched
        As in `new_state`.
    of_switch, of_port : sequence of Place
        Arrays [switches, …] next to the registers of a switch, [switches, ports, …] next to those of a port.
    pin_slots : int
        In batches: cycles for which is kept what is visible at pins, a power of two.
    others : int
        In batches: how many others have a pin.
    parts : bool
        Whether threads advance parts of the switches (`models.parts`).

    Returns
    -------
    SwitchState, dict of array
        The arrays by name, all 0.
    """
    n = _sizes(params, switches, ports or params.ports, batched, pin_slots, others, parts)
    wanted = _in_blocks(n)
    names = {each.name for area in wanted.values() for _, each in area}
    wanted[Area.BESIDE_SWITCH] = [(SWITCH, each) for each in of_switch]
    wanted[Area.BESIDE_PORT] = [(PORT, each) for each in of_port]
    arrays, memory = place(n.counts, wanted, batched)
    images = []
    for words, (values, kept) in zip(memory, _at_reset(n, wanted, names), strict=True):
        words[...] = values
        images.append(np.stack((kept, values & ~kept)))
    made: dict[str, Any] = {}
    for name, register in REGISTERS.items():
        made[name] = arrays[name] if name in names else register.make(n, made)
    state: Any = StateTuple(constants(n), *memory, *images, **made)
    return state, {each.name: arrays[each.name] for each in (*of_switch, *of_port)}


def _in_blocks(n: Sizes) -> dict[Area, list[Indexed]]:
    """Return the registers that lie in blocks, by area."""
    wanted: defaultdict[Area, list[Indexed]] = defaultdict(list)
    for name, register in REGISTERS.items():
        if isinstance(register, Array) and register.area is not None and register.built(n):
            wanted[register.area].append((register.of, Place(name, register.type_for(n), register.shape(n))))
    return wanted


def _at_reset(
    n: Sizes, wanted: Mapping[Area, Sequence[Indexed]], names: Collection[str]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for each block of a switch, its words at reset, and a mask of the bits that a reset keeps."""
    one = (1, *n.counts[1:])
    (values, value_words), (kept, kept_words) = place(one, wanted, n.batched), place(one, wanted, n.batched)
    for words in kept_words:
        words[...] = -1  # what is the caller's
    for name in names:
        register = REGISTERS[name]
        assert isinstance(register, Array)
        register.set_at_reset(n, values[name], kept[name])
    for record, fields in FIELDS.items():
        for field in fields if record in names else ():
            values[record][field.name] = field.fill(n) if callable(field.fill) else field.fill
            kept[record][field.name] = kept_bits(kept[record][field.name], field.kept)
    return [(words[0], mask[0]) for words, mask in zip(value_words, kept_words, strict=True)]


def _sizes(
    params: SwitchParams, switches: int, ports: int, batched: bool, pin_slots: int, others: int, parts: bool
) -> Sizes:
    """Return what shapes follow from; refuse switches that cannot be batched."""
    widths = batch_widths(params, ports) if batched else (max(WIDTHS), max(WIDTHS))
    if not all(widths):
        raise TsujiError(
            f"switches of {ports} ports, as these are, cannot be batched (`models.batched.limits.can_batch`)"
        )
    of_vcs, of_outputs = (np.dtype(f"uint{bits}") for bits in widths)
    return Sizes(params, switches, ports, batched, of_vcs, of_outputs, pin_slots, others, parts, RECORDS)
