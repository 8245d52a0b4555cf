"""The keys of BookSim2's configurations: their defaults, and how each is mapped.

Names and defaults are those of BookSim2 (Jiang et al., "A Detailed and Flexible Cycle-Accurate Network-on-Chip
Simulator", ISPASS 2013), keys of its power model included. docs/how_to/booksim.md has this table in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Value = int | float | str
Effect = Literal["mapped", "only", "none"]


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes
    ----------
    default : int, float or str
        BookSim2's default; its type is the key's.
    effect : {"mapped", "only", "none"}
        "mapped": changes the simulation. "only": must have a value of `allowed`. "none": has no effect.
    note : str
        The key that it is mapped to; why other values are refused; why it has no effect.
    allowed : tuple
        Values that are accepted, with "only".
    topologies : tuple of str
        Topologies on which a mapped key has an effect; empty: all.
    needs : tuple of str or None
        A key and its value without which a mapped key has no effect.
    """

    default: Value
    effect: Effect
    note: str
    allowed: tuple[Value, ...] = ()
    topologies: tuple[str, ...] = ()
    needs: tuple[str, str] | None = None


def _mapped(default: Value, note: str) -> Key:
    return Key(default, "mapped", note)


def _of(default: Value, topologies: tuple[str, ...], note: str) -> Key:
    return Key(default, "mapped", note, topologies=topologies)


def _with(needs: tuple[str, str], note: str, **defaults: Value) -> dict[str, Key]:
    return {name: Key(default, "mapped", note, needs=needs) for name, default in defaults.items()}


def _only(default: Value, allowed: tuple[Value, ...], note: str) -> Key:
    return Key(default, "only", note, allowed)


_RW = "use_read_write", "1"

