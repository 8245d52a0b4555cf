"""The components whose registers make up the state of a switch: the one list of them.

What a component declares (`models.state.declare`) is summed here: the arrays, the fields of shared records, the resets.
Within an area of memory, registers lie in the order of this list.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from models.allocate.matching import MatchingRegisters
from models.allocate.speculation import SpeculationRegisters
from models.allocate.switch_allocator import SwitchAllocatorRegisters
from models.allocate.vc_allocator import VcAllocatorRegisters
from models.allocate.vc_stage import VcStageRegisters
from models.batched.adaptive import BatchedAdaptiveRegisters
from models.batched.counters import BatchedCounterRegisters
from models.batched.crossbar import BatchedCrossbarRegisters
from models.batched.head_delay import BatchedHeadDelayRegisters
from models.batched.lane_lists import LaneListRegisters
from models.batched.link import BatchedLinkRegisters
from models.batched.lpi import BatchedLpiRegisters
from models.batched.output_sets import OutputSetRegisters
from models.batched.output_unit import BatchedOutputUnitRegisters
from models.batched.route_queue import BatchedRouteQueueRegisters
from models.batched.vc_sets import VcSetRegisters
from models.batched.vc_stage import BatchedVcStageRegisters
from models.buffer.head_delay import HeadDelayRegisters
from models.buffer.vc_buffer import VcBufferRegisters
from models.constants import Constants
from models.counters import CounterRegisters
from models.jit.struct_pointer import struct_pointer
from models.power.lpi import LpiRegisters
from models.predict.bypass import BypassRegisters
from models.predict.predictor import PredictorRegisters
from models.route.adaptive import AdaptiveRegisters
from models.route.cam import CamRegisters
from models.route.header import HeaderRegisters
from models.route.hyper_crossbar import HyperCrossbarRegisters
from models.route.linear_table import LinearTableRegisters
from models.route.lookahead import LookaheadRegisters
from models.route.miss_unit import MissUnitRegisters
from models.route.reservation import ReservationRegisters
from models.route.route_cache import RouteCacheRegisters
from models.route.route_queue import RouteQueueRegisters
from models.route.route_table import RouteTableRegisters
from models.route.route_unit import RouteUnitRegisters
from models.route.ternary_table import TernaryTableRegisters
from models.route.wake_hint import WakeHintRegisters
from models.state.declare import Array, Field, Made, Registers, Reset, record_type
from models.state.owners import OwnersRegisters
from models.state.records import SharedRecords
from models.transfer.crossbar import CrossbarRegisters
from models.transfer.link import LinkRegisters
from models.transfer.output_buffer import OutputBufferRegisters
from models.transfer.output_queue import OutputQueueRegisters
from models.transfer.output_unit import OutputUnitRegisters


class SwitchState(
    SharedRecords,
    CounterRegisters,
    VcBufferRegisters,
    HeadDelayRegisters,
    OwnersRegisters,
    HeaderRegisters,
    RouteQueueRegisters,
    RouteUnitRegisters,
    RouteCacheRegisters,
    MissUnitRegisters,
    CamRegisters,
    LinearTableRegisters,
    RouteTableRegisters,
    TernaryTableRegisters,
    HyperCrossbarRegisters,
    AdaptiveRegisters,
    LookaheadRegisters,
    ReservationRegisters,
    WakeHintRegisters,
    PredictorRegisters,
    BypassRegisters,
    VcAllocatorRegisters,
    SwitchAllocatorRegisters,
    MatchingRegisters,
    VcStageRegisters,
    SpeculationRegisters,
    CrossbarRegisters,
    OutputUnitRegisters,
    OutputBufferRegisters,
    OutputQueueRegisters,
    LinkRegisters,
    LpiRegisters,
    VcSetRegisters,
    OutputSetRegisters,
    BatchedAdaptiveRegisters,
    LaneListRegisters,
    BatchedLinkRegisters,
    BatchedRouteQueueRegisters,
    BatchedHeadDelayRegisters,
    BatchedVcStageRegisters,
    BatchedCrossbarRegisters,
    BatchedLpiRegisters,
    BatchedOutputUnitRegisters,
    BatchedCounterRegisters,
):
    """State of many equal switches, as arrays of records: what the registers and memories of the RTL hold.

    Index order everywhere: switch, port, VC, then position.
    """

    k: Constants
    # memory of the blocks of `models.state.placement`, [switches, words]
    block: np.ndarray
    second_block: np.ndarray
    rest: np.ndarray
    # [2, words]: the bits that a reset keeps, and the values of all others
    block_at_reset: np.ndarray
    second_block_at_reset: np.ndarray
    rest_at_reset: np.ndarray


COMPONENTS: tuple[type[Registers], ...] = SwitchState.__bases__
RECORD_NAMES = ("switch", "input", "output", "vc", "prediction")

REGISTERS: dict[str, Array | Made] = {
    name: register
    for component in COMPONENTS
    for name, register in vars(component).items()
    if isinstance(register, Array | Made)
}
FIELDS: dict[str, tuple[Field, ...]] = {
    record: sum((getattr(component, f"in_{record}") for component in COMPONENTS), ()) for record in RECORD_NAMES
}
RECORDS = {record: record_type(fields) for record, fields in FIELDS.items()}
RESETS: list[Reset] = [component.reset for component in COMPONENTS if component.reset is not None]
TABLES = tuple(name for name, register in REGISTERS.items() if isinstance(register, Made) and register.is_table)

# What a `SwitchState` is when it runs: compiled functions take a named tuple.
StateTuple: Any = struct_pointer(namedtuple("StateTuple", (*SwitchState.__annotations__, *REGISTERS)))
