"""Heads that wait at the front of their VC, in a switch that is visited only when necessary."""

import pytest

from models.buffer.head_delay import delay_began
from models.params import AdaptiveParams, PredictionParams, SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.state.registers import NO_PORT
from models.switch import accept_credit, accept_flit, list_moves, may_move

DELAY = 6
WARM, BACK, HEAD = 0, 12, 20  # cycles: a flit for the predictor, its credit, the head that waits
ASKS = HEAD + 2 + DELAY  # the head chooses in the cycle after its arrival, and requests after its delay


def _moves(bypass_at: int, always: bool) -> list[tuple[int, int, int]]:
    """Return (cycle, input port, output port) of all flits that leave a switch visited always, or only when due."""
    params = SwitchParams(
        vcs=4,
        depth=8,
        routing="dimension_order",
        radix=(8, 8),
        adaptive=AdaptiveParams(escape_vcs=1),
        prediction=PredictionParams(kind="latest"),
        head_delay=DELAY,
    )
    st = new_state(params)
    st.position[0] = 3, 3
    reset(st, 0, -1)
    straight, diagonal = 6 | 3 << 3, 5 | 5 << 3
    arrivals = {WARM: (1, 1, straight), HEAD: (4, 1, diagonal), bypass_at: (1, 0, straight)}
    arrivals |= {bypass_at + k: (1, 0, 0) for k in range(1, 9)}
    due: set[int] = set()
    left = []
    for cycle in range(60):
        if always or cycle in due:
            count = list_moves(st, 0, cycle)
            left += [(cycle, int(move.port), int(move.out)) for move in st.sent[:count]]
            due |= {cycle + 1} if may_move(st, 0) else set()
        if cycle in arrivals:
            port, tail, tag = arrivals[cycle]
            result = accept_flit(st, 0, port, 1, cycle << 1 | tail, tag, cycle)
            if result & 4:
                left.append((cycle, int(st.sent[0].port), int(st.sent[0].out)))
            due |= {cycle + 1} if result & 1 else set()
        if cycle == BACK:
            due |= {cycle + 1} if accept_credit(st, 0, 0, 1) else set()
        due |= {cycle + 1 + DELAY} if delay_began(st, 0) else set()
    return left


@pytest.mark.parametrize("before", range(1, 6))
def test_a_head_that_waits_sees_what_a_bypass_takes(before):
    """A bypassing packet takes the output that the head has chosen: the head chooses anew, without losing time."""
    always = _moves(ASKS - before, True)
    assert _moves(ASKS - before, False) == always
    assert any(port == 4 and out != NO_PORT for _, port, out in always)