MAPPED: dict[str, Key] = {
    "topology": _mapped("torus", "topology.kind; which, see above"),
    "k": _mapped(8, "size of the topology; see above"),
    "n": _mapped(2, "size of the topology; see above"),
    "c": _of(1, ("cmesh", "flatfly"), "topology.locals"),
    "x": _of(8, ("cmesh", "flatfly"), "routers in a row; must follow from k and n"),
    "y": _of(8, ("cmesh", "flatfly"), "rows of routers; as many"),
    "yr": _of(1, ("cmesh", "flatfly"), "xr"),
    "network_file": _of("", ("anynet",), "the network; from the working directory, or beside the configuration"),
    "routing_function": _mapped("none", "routes; which, see above"),
    "use_noc_latency": _of(1, ("torus", "cmesh", "flatfly"), "link.latency; 1 with 0"),
    "num_vcs": _mapped(16, "switch.vcs, 1 to 16"),
    "vc_buf_size": _mapped(8, "switch.depth"),
    "buf_size": _mapped(-1, "switch.depth, divided by num_vcs, if above 0"),
    "wait_for_tail_credit": _mapped(0, "1: switch.buffering dynamic, max_packet = depth: a VC is claimed when empty"),
    "hold_switch_for_packet": _mapped(0, "switch.hold_packets"),
    "vc_allocator": _mapped(
        "islip",
        "switch.vc_allocator: output_first; input_first for separable_input_first; none with piggyback, or without "
        "switch.vc_stage",
    ),
    "sw_allocator": _mapped(
        "islip",
        "switch.allocator: output_first; ports_first for separable_input_first; "
        "switch.arbiter: matrix for separable_…(matrix)",
    ),
    "routing_delay": _mapped(1, "switch.head_delay: what heads take more than the flits behind them, less vc_stage"),
    "vc_alloc_delay": _mapped(1, "switch.vc_stage, and the same"),
    "sw_alloc_delay": _mapped(1, "switch.stage_delay: what every flit takes, less 2"),
    "st_prepare_delay": _mapped(0, "the same"),
    "st_final_delay": _mapped(1, "the same"),
    "credit_delay": _mapped(0, "link.credit_latency: as much more than latency - 1"),
    "vc_busy_when_full": _mapped(0, "1: switch.claim_full = false, with switch.vc_stage; elsewhere none is claimed"),
    "internal_speedup": _mapped(1.0, "switch.speedup, 1 to 4, with delays of 1 before the crossbar"),
    "output_buffer_size": _mapped(-1, "switch.output_buffer with internal_speedup, 2 to 64; -1: 64; else -1 only"),
    "speculative": _mapped(
        0,
        "1: switch.speculation: equal with sw_allocator = islip, else behind; the longer of vc_alloc_delay and "
        "sw_alloc_delay counts instead of both; with piggyback none, and vc_alloc_delay does not count",
    ),
    "spec_sw_allocator": _mapped("prio", "with speculative: prio only"),
    "spec_check_elig": _mapped(1, "with speculative: 1 only"),
    "spec_check_cred": _mapped(1, "with speculative: 1 only"),
    "traffic": _mapped("uniform", "pattern, of the same destinations, a packet's own node included"),
    "perm_seed": _mapped(0, "seed of randperm; another permutation than BookSim2's"),
    "xr": _mapped(1, "digits of tornado, neighbor and badperm_yarc; nodes of a router in a row on cmesh and flatfly"),
    "injection_rate": _mapped(0.1, "packets/node/cycle, or flits"),
    "injection_rate_uses_flits": _mapped(0, "1: injection_rate is in flits"),
    "packet_size": _mapped(1, "traffic.packet_size"),
    "packet_size_rate": _mapped(1, "weights of the sizes of packet_size"),
    "injection_process": _mapped("bernoulli", "traffic.arrivals"),
    "burst_alpha": _mapped(0.5, "on_off: probability per cycle that a node turns on"),
    "burst_beta": _mapped(0.5, "on_off: that it turns off"),
    "burst_r1": _mapped(
        -1.0, "on_off: packets per cycle while on; one of the three is negative and follows from the others"
    ),
    "sim_type": _mapped("latency", "latency or throughput"),
    "warmup_periods": _mapped(3, "sample periods before the measurement; 0: until warmup_thres holds"),
    "sample_period": _mapped(1000, "cycles"),
    "max_samples": _mapped(10, "sample periods at most, warm-up included"),
    "latency_thres": _mapped(500.0, "unstable above, cycles; negative: never"),
    "warmup_thres": _mapped(0.05, "change of latency between two periods that ends the warm-up"),
    "acc_warmup_thres": _mapped(0.05, "change of accepted traffic that does"),
    "stopping_thres": _mapped(0.05, "change of latency that ends the measurement, three times in a row"),
    "acc_stopping_thres": _mapped(0.05, "change of accepted traffic that does"),
    "sim_count": _mapped(1, "simulations whose figures are averaged, each with a seed of its own"),
    "seed": _mapped(0, "run.seed; a number"),
    "input_speedup": _mapped(1, "BookSim2's router: inputs of the crossbar per port"),
    "output_speedup": _mapped(1, "BookSim2's router: outputs of the crossbar per port"),
    "vc_prioritize_empty": _mapped(0, "BookSim2's router: 1: empty VCs are claimed first"),
    "subnets": _mapped(1, "BookSim2's router: networks of the same nodes, 1 to 16; a plain packet takes any of them"),
    "vc_shuffle_requests": _mapped(0, "BookSim2's router: 1: VC allocators number requests by VC, then port"),
    "classes": _mapped(1, "classes of traffic, 1 to 64"),
    "measure_stats": _mapped(1, "of each class: whether the measurement waits for its figures"),
    "priority": _mapped("none", "BookSim2's router: none, class, age or sequence"),
    **_with(("priority", "class"), "of each class", class_priority=0),
    "use_read_write": _mapped(0, "of each class: 1: packets are requests, and are answered"),
    **_with(_RW, "share of requests that write", write_fraction=0.5),
    **_with(_RW, "VCs of a type of packet", read_request_begin_vc=0, read_request_end_vc=5, write_request_begin_vc=2),
    **_with(_RW, "VCs of a type of packet", write_request_end_vc=7, read_reply_begin_vc=8, read_reply_end_vc=13),
    **_with(_RW, "VCs of a type of packet", write_reply_begin_vc=10, write_reply_end_vc=15),
    **_with(_RW, "network of a type of packet", read_request_subnet=0, read_reply_subnet=0),
    **_with(_RW, "network of a type of packet", write_request_subnet=0, write_reply_subnet=0),
    **_with(_RW, "flits of a type of packet", read_request_size=1, write_request_size=1),
    **_with(_RW, "flits of a type of packet", read_reply_size=1, write_reply_size=1),
}

