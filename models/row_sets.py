"""Rows of numbers: what is kept of switches in rows, 32 or 64 of them in each (docs/microarchitecture.md, section 8).

Where switches are in rows, these stand in place of the registers of each one (`models.state`): what is done with a set
of VCs of one switch is done with those of all. With P ports, V VCs of D flits each and credits of B bits, each row
of switches has, one after the other, a row of

- blocked, for each input port: its VCs that own an output VC without a credit, or did last (P rows);
- claimed, for each input port: its VCs that own an output VC, their head still there (P);
- goal, for each input VC: the output of which it owns a VC, as the only bit; output number P is nowhere, where packets
  are drained; none if its head waits (P V);
- way, for each input VC: the output VC that it owns, or did last, as the only bit (P V);
- arbiters, for each input port: outputs whose search for an input port begins at it or before; what comes first of
  its VCs, and of outputs (3 P). A search that would begin at the lowest may as well begin nowhere: all are 0 at reset;
- counts of flits in, packets in, packets out (3 P; `models.row_counters`);
- sent, for each output VC: how many flits (P V);
- held, for each input port and number: its VCs with more flits than that; the last number is D (P (D + 1));
- tails, for each input port and number: its VCs of which the flit behind so many is a tail (P (D + 1));
- credits, for each output port and bit: its VCs whose number of credits has that bit (P B);
- credited, for each output port: its VCs with a credit (P).
"""

from __future__ import annotations

from models.bits import index
from models.compiled import compiled, compiled_apart
from models.params import SwitchParams
from models.row_heads import forget_heads
from models.row_kind import WIDTHS, Row, lane_of, row_bits, row_of, row_size
from models.rows import number_in, row_load, row_spread, row_store, set_number
from models.state import SwitchState
from models.vc_set import port_of_number, vc_number, vc_of_number

BESIDE_VCS = 2  # bits of a number with a flit's VC: whether it is a head, and a tail
COUNTS = 3


def row_width(params: SwitchParams, ports: int | None = None) -> int:
    """Return of how many bits numbers are where switches of these parameters are in rows; 0 if they cannot be.

    Parameters
    ----------
    params : SwitchParams
        Of every switch.
    ports : int, optional
        Ports for which there is room, if more than `params.ports`; with nowhere, each is a bit of a row's numbers.
    """
    plain = params.allocator == "output_first" and params.arbiter == "round_robin" and not params.hold_packets
    stages = params.claims_full and not params.speculates
    more = params.lpi or params.prediction or params.speedup > 1 or params.header_flits > 1
    if not plain or not stages or more:
        return 0
    needed = max((ports or params.ports) + 1, params.vcs + BESIDE_VCS)
    return next((bits for bits in WIDTHS if needed <= bits), 0)


def fit_rows(params: SwitchParams, ports: int | None = None) -> bool:
    """Return whether switches of these parameters can be in rows; as `row_width`."""
    return row_width(params, ports) != 0


def credit_bits(depth: int) -> int:
    """Return the bits of a number of credits."""
    return depth.bit_length()


def sets_of(ports: int, vcs: int, depth: int) -> int:
    """Return how many rows of numbers a row of switches has."""
    return ports * (2 + 3 * vcs + 3 + COUNTS + 2 * (depth + 1) + credit_bits(depth) + 1)


@compiled
def tail_bit(st: SwitchState) -> int:
    """Return what is beside the VC of a flit, in a row's number, if it is a packet's last."""
    return 1 << row_bits(st.rows) - 1


@compiled
def head_bit(st: SwitchState) -> int:
    """Return what is there if it is a packet's first."""
    return 1 << row_bits(st.rows) - 2


@compiled
def vc_bits(st: SwitchState) -> int:
    """Return the bits of the VC."""
    return (1 << row_bits(st.rows) - BESIDE_VCS) - 1


@compiled
def spread(st: SwitchState, number: int) -> Row:
    """Return a row of which every number is this one."""
    return row_spread(st.rows, number)


@compiled
def blocked_at(st: SwitchState, i: int) -> int:
    """Return which of them says what is blocked at input port `i`."""
    return i


@compiled
def claimed_at(st: SwitchState, i: int) -> int:
    """Return which says what is claimed at input port `i`."""
    return st.k.ports + i


@compiled
def goal_at(st: SwitchState, i: int, v: int) -> int:
    """Return which says where the packet at the front of input VC (i, v) goes."""
    return 2 * st.k.ports + i * st.k.vcs + v


@compiled
def way_at(st: SwitchState, i: int, v: int) -> int:
    """Return which says on what output VC it goes."""
    return (2 + st.k.vcs) * st.k.ports + i * st.k.vcs + v


@compiled
def arbiter_at(st: SwitchState, kind: int, p: int) -> int:
    """Return which holds the arbiters of an input port: kind 0 over it, of outputs, 1 over its VCs, 2 over outputs."""
    return (2 + 2 * st.k.vcs + kind) * st.k.ports + p


@compiled
def count_at(st: SwitchState, kind: int, p: int) -> int:
    """Return which counts what passes a port: kind 0 flits in, 1 packets in, 2 packets out."""
    return (5 + 2 * st.k.vcs + kind) * st.k.ports + p


@compiled
def flits_sent_at(st: SwitchState, o: int, w: int) -> int:
    """Return which counts the flits that are sent on output VC (o, w)."""
    return (8 + 2 * st.k.vcs) * st.k.ports + o * st.k.vcs + w


