"""Predictors of the output port: static, latest, history (Koibuchi et al.: paper C; microarchitecture.md, 11)."""

from __future__ import annotations

from models.counters import PREDICT_RIGHT, PREDICT_WRONG, count
from models.jit.compiled import compiled, compiled_noinline
from models.state.registers import HISTORY, LATEST, LONG_AGO, NO_PORT, STATIC, SwitchState


@compiled
def predicted(st: SwitchState, s: int, p: int, cycle: int) -> int:
    """Return the output port that input port `p` predicts in `cycle`, or NO_PORT."""
    port = st.prediction[s, p]
    return int(port.predicted_before) if port.predicted_in == cycle else int(port.predicted)


@compiled_noinline
def predictor_reset(st: SwitchState, s: int, p: int) -> None:
    """Reset predictor and bypass of a port: predictions, heads sent speculatively, connections."""
    port = st.prediction[s, p]
    port.predicted = p ^ 1 if st.k.predictor == STATIC and p < st.k.straight_ports else NO_PORT
    port.predicted_in = LONG_AGO
    port.popped_in = LONG_AGO
    port.forwarded_in = LONG_AGO
    port.sent_in = LONG_AGO
    port.connected = NO_PORT
    port.routed = NO_PORT
    port.context = 0
    if st.k.predictor == HISTORY:
        for context in range(st.history.shape[2]):
            st.history[s, p, context] = NO_PORT


@compiled_noinline
def predictor_update(st: SwitchState, s: int, p: int, out: int, cycle: int) -> None:
    """Learn, at the end of `cycle`, that a packet of input port `p` goes to `out`."""
    port = st.prediction[s, p]
    before = int(port.predicted)
    if before != NO_PORT:
        count(st, s, p, PREDICT_RIGHT if before == out else PREDICT_WRONG, 1)
    if st.k.predictor == STATIC:
        return
    port.predicted_before = before
    port.predicted_in = cycle
    if st.k.predictor == LATEST:
        port.predicted = out
        return
    context = int(port.context)
    st.history[s, p, context] = out
    context = (context << st.k.port_bits | out) & (st.history.shape[2] - 1)
    port.context = context
    port.predicted = st.history[s, p, context]


@compiled
def predictor_learn(st: SwitchState, s: int, p: int, cycle: int) -> None:
    """Learn, at the end of `cycle`, the output of the route written for input port `p` in this cycle, if any."""
    port = st.prediction[s, p]
    out = int(port.routed)
    if out != NO_PORT:
        predictor_update(st, s, p, out, cycle)
        port.routed = NO_PORT
