"""What the matching of a row of switches asks of their registers: sets of VCs by input port, and arbiters.

Where switches are matched a row at a time, these stand in place of the sets of input VCs and of the arbiters of each
switch (`models.vc_set`, `models.owners`). With P ports each row of switches has, one after the other, a row of

- ready, for each input port: its VCs with a flit that may leave, but for what they lack an output VC (P rows);
- goal, for each input VC: the output of which it owns a VC, as the only bit; output number P is nowhere, where packets
  are drained; none if its head waits (P V);
- arbiters, as the only bit: of outputs over input ports, of input ports over VCs, of input ports over outputs (3 P).
"""

from __future__ import annotations

from models.bits import index
from models.compiled import compiled, compiled_apart
from models.params import SwitchParams
from models.row_heads import forget_heads
from models.rows import ROW, ROW_BITS, lane_of, row_of
from models.state import SwitchState
from models.vc_set import port_of_number, vc_number, vc_of_number

DUE_WORD = 8  # rows of a word of `row_due`


def fit_rows(params: SwitchParams, ports: int | None = None) -> bool:
    """Return whether switches of these parameters can be matched a row at a time.

    Parameters
    ----------
    params : SwitchParams
        Of every switch.
    ports : int, optional
        Ports for which there is room, if more than `params.ports`; with nowhere, each is a bit of a row's numbers.
    """
    plain = params.allocator == "output_first" and params.arbiter == "round_robin" and not params.hold_packets
    stages = params.claims_full and not params.speculates
    more = params.lpi or params.prediction or params.speedup > 1
    return plain and stages and not more and (ports or params.ports) < ROW_BITS


def sets_of(ports: int, vcs: int) -> int:
    """Return how many rows of numbers a row of switches has."""
    return ports * (vcs + 4)


def due_words(rows: int) -> int:
    """Return the words of `row_due`, a byte for each of so many rows."""
    return -(-rows // DUE_WORD)


@compiled
def ready_at(st: SwitchState, i: int) -> int:
    """Return which of them says what is ready at input port `i`."""
    return i


@compiled
def goal_at(st: SwitchState, i: int, v: int) -> int:
    """Return which says where the packet at the front of input VC (i, v) goes."""
    return st.k.ports + i * st.k.vcs + v


@compiled
def arbiter_at(st: SwitchState, kind: int, p: int) -> int:
    """Return which holds the arbiters of a port: kind 0 of outputs, 1 of input ports over VCs, 2 over outputs."""
    return (st.k.vcs + 1 + kind) * st.k.ports + p


@compiled
def row_at(st: SwitchState, row: int, which: int) -> int:
    """Return the number in `st.rows` of one of the rows of numbers of a row of switches."""
    return row * st.k.row_sets + which


@compiled
def _place(st: SwitchState, s: int, which: int) -> int:
    """Return where the number of a switch is in such a row: a sum, of which what is common is reckoned once."""
    return index(index(row_of(s) * st.k.row_sets * ROW + lane_of(s)) + index(which * ROW))


@compiled
def _change(st: SwitchState, s: int, which: int, v: int, old: int, new: int) -> None:
    """Take bit `v` out of the number of a switch if `old` is 1, and put it in if `new` is."""
    n = _place(st, s, which)
    st.rows[n] = int(st.rows[n]) & ~(old << v) | new << v


@compiled
def wake_row(st: SwitchState, s: int) -> None:
    """Have the row of a switch matched: something that a match asks for has come."""
    st.row_due[index(row_of(s))] = 1


@compiled
def any_row_due(st: SwitchState) -> bool:
    """Return whether any row is due to be matched."""
    any_due = 0
    for word in range(len(st.row_due_words)):
        any_due |= st.row_due_words[word]
    return any_due != 0


@compiled
def row_gets(st: SwitchState, s: int, i: int, v: int) -> None:
    """Note that a flit is put into input VC (i, v)."""
    _change(st, s, ready_at(st, i), v, 0, 1 - int(st.vc[s, i, v].blocked))
    wake_row(st, s)


@compiled
def row_loses(st: SwitchState, s: int, i: int, v: int, credits: int) -> None:
    """Note that a flit left input VC (i, v), and so many credits of the VC that it owns."""
    vc = st.vc[s, i, v]
    vc.blocked = int(credits == 0)
    _change(st, s, ready_at(st, i), v, int(vc.count == 0) | int(credits == 0), 0)


@compiled
def row_goes(st: SwitchState, s: int, i: int, v: int, o: int) -> None:
    """Note that the packet at the front of input VC (i, v) goes to output `o`, of which it owns a VC, or nowhere."""
    st.rows[_place(st, s, goal_at(st, i, v))] = 1 << o


@compiled
def row_gone(st: SwitchState, s: int, i: int, v: int) -> None:
    """Note that this packet has left."""
    vc = st.vc[s, i, v]
    vc.blocked = 0
    _change(st, s, ready_at(st, i), v, 0, int(vc.count != 0))
    st.rows[_place(st, s, goal_at(st, i, v))] = 0


@compiled
def row_claims(st: SwitchState, s: int, o: int, w: int, i: int, v: int) -> None:
    """Note that input VC (i, v), whose head is there, owns output VC (o, w) from now on."""
    blocked = int(st.credits[s, o, w] == 0)
    st.holder[s, o, w] = vc_number(st, i, v)
    st.vc[s, i, v].blocked = blocked
    _change(st, s, ready_at(st, i), v, blocked, 0)
    row_goes(st, s, i, v, o)
    wake_row(st, s)


@compiled
def row_credits(st: SwitchState, s: int, o: int, w: int) -> None:
    """Note that output VC (o, w), which had none, has a credit: whoever owns it may go on."""
    if not int(st.output[s, o].free) >> w & 1:
        holder = index(st.holder[s, o, w])
        i, v = port_of_number(st, holder), vc_of_number(st, holder)
        vc = st.vc[s, i, v]
        vc.blocked = 0
        _change(st, s, ready_at(st, i), v, 0, int(vc.count != 0))
        wake_row(st, s)


def any_ready(st: SwitchState) -> bool:
    """Return whether rows know of any flit that may leave, but for an output VC."""
    each = st.rows.reshape(-1, st.k.row_sets, ROW)
    return bool(each[:, : st.k.ports].any())


@compiled_apart
def row_reset(st: SwitchState, s: int) -> None:
    """Reset what rows hold of a switch."""
    forget_heads(st, s)
    for which in range(st.k.row_sets):
        first = which >= arbiter_at(st, 0, 0)
        st.rows[_place(st, s, which)] = 1 if first else 0
