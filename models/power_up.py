"""The state of switches at power-up, from their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from models.batched.crossbar import GRANTS, SCRATCH
from models.batched.lane_lists import LISTS, list_room
from models.batched.link import DUE_WORD, due_words, other_words, pin_shift
from models.batched.output_sets import output_sets_of
from models.batched.vc_sets import batch_widths, counts_of, credit_bits, sets_of
from models.errors import TsujiError
from models.jit.simd_type import LANES, WIDTHS, batches_of
from models.params import SwitchParams, index_width
from models.route.crc_hash import crc_rows
from models.state.layout import Place, absent, aligned
from models.state.placement import registers
from models.state.registers import (
    ADAPTIVE,
    DETERMINISTIC,
    ENTRY,
    FIFO,
    LONG_AGO,
    LOOKUP,
    LPI,
    LRU,
    MISS,
    NO_PORT,
    PLRU,
    PREDICTION,
    PREDICTORS,
    SENT,
    WAY,
    Constants,
    SwitchState,
    delay_slots,
)
from models.state.vc_set import vc_shift, vc_words


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask


def constants(params: SwitchParams, batched: bool = False) -> Constants:
    """Return the parameters in the form that compiled functions read; `batched`: 64 switches advance at once."""
    return Constants(
        ports=params.ports,
        vcs=params.vcs,
        vc_shift=vc_shift(params.vcs),
        vc_words=vc_words(params.ports, params.vcs),
        depth=params.depth,
        data_width=params.data_width,
        header_flits=params.header_flits,
        tag_mask=_signed((1 << params.tag_width) - 1),
        credit_need=params.credit_need,
        choice_need=params.choice_need,
        static=params.buffering == "static",
        hold=params.hold_packets,
        u_turn=params.u_turn,
        matrix=params.arbiter == "matrix",
        batched=batched,
        batch_vectors=0,
        batch_counts=0,
        batch_output_vectors=0,
        credit_bits=credit_bits(params.depth) if batched else 0,
        pin_shift=0,
        matching=params.matching and not batched,
        ports_first=params.allocator == "ports_first",
        table=params.has_cam,
        linear=params.linear,
        cached=params.has_cache,
        sets=params.cache.sets,
        ways=params.cache.ways,
        policy={"lru": LRU, "plru": PLRU, "fifo": FIFO}[params.cache.policy],
        crc_degree=params.cache.crc_degree,
        cam_latency=params.cam.latency,
        cam_occupancy=params.cam.occupancy,
        table_mask=params.programmed_entries - 1,
        dimensions=len(params.radix),
        wrap=sum(1 << d for d, ring in enumerate(params.rings) if ring),
        fixed_classes=params.ring_classes == "fixed",
        local_ports=params.local_ports,
        local_bits=params.local_bits,
        tie_bits=params.tie_bits,
        lpi=params.lpi is not None,
        refresh_interval=params.lpi.refresh_interval if params.lpi else 0,
        refresh=params.lpi.refresh if params.lpi else 0,
        predict=params.prediction is not None,
        predictor=PREDICTORS[params.prediction.kind] if params.prediction else 0,
        straight_ports=params.straight_ports,
        port_bits=params.port_bits,
        hyper=params.routing == "hyper_crossbar",
        hypercube=params.routing == "hypercube",
        fold=params.fold or 0,
        adaptive=ADAPTIVE[params.adaptive.kind] if params.adaptive else DETERMINISTIC,
        by_credits=params.adaptive is not None and params.adaptive.selection == "credits",
        by_route=params.adaptive is not None and params.adaptive.selection == "route",
        escape_vcs=params.escape_vcs,
        lookahead=params.lookahead,
        reserves=params.reserves,
        head_delay=params.head_delay,
        delay_slots=delay_slots(params.head_delay) if params.head_delay else 0,
        vc_stage=params.vc_stage,
        vc_input_first=params.vc_allocator == "input_first",
        claims_full=params.claims_full,
        speculates=params.speculates,
        behind=params.speculation == "behind",
        stage_delay=params.stage_delay,
        speedup=params.speedup,
        output_flits=params.output_flits,
        node_ports=params.node_ports,
        first_local=params.first_local,
    )


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
        Whether they are batched; such as `models.batched.vc_sets.can_batch` allows.

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

    Returns
    -------
    SwitchState, dict of array
        The arrays by name, all 0.
    """
    s, p, v, d = switches, ports or params.ports, params.vcs, params.depth
    cam = s if params.has_cam else 0
    cached = s if params.has_cache else 0
    matrix = s if params.arbiter == "matrix" else 0
    matching = params.matching and not batched
    lpi = params.lpi
    port_bits = index_width(p)
    context_bits = params.context_bits // params.port_bits * port_bits
    adaptive = s if params.adaptive else 0
    words = vc_words(p, v)
    widths = batch_widths(params, p) if batched else (max(WIDTHS), max(WIDTHS))
    if not all(widths):
        raise TsujiError(f"switches of {p} ports, as these are, cannot be batched (`models.batched.vc_sets.can_batch`)")
    batch_count = batches_of(s) if batched else 0
    batch = LANES if batched else 0
    of_vcs, of_outputs = (np.dtype(f"uint{bits}") for bits in widths)
    heads = s * p * v if batched else 0
    due = np.zeros(due_words(batch_count), np.int64)
    pins_due = np.zeros(pin_slots * (len(due) + other_words(others)), np.int64)
    arrays: Any = registers(params, (s, p, v), of_switch, of_port, batched)
    if batched:
        arrays["batch_asked"][:] = -1
    arrays["switch"].crossbar = NO_PORT if params.crossbar is None else params.crossbar
    state = SwitchState(
        k=constants(params, batched)._replace(
            ports=p,
            port_bits=port_bits,
            vc_words=words,
            batch_vectors=sets_of(p, v, d) if batched else 0,
            batch_counts=counts_of(p, v) if batched else 0,
            batch_output_vectors=output_sets_of(p, v) if batched else 0,
            pin_shift=pin_shift(p),
        ),
        switch=arrays["switch"],
        input=arrays["input"],
        vc=arrays["vc"],
        output=arrays["output"],
        filled=arrays["filled"],
        requests=arrays.get("requests", absent(np.int64, 2)),
        credits=arrays["credits"],
        flits=arrays["flits"],
        routes=arrays.get("routes", absent(np.int64, 4)),
        heads=arrays.get("heads", absent(np.int64, 2)),
        blocked_heads=arrays.get("blocked_heads", absent(np.int64, 3)),
        vc_by_priority=arrays.get("vc_by_priority", absent(np.int16, 3)),
        vc_after=arrays.get("vc_after", absent(np.int16, 3)),
        asking=np.zeros(p * v, np.int64),
        vc_offers=np.zeros(p * v, np.int64),
        vcs_offered=np.zeros(p, np.int64),
        speculating=np.zeros((1 if params.speculates else 0, words), np.int64),
        delayed=arrays.get("delayed", absent(np.int64, 2)),
        delay_ends=arrays.get("delay_ends", absent(np.int64, 3)),
        input_rows=np.zeros((matrix, p, v), np.int64),
        output_rows=np.zeros((matrix, p, p), np.int64),
        accept_rows=np.zeros((matrix if matching else 0, p, p + 1), np.int64),
        owners=arrays.get("owners", absent(np.int64, 3)),
        ready=np.zeros(words if matching else 0, np.int64),
        asks=np.zeros((0 if params.vc_stage or not matching else p + 1, words), np.int64),
        speculative_requests=np.zeros((p + 1 if params.speculates else 0, words), np.int64),
        contending=np.zeros((1 if matching else 0, words), np.int64),
        grants=np.zeros(p if matching else 0, np.int64),
        batch_count=batch_count,
        batch_vcs=aligned((batch_count * sets_of(p, v, d) * batch,), of_vcs),
        batch_outputs=aligned((batch_count * output_sets_of(p, v) * batch,), of_outputs),
        batch_scratch=aligned((SCRATCH * p * batch,), of_vcs),
        batch_grants=aligned((GRANTS * p * batch,), of_outputs),
        batch_seen=np.zeros(LISTS, np.int64),
        batch_seen_lanes=aligned((LISTS * list_room(p) if batched else 0,), np.uint8),
        batch_seen_ports=aligned((LISTS * list_room(p) if batched else 0,), np.uint8),
        batch_changes=aligned((2 * batch,), of_vcs),
        batch_visits=np.zeros(batch_count, np.int64),
        batch_totals=np.zeros(batch_count * counts_of(p, v) * batch, np.int64),
        batch_packets=arrays.get("batch_packets", absent(np.int32, 4)),
        batch_routes=arrays.get("batch_routes", absent(np.int32, 4)),
        pin_slots=pin_slots,
        pin_batches=(len(due) + other_words(others)) * DUE_WORD,
        pins=aligned(((pins_due.size * DUE_WORD << pin_shift(p)) if batched else 0,), of_vcs),
        pins_due=pins_due.view(np.uint8),
        pins_due_words=pins_due,
        batch_heads=np.zeros((delay_slots(params.head_delay) if batched else 1, heads + 1), np.int64),
        batch_heads_end=np.zeros(delay_slots(params.head_delay) if batched else 1, np.int64),
        batch_asking=np.zeros(heads, np.int64),
        batch_chain=np.zeros(heads, np.int64),
        batch_asked=arrays.get("batch_asked", absent(np.int64, 2)),
        batch_due=due.view(np.uint8),
        batch_due_words=due,
        holder=arrays.get("holder", absent(np.int16, 3)),
        lookup=aligned((cached, p, 2), LOOKUP),
        miss=aligned((cam, p), MISS),
        slot=np.zeros((cam, p, v * d), np.int8),
        slot_tag=np.zeros((cam, p, v * d), np.int64),
        cache=aligned((cached, p, params.cache.sets, params.cache.ways), WAY),
        table=aligned((s if params.programmed else 0, params.programmed_entries), ENTRY),
        position=arrays["position"],
        radix=np.array(params.radix or (1,), np.int64),
        coordinate_bits=np.array(params.coordinate_bits or (0,), np.int64),
        destination=np.zeros(max(1, len(params.radix)), np.int64),
        crc_rows=crc_rows(params.tag_width, params.cache.crc_polynomial),
        link_power=aligned((s if lpi else 0, p), LPI),
        lpi_default=np.array((lpi.idle, lpi.sleep, lpi.wake) if lpi else (0, 0, 0), np.int64),
        lpi_time=np.zeros((s if lpi else 0, 3), np.int64),
        prediction=aligned((s if params.prediction else 0, p), PREDICTION),
        history=np.zeros((s if params.context_bits else 0, p, 1 << context_bits), np.int16),
        targets=np.zeros((s if params.lookahead else 0, p, v, d), np.int64),
        ahead=np.full((s if params.lookahead else 0, max(1, len(params.radix)), v), -1, np.int64),
        open=np.full((s if params.lookahead else 0, v), -1, np.int64),
        reservation=np.zeros((s if params.reserves else 0, p, v), np.int8),
        reserved=np.zeros((s if params.reserves else 0, v), np.int64),
        reserve_pointer=np.zeros((s if params.reserves else 0, p), np.int64),
        reserve_requests=np.zeros((s if params.reserves else 0, p), np.int64),
        reserve_answers=np.zeros((s if params.reserves else 0, p), np.int64),
        departed=np.full((s, p), LONG_AGO, np.int64),
        departing=np.zeros((s, params.link_lead, p, 4), np.int64),
        counters=arrays["counters"],
        sent=aligned((p,), SENT),
        chosen=np.zeros(p * v, np.int64),
        choosing=np.zeros((adaptive, p, v), np.int64),
    )
    return state, {place.name: arrays[place.name] for place in (*of_switch, *of_port)}
