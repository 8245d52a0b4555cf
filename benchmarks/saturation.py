"""Saturation of one switch: every input backlogged, 4-flit packets, random outputs without U-turns.

The neighbours send a packet's flits back to back while they have credits, switch to another VC when they have none, and
return credits at once. The figure is the usual one for routers: flits/cycle/port. With `speedup`, a cycle is the time
that a link takes for a flit.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from models.jit.compiled import compiled
from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.route.dimension_order import encode
from models.state.registers import SwitchState
from models.top import (
    CREDIT,
    CREDIT_VC,
    DATA,
    FLIT,
    FLIT_VC,
    PORT_INPUTS,
    PORT_OUTPUTS,
    TAIL,
    control_inputs,
    control_outputs,
    top_step,
)


@compiled
def _backlog(
    st: SwitchState,
    first: int,
    cycles: int,
    length: int,
    choices: np.ndarray,
    credits: np.ndarray,
    left: np.ndarray,
    turn: np.ndarray,
    ports: np.ndarray,
    control: np.ndarray,
    sent: np.ndarray,
    status: np.ndarray,
) -> int:
    """Run; return the flits that left. `choices` [cycles, P] are tags for packets that begin in a cycle."""
    k = st.k
    left_switch = 0
    for c in range(cycles):
        ports[:] = 0
        for p in range(k.ports):
            if sent[p, FLIT]:
                left_switch += 1
                ports[p, CREDIT] = 1
                ports[p, CREDIT_VC] = sent[p, FLIT_VC]
            for n in range(0 if (first + c) % k.speedup else k.vcs):
                v = (turn[p] + n) % k.vcs
                if credits[p, v] == 0:
                    continue
                credits[p, v] -= 1
                if left[p, v] == 0:
                    left[p, v] = length
                    ports[p, DATA] = choices[c, p]
                left[p, v] -= 1
                ports[p, FLIT] = 1
                ports[p, FLIT_VC] = v
                ports[p, TAIL] = 1 if left[p, v] == 0 else 0
                turn[p] = (v + 1) % k.vcs if left[p, v] == 0 else v
                break
        for p in range(k.ports):
            if sent[p, CREDIT]:
                credits[p, sent[p, CREDIT_VC]] += 1
        top_step(st, 0, first + c, ports, control, sent, status)
    return left_switch


def saturation(params: SwitchParams, length: int = 4, cycles: int = 100_000, seed: int = 1) -> float:
    """Return the saturation throughput of a two-dimensional mesh switch with one local port, flits/link cycle/port.

    Parameters
    ----------
    params : SwitchParams
        With routing = "dimension_order", radix (3, 3) or larger, 5 ports.
    length : int
        Packet length, flits.
    cycles : int
        Measured cycles of the switch, after 1,000 of warm-up.
    seed : int
        Seed of the outputs.
    """
    state = new_state(params)
    centre = (1, 1)
    state.position[0] = centre
    reset(state, 0, -1)
    around = ((2, 1), (0, 1), (1, 2), (1, 0), centre)  # destinations behind ports 0 to 4
    tags = np.array([encode(place, 0, params.coordinate_bits) for place in around])
    rng = np.random.default_rng(seed)
    shape = params.ports, params.vcs
    credits = np.full(shape, params.depth, np.int64)
    left = np.zeros(shape, np.int64)
    turn = np.zeros(params.ports, np.int64)
    ports = np.zeros((params.ports, PORT_INPUTS), np.int64)
    sent = np.zeros((params.ports, PORT_OUTPUTS), np.int64)
    control, status = np.zeros(control_inputs(params), np.int64), np.zeros(control_outputs(params), np.int64)
    flits = 0
    for first, block in ((0, 1000), (1000, cycles)):
        away = rng.integers(0, params.ports - 1, (block, params.ports))
        choices = tags[away + (away >= np.arange(params.ports))]
        flits = _backlog(state, first, block, length, choices, credits, left, turn, ports, control, sent, status)
    return flits * params.speedup / cycles / params.ports


def main() -> list[dict[str, object]]:
    """Print the table and return its rows."""
    print("VCs  depth  hold   arbiter      speedup  prediction  flits/link cycle/port")
    rows = []
    variants: list[tuple[Any, ...]] = [
        *product((2, 4), (4, 8), (True, False), ("round_robin", "matrix"), (1,), (None,))
    ]
    variants += product((2, 4), (4, 8), (True,), ("round_robin",), (2, 3), (None,))
    variants += product((2, 4), (4,), (True,), ("round_robin",), (1,), ("static", "latest", "history"))
    for vcs, depth, hold, arbiter, speedup, prediction in variants:
        options: dict[str, Any] = {"vcs": vcs, "depth": depth, "hold_packets": hold, "arbiter": arbiter}
        options |= {"speedup": speedup, "prediction": {"kind": prediction} if prediction else None}
        params = SwitchParams(**options, routing="dimension_order", radix=(3, 3))
        throughput = saturation(params)
        print(
            f"{vcs:3}  {depth:5}  {'yes' if hold else 'no':5}  {arbiter:12} {speedup:7}  {prediction or '–':10}"
            f"  {throughput:.3f}"
        )
        rows.append(options | {"flits_per_cycle_port": throughput})
    return rows