@compiled
def held_at(st: SwitchState, i: int, n: int) -> int:
    """Return which says what holds more than `n` flits at input port `i`."""
    return (8 + 3 * st.k.vcs) * st.k.ports + i * (st.k.depth + 1) + n


@compiled
def tail_at(st: SwitchState, i: int, n: int) -> int:
    """Return which says of what the flit behind `n` others is a tail at input port `i`."""
    return held_at(st, st.k.ports + i, n)


@compiled
def credit_at(st: SwitchState, o: int, bit: int) -> int:
    """Return which holds a bit of the credits of output port `o`."""
    return held_at(st, 2 * st.k.ports, 0) + o * st.k.credit_bits + bit


@compiled
def credited_at(st: SwitchState, o: int) -> int:
    """Return which says what has a credit behind output port `o`."""
    return credit_at(st, st.k.ports, 0) + o


@compiled
def row_at(st: SwitchState, row: int, which: int) -> int:
    """Return the number in `st.rows` of one of the rows of numbers of a row of switches."""
    return row * st.k.row_sets + which


@compiled
def row_get(st: SwitchState, row: int, which: int) -> Row:
    """Return one of the rows of numbers of a row of switches."""
    return row_load(st.rows, row_at(st, row, which))


@compiled
def row_put(st: SwitchState, row: int, which: int, numbers: Row) -> None:
    """Write one of the rows of numbers of a row of switches."""
    row_store(st.rows, row_at(st, row, which), numbers)


@compiled
def row_place(st: SwitchState, s: int, which: int) -> int:
    """Return where the number of a switch is in such a row: a sum, of which what is common is reckoned once."""
    return row_of(st.rows, s) * st.k.row_sets * row_size(st.rows) + lane_of(st.rows, s) + which * row_size(st.rows)


@compiled
def row_number(st: SwitchState, s: int, which: int) -> int:
    """Return the number of a switch in such a row."""
    return number_in(st.rows, row_place(st, s, which))


@compiled
def row_set(st: SwitchState, s: int, which: int, number: int) -> None:
    """Write the number of a switch in such a row."""
    set_number(st.rows, row_place(st, s, which), number)


@compiled
def change_bit(st: SwitchState, s: int, which: int, bit: int, value: int) -> None:
    """Have a bit of the number of a switch be 0 or 1."""
    row_set(st, s, which, row_number(st, s, which) & ~(1 << bit) | value << bit)


@compiled
def wake_row(st: SwitchState, s: int) -> None:
    """Have the row of a switch visited: something that a match asks for has come."""
    set_number(st.row_due, row_of(st.rows, s), 1)


@compiled
def row_goes_nowhere(st: SwitchState, s: int, i: int, v: int) -> None:
    """Note that the packet at the front of input VC (i, v) is to be drained: it may always move."""
    change_bit(st, s, blocked_at(st, i), v, 0)
    row_set(st, s, goal_at(st, i, v), 1 << st.k.ports)
    wake_row(st, s)


@compiled
def row_gone(st: SwitchState, s: int, i: int, v: int) -> None:
    """Note that the packet at the front of input VC (i, v) has left; the next says anew whether it is blocked."""
    row_set(st, s, goal_at(st, i, v), 0)


@compiled
def row_claims(st: SwitchState, s: int, o: int, w: int, i: int, v: int) -> None:
    """Note that input VC (i, v), whose head is there, owns output VC (o, w) from now on."""
    st.holder[s, o, w] = vc_number(st, i, v)
    change_bit(st, s, blocked_at(st, i), v, 1 - (row_number(st, s, credited_at(st, o)) >> w & 1))
    change_bit(st, s, claimed_at(st, i), v, 1)
    row_set(st, s, goal_at(st, i, v), 1 << o)
    row_set(st, s, way_at(st, i, v), 1 << w)
    wake_row(st, s)


@compiled
def row_credits(st: SwitchState, s: int, o: int, w: int) -> int:
    """Return how many credits VC `w` behind output `o` has."""
    credits = 0
    for bit in range(st.k.credit_bits):
        credits |= (row_number(st, s, credit_at(st, o, bit)) >> w & 1) << bit
    return credits


@compiled
def holder_blocked(st: SwitchState, s: int, o: int, w: int, blocked: int) -> None:
    """Note that output VC (o, w) has no credit any more (1), or has one again: it matters to who owns it."""
    if not int(st.output[s, o].free) >> w & 1:
        holder = index(st.holder[s, o, w])
        change_bit(st, s, blocked_at(st, port_of_number(st, holder)), vc_of_number(st, holder), blocked)


def any_held(st: SwitchState) -> bool:
    """Return whether any switch has a flit in a buffer."""
    each = st.rows.reshape(st.row_count, st.k.row_sets, row_size(st.rows))
    return any(each[:, held_at(st, p, 0)].any() for p in range(st.k.ports))


@compiled_apart
def row_reset(st: SwitchState, s: int) -> None:
    """Reset what rows hold of a switch."""
    forget_heads(st, s)
    every = (1 << st.k.vcs) - 1
    for which in range(st.k.row_sets):
        row_set(st, s, which, 0)
    for p in range(st.k.ports):
        for bit in range(st.k.credit_bits):
            row_set(st, s, credit_at(st, p, bit), (st.k.depth >> bit & 1) * every)
        row_set(st, s, credited_at(st, p), every)