ONLY: dict[str, Key] = {
    "router": _only("iq", ("iq",), "the switch is input-queued"),
    "link_failures": _only(0, (0,), "links do not fail"),
    "noq": _only(0, (0,), "VCs are not bound to the next output"),
    "buffer_policy": _only("private", ("private",), "every VC has a buffer of its own"),
    "vc_priority_donation": _only(0, (0,), "packets keep their own priority"),
    "include_queuing": _only(1, (1,), "packet latency counts from birth"),
}

_BATCH = "matters with sim_type = batch"
_SHARED = "matters with shared buffers"
_OUTPUT = "says what is printed or written besides"
_POWER = "BookSim2's model of power is not here; it changes no other figure"


def _none(why: str, **defaults: Value) -> dict[str, Key]:
    return {name: Key(default, "none", why) for name, default in defaults.items()}


WITHOUT_EFFECT: dict[str, Key] = {
    **_none("matters on other topologies", in_ports=5, out_ports=5, channel_file=""),
    **_none("matters with link_failures", fail_seed=0),
    **_none("BookSim2 does not read it", output_delay=0),
    **_none("BookSim2 does not hand it to its allocators: say sw_allocator = islip(1)", alloc_iters=1),
    **_none(
        "BookSim2 does not hand it to its allocators: say sw_allocator = separable_…(matrix)", arb_type="round_robin"
    ),
    **_none("matters with spec_sw_allocator, which must be prio", spec_mask_by_reqs=0),
    **_none(_SHARED, private_bufs=-1, private_buf_size=1, private_buf_start_vc=-1, private_buf_end_vc=-1),
    **_none(_SHARED, max_held_slots=-1, feedback_aging_scale=1, feedback_offset=0),
    **_none("matters with router = event", vct=0),
    **_none(_BATCH, batch_size=1000, batch_count=1, max_outstanding_requests=0, sent_packets_out=""),
    **_none(_OUTPUT, pair_stats=0, print_activity=0, print_csv_results=0, deadlock_warn_timeout=256, viewer_trace=0),
    **_none(_OUTPUT, watch_file="", watch_flits="", watch_packets="", watch_transactions="", watch_out=""),
    **_none(_OUTPUT, stats_out="", injected_flits_out="", received_flits_out="", stored_flits_out=""),
    **_none(_OUTPUT, sent_flits_out="", outstanding_credits_out="", ejected_flits_out="", active_packets_out=""),
    **_none(_OUTPUT, used_credits_out="", free_credits_out="", max_credits_out=""),
    **_none(_POWER, sim_power=0, power_output_file="pwr_tmp", tech_file="", channel_width=128, channel_sweep=0),
}

KEYS: dict[str, Key] = {**MAPPED, **ONLY, **WITHOUT_EFFECT}

# Keys with a value for each class of traffic.
PER_CLASS = {
    *("injection_rate", "packet_size", "packet_size_rate", "traffic", "injection_process", "measure_stats"),
    *("use_read_write", "write_fraction", "class_priority", "latency_thres", "warmup_thres", "acc_warmup_thres"),
    *("stopping_thres", "acc_stopping_thres", "read_request_size", "read_reply_size", "write_request_size"),
    *("write_reply_size",),
}
