"""Predictors of the output port: static, latest, history (Koibuchi et al.: paper C; microarchitecture.md, 11)."""

from __future__ import annotations

import numpy as np

from models.counters import PREDICT_RIGHT, PREDICT_WRONG, count
from models.jit.compiled import compiled, compiled_noinline
from models.params import index_width
from models.state.declare import PORT, Field, Registers, Sizes, fields, placed, shared
from models.state.placement import Area
from models.state.registers import (
    LATEST,
    LONG_AGO,
    LONGER_X,
    NAMES_NONE,
    NO_PORT,
    STATIC,
    Records,
    SwitchState,
)


def _contexts(n: Sizes) -> tuple[int, ...]:
    bits = index_width(n.ports)
    return (1 << n.params.context_bits // n.params.port_bits * bits,)


@compiled
def longer_x(x: int, k: int) -> int:
    """Return the port to the side of dimension 0 on which more switches lie, at place `x` of `k` in a row; + of equals.

    The RTL reads the position in every cycle, here it is read at reset: it never changes.
    """
    return int(2 * x >= k)


@compiled
def _static(st: SwitchState, s: int, p: int) -> int:
    """Return the output port that the static predictor of input port `p` names, or NO_PORT."""
    if p < st.k.straight_ports:
        return p ^ 1
    if st.k.static_local == NAMES_NONE or p < st.k.first_predicted_local:
        return NO_PORT
    return longer_x(st.position[s, 0], st.radix[0]) if st.k.static_local == LONGER_X else 0


@compiled_noinline
def predictor_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Have the static predictors of a switch name their ports."""
    for p in range(st.k.ports if st.k.predict and st.k.predictor == STATIC else 0):
        st.prediction[s, p].predicted = _static(st, s, p)


class PredictorRegisters(Registers):
    """What is predicted, and learned."""

    prediction: Records = placed(Area.REST, shared("prediction"), PORT, built=lambda n: n.params.prediction is not None)
    # history predictor: output by context
    history: np.ndarray = placed(
        Area.REST, np.int16, PORT, _contexts, built=lambda n: n.params.context_bits > 0, fill=NO_PORT
    )
    in_prediction = fields(
        Field("predicted", np.int16, fill=NO_PORT),  # predictor: output port, or NO_PORT
        Field("predicted_before", np.int16),  # what it was until the end of cycle `predicted_in`
        Field("predicted_in", np.int64, fill=LONG_AGO),
        # output of the route that was written in this cycle and is not learned yet, or NO_PORT
        Field("routed", np.int16, fill=NO_PORT),
        Field("context", np.int64),  # history predictor: the last output ports
    )
    reset = predictor_reset


@compiled
def predicted(st: SwitchState, s: int, p: int, cycle: int) -> int:
    """Return the output port that input port `p` predicts in `cycle`, or NO_PORT."""
    port = st.prediction[s, p]
    return int(port.predicted_before) if port.predicted_in == cycle else int(port.predicted)


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
