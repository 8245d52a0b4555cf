"""Declarations of registers: each component has a class of them in its own file.

A declaration says of which type a register is, where it lies in memory, which switches have it, and its value at reset.
`models.components` lists the classes, `models.power_up` creates what they declare, `models.reset` resets it.

Indices are, in this order, switch, port, VC, then position. A register is named as in microarchitecture.md. A "summary"
follows from other registers, and is kept so that a visit costs only what moves. "Scratch" is not kept from cycle to
cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from models.jit.simd_type import batches_of
from models.params import SwitchParams
from models.state.layout import absent, aligned
from models.state.placement import Area

if TYPE_CHECKING:
    from models.components import SwitchState

NOTHING, SWITCH, PORT, VC = range(4)  # what there is one register for: the number of indices that its array begins with


class Sizes(NamedTuple):
    """What the shapes of arrays follow from.

    Attributes
    ----------
    params : SwitchParams
        Parameters of every switch.
    switches, ports : int
        How many switches, and ports of each: at least those of `params`.
    batched : bool
        Whether switches are batched (`models.batched.switch`).
    vc_lanes, output_lanes : data type
        Of a SIMD lane with a set of VCs, or of outputs.
    pin_slots : int
        Batched: cycles for which the flits and credits at pins are kept, a power of two.
    others : int
        Batched: pins of nodes, whose sources get credits.
    parts : bool
        Whether threads advance parts of the switches (`models.parts`).
    records : dict of data type
        Types of the records that components share, by name.
    """

    params: SwitchParams
    switches: int
    ports: int
    batched: bool
    vc_lanes: Any
    output_lanes: Any
    pin_slots: int
    others: int
    parts: bool
    records: Mapping[str, np.dtype]

    @property
    def vcs(self) -> int:
        """VCs of a port."""
        return self.params.vcs

    @property
    def depth(self) -> int:
        """Flits of a VC."""
        return self.params.depth

    @property
    def batches(self) -> int:
        """Batches of switches; 0 if they are not batched."""
        return batches_of(self.switches) if self.batched else 0

    @property
    def counts(self) -> tuple[int, int, int]:
        """Switches, ports of each, VCs of a port."""
        return self.switches, self.ports, self.vcs


Fill = int | Callable[[Sizes], int | np.ndarray]


class Field(NamedTuple):
    """A register that is a field of a record that components share.

    Attributes
    ----------
    name : str
    dtype : numpy data type
    often : bool
        Whether every visit of a switch uses it. Such fields come last, in the cache line of what follows the record.
    fill, kept
        As of `placed`.
    """

    name: str
    dtype: Any
    often: bool = False
    fill: Fill = 0
    kept: bool = False


Fields = tuple[Field, ...]


def fields(*declared: Field) -> Fields:
    """Return the fields that a component declares of a record."""
    return declared


Shape = Callable[[Sizes], tuple[int, ...]]
Condition = Callable[[Sizes], bool]
Reset = Callable[["SwitchState", int, int], None]


class Registers:
    """Base class of what a component declares.

    Arrays are class attributes, declared by `placed`, `apart`, `table`, `number` or `view`, or what calls these.

    Attributes
    ----------
    in_switch, in_input, in_output, in_vc, in_prediction : tuple of Field
        Fields of the records of a switch, an input port, an output port, an input VC, and of the prediction of a port.
    reset : compiled function, optional
        `reset(st, s, cycle)` resets, in switch `s`, what depends on its position or on `cycle`, in which the reset is
        last asserted, and what `apart` declares. All else then has its value at reset.
    """

    in_switch: ClassVar[Fields] = ()
    in_input: ClassVar[Fields] = ()
    in_output: ClassVar[Fields] = ()
    in_vc: ClassVar[Fields] = ()
    in_prediction: ClassVar[Fields] = ()
    reset: ClassVar[Reset | None] = None


class Array(NamedTuple):
    """A register that is an array: what `placed` and `apart` declare."""

    area: Area | None
    dtype: Any
    of: int
    shape: Shape
    built: Condition
    fill: Fill | Mapping[Any, Fill]
    of_batches: bool = False
    kept: bool = False

    def type_for(self, n: Sizes) -> np.dtype:
        """Return the type of an element."""
        found: np.dtype = np.dtype(self.dtype if isinstance(self.dtype, type | np.dtype) else self.dtype(n))
        return found

    def make(self, n: Sizes, made: Mapping[str, Any]) -> np.ndarray:
        """Return it, which is in no block, with its values at power-up."""
        shape = (*n.counts[: self.of], *self.shape(n))
        if self.area is not None:
            return absent(self.type_for(n), len(shape))
        array = aligned(shape if self.built(n) else (0, *shape[1:]), self.type_for(n))
        if self.fill:
            array[...] = self.fill
        return array

    def set_at_reset(self, n: Sizes, values: np.ndarray, kept: np.ndarray) -> None:
        """Write its values at reset, and, as a mask, the bits that a reset keeps."""
        kept[...] = kept_bits(kept, self.kept)
        for name, fill in (self.fill if isinstance(self.fill, Mapping) else {...: self.fill}).items():
            values[name] = fill(n) if callable(fill) else fill


def kept_bits(values: np.ndarray, kept: bool) -> Any:
    """Return an element like those of an array, whatever their type, as a mask: all bits, or none."""
    return np.frombuffer((b"\xff" if kept else b"\0") * values.itemsize, values.dtype)[0]


class Made(NamedTuple):
    """What a function makes: a table, a number or a view."""

    function: Callable[[Sizes, Mapping[str, Any]], Any]
    is_table: bool = False
    viewed: str = ""  # the array of which it is a view

    def make(self, n: Sizes, made: Mapping[str, Any]) -> Any:
        """Return it, given what was made before."""
        return self.function(n, made)


def placed(
    area: Area,
    dtype: Any,
    of: int,
    shape: Shape = lambda n: (),
    built: Condition = lambda n: True,
    fill: Fill | Mapping[Any, Fill] = 0,
    kept: bool = False,
) -> Any:  # whatever the annotation of the register says
    """Declare an array in the block of its switch.

    Parameters
    ----------
    area : Area
        Where it lies.
    dtype : data type or function of Sizes
        Of an element.
    of : int
        SWITCH, PORT or VC: what there is one register for.
    shape : function of Sizes
        Its dimensions behind the indices of switch, port and VC.
    built : function of Sizes, optional
        Whether switches have it. If not, an array of the same type stands for it, which no function may read.
    fill : int, function of Sizes, or dict of these
        Value at power-up and after a reset: of each element, of all of a switch, or of fields of a record.
    kept : bool
        Whether a reset leaves it as it is.
    """
    return Array(area, dtype, of, shape, built, fill, kept=kept)


def apart(
    dtype: Any,
    of: int,
    shape: Shape = lambda n: (),
    built: Condition = lambda n: True,
    fill: int = 0,
    of_batches: bool = False,
) -> Any:
    """Declare an array that lies by itself, and is empty if it is not built.

    Parameters
    ----------
    dtype, of, shape, built
        As of `placed`; `of` may be NOTHING, too.
    fill : int
        Value at power-up; a reset keeps it, but for what the component's `reset` does.
    of_batches : bool
        Whether its elements belong to batches of switches. Other arrays of NOTHING are one for all switches, or for all
        that a thread advances (`models.parts`).
    """
    return Array(None, dtype, of, shape, built, fill, of_batches)


def table(function: Callable[[Sizes], np.ndarray]) -> Any:
    """Declare an array that follows from the parameters: a constant of specialised code (`models.jit.specialise`)."""
    return Made(lambda n, made: function(n), is_table=True)


def number(function: Callable[[Sizes], int]) -> Any:
    """Declare a number that never changes."""
    return Made(lambda n, made: function(n))


def view(name: str, dtype: Any) -> Any:
    """Declare the memory of an array, declared before, as elements of another type."""
    return Made(lambda n, made: made[name].view(dtype), viewed=name)


def shared(record: str) -> Callable[[Sizes], np.dtype]:
    """Return the type of a record that components share, as a function of sizes."""
    return lambda n: n.records[record]


def record_type(fields: Fields) -> np.dtype:
    """Return the type of a record: wide fields first, so that there is no gap; of a width those used often last."""
    ordered = sorted(fields, key=lambda field: (-np.dtype(field.dtype).itemsize, field.often))
    return np.dtype([(field.name, field.dtype) for field in ordered], align=True)
