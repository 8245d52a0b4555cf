"""Which switches can be batched, and which parameter rules it out for others."""

from __future__ import annotations

from models.batched.flit import MOST_VCS
from models.jit.simd_type import WIDTHS
from models.params import SwitchParams
from models.params.parts import hint_hops


def batch_widths(params: SwitchParams, ports: int | None = None) -> tuple[int, int]:
    """Return the SIMD lane widths for batches of switches with these parameters; zeros if they cannot be batched.

    Parameters
    ----------
    params : SwitchParams
        Parameters of each switch.
    ports : int, optional
        Number of ports for which the sets have room, if more than `params.ports`.

    Returns
    -------
    tuple of int
        Width in bits of a VC set, whose lanes also hold positions in a queue; width of an output set, drain port
        included. The latter is never smaller: one type less to compile.
    """
    if why_not_batched(params, ports):
        return 0, 0
    width = min(bits for bits in WIDTHS if params.vcs <= bits and params.depth <= 1 << bits)
    return width, min(bits for bits in WIDTHS if max(width, (ports or params.ports) + 1) <= bits)


def can_batch(params: SwitchParams, ports: int | None = None) -> bool:
    """Return whether switches with these parameters can be batched; arguments as in `batch_widths`."""
    return not why_not_batched(params, ports)


def why_not_batched(params: SwitchParams, ports: int | None = None) -> str:
    """Return the first parameter for which switches cannot be batched, and what is allowed; empty if they can.

    Arguments as in `batch_widths`.
    """
    most_ports = max(WIDTHS) - 1  # the drain port is one more output
    stages = _why_not_in_stages(params) if params.vc_stage else _why_not_in_one_step(params)
    found = {
        f"{ports or params.ports} ports: at most {most_ports}": (ports or params.ports) > most_ports,
        f"switch.vcs = {params.vcs}: at most {MOST_VCS}": params.vcs > MOST_VCS,
        f"headers of {params.header_flits} flits: one, so that switch.data_width is no less than switch.tag_width": (
            params.header_flits > 1
        ),
        "a section [prediction]: none": params.prediction is not None,
        "switch.output_buffer and switch.speedup = 1: no output buffer, or a faster crossbar": params.output_queues,
    }
    return next((reason for reason, holds in (found | stages).items() if holds), "")


def _why_not_in_stages(params: SwitchParams) -> dict[str, bool]:
    """Return what rules out that heads claim VCs in a stage of their own (`models.batched.matching`), by reason."""
    return {
        f'switch.vc_stage and switch.allocator = "{params.allocator}": "output_first"': (
            params.allocator != "output_first"
        ),
        "switch.vc_stage and switch.hold_packets: switch.hold_packets = false": params.hold_packets,
        f'switch.speculation = "{params.speculation}": "none"': params.speculates,
        f'switch.vc_stage and switch.buffering = "{params.buffering}": "wormhole" or "flexible"': params.cut_through,
        "switch.vc_stage and a section [adaptive]: one of them": params.adaptive is not None,
        "switch.vc_stage and switch.claim_full = false: switch.claim_full = true": not params.claims_full,
        "switch.vc_stage and a section [lpi]: one of them": params.lpi is not None,
        f"switch.vc_stage and switch.speedup = {params.speedup}: switch.speedup = 1": params.output_fifo,
    }


def _why_not_in_one_step(params: SwitchParams) -> dict[str, bool]:
    """Return what rules out that heads get a VC with the grant (`models.batched.switch_allocator`), by reason."""
    delays = params.lpi is not None and params.head_delay > 0
    return {
        f'switch.allocator = "{params.allocator}" and no switch.vc_stage: "input_first"': (
            params.allocator != "input_first"
        ),
        f"a section [lpi] and switch.head_delay = {params.head_delay}: switch.head_delay = 0": delays,
        f"a section [lpi] and switch.speedup = {params.speedup}: switch.speedup = 1": (
            params.lpi is not None and params.output_fifo
        ),
        "sections [adaptive] and [lpi]: one of them": params.adaptive is not None and params.lpi is not None,
        "adaptive.lookahead: false": params.lookahead,
        f"lpi.hints = {hint_hops(params.lpi)}: 0": hint_hops(params.lpi) > 0,
    }
