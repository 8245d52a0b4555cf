"""Sets of VCs of switches in rows, 64 of them in each (docs/microarchitecture.md, section 8).

Where switches are in rows, these and sets of outputs (`models.batched.output_sets`) stand in place of the registers of
each one (`models.state.registers`): what is done with a set of VCs of one switch is done with those of all. With P
ports, V VCs of D flits each and credits of B bits, each row of switches has, one after the other, a row of

- counts, for each input port: flits in, packets in; for each output port: packets out (3 P; `models.batched.counters`);
- sent, for each output VC: how many flits (P V);
- blocked, for each input port: its VCs that own an output VC without a credit (P);
- claimed, for each input port: its VCs that own an output VC, their head still there (P);
- order, for each input port: what comes first of its VCs (P);
- way, for each input VC: the output VC that it owns, or did last, as a flit says it (P V; `models.batched.flit`);
- held, for each input port and number: its VCs with more flits than that; the last number is D (P (D + 1));
- tails, for each input port and number: its VCs of which the flit behind so many is a tail (P (D + 1));
- credits, for each output port and bit: its VCs whose number of credits has that bit (P B);
- credited, for each output port: its VCs with a credit (P);
- free, for each output port: its VCs that no packet owns (P);
- aside, for each output port: 1 if heads are put aside with it (P; `models.batched.head_delay`);
- front, for each input VC: the place in its route queue of the packet at the front (P V; `models.batched.route_queue`);
- claim, for each input VC: the place there of the packet that comes next (P V).
"""

from __future__ import annotations

import numpy as np

from models.batched.flit import MOST_VCS, flit_on
from models.batched.output_sets import set_goal
from models.jit.bits import index
from models.jit.compiled import compiled
from models.jit.simd import number_in, row_load, row_spread, row_store, set_number
from models.jit.simd_type import LANES, WIDTHS, Row, place_of_number, row_of
from models.params import SwitchParams
from models.state.registers import SwitchState
from models.state.vc_set import port_of_number, vc_number, vc_of_number

COUNTS = 3


def row_widths(params: SwitchParams, ports: int | None = None) -> tuple[int, int]:
    """Return of how many bits sets are where switches of these parameters are in rows; zeros if they cannot be.

    Parameters
    ----------
    params : SwitchParams
        Of every switch.
    ports : int, optional
        Ports for which there is room, if more than `params.ports`.

    Returns
    -------
    tuple of int
        Of a set of VCs, which also has places in a queue; of a set of outputs, with nowhere. The latter is never less:
        one kind less to compile.
    """
    plain = params.allocator == "output_first" and params.arbiter == "round_robin" and not params.hold_packets
    stages = params.claims_full and not params.speculates
    more = params.lpi or params.prediction or params.speedup > 1 or params.header_flits > 1
    outputs = (ports or params.ports) + 1
    if not plain or not stages or more or params.vcs > MOST_VCS or outputs > max(WIDTHS):
        return 0, 0
    width = min(bits for bits in WIDTHS if params.vcs <= bits and params.depth <= 1 << bits)
    return width, min(bits for bits in WIDTHS if max(width, outputs) <= bits)


def fit_rows(params: SwitchParams, ports: int | None = None) -> bool:
    """Return whether switches of these parameters can be in rows; as `row_widths`."""
    return all(row_widths(params, ports))


def credit_bits(depth: int) -> int:
    """Return the bits of a number of credits."""
    return depth.bit_length()


def counts_of(ports: int, vcs: int) -> int:
    """Return how many of a row of switches' rows of numbers count: they lie side by side."""
    return ports * (COUNTS + vcs)


def sets_of(ports: int, vcs: int, depth: int) -> int:
    """Return how many rows of sets of VCs a row of switches has, and of counters."""
    return ports * (3 + vcs + 2 * (depth + 1) + credit_bits(depth) + 3 + 2 * vcs) + counts_of(ports, vcs)


@compiled
def spread(st: SwitchState, number: int) -> Row:
    """Return a row of sets of VCs of which every number is this one."""
    return row_spread(st.rows, number)


@compiled
def count_at(st: SwitchState, kind: int, p: int) -> int:
    """Return which of them counts what passes a port: kind 0 flits in, 1 packets in, 2 packets out."""
    return kind * st.k.ports + p


@compiled
def flits_sent_at(st: SwitchState, o: int, w: int) -> int:
    """Return which counts the flits that are sent on output VC (o, w)."""
    return COUNTS * st.k.ports + o * st.k.vcs + w


@compiled
def blocked_at(st: SwitchState, i: int) -> int:
    """Return which says what is blocked at input port `i`."""
    return (COUNTS + st.k.vcs) * st.k.ports + i


@compiled
def claimed_at(st: SwitchState, i: int) -> int:
    """Return which says what is claimed at input port `i`."""
    return blocked_at(st, st.k.ports) + i


@compiled
def order_at(st: SwitchState, i: int) -> int:
    """Return which says what comes first of the VCs of input port `i`."""
    return claimed_at(st, st.k.ports) + i


@compiled
def way_at(st: SwitchState, i: int, v: int) -> int:
    """Return which says on what output VC the packet at the front of input VC (i, v) goes."""
    return order_at(st, st.k.ports) + i * st.k.vcs + v


@compiled
def held_at(st: SwitchState, i: int, n: int) -> int:
    """Return which says what holds more than `n` flits at input port `i`."""
    return way_at(st, st.k.ports, 0) + i * (st.k.depth + 1) + n


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
def free_at(st: SwitchState, o: int) -> int:
    """Return which says what nobody owns behind output port `o`."""
    return credited_at(st, st.k.ports) + o


@compiled
def aside_at(st: SwitchState, o: int) -> int:
    """Return which says whether heads are put aside with output port `o`."""
    return free_at(st, st.k.ports) + o


@compiled
def front_at(st: SwitchState, i: int, v: int) -> int:
    """Return which says where in its route queue the packet at the front of input VC (i, v) is."""
    return aside_at(st, st.k.ports) + i * st.k.vcs + v


@compiled
def claim_at(st: SwitchState, i: int, v: int) -> int:
    """Return which says where the next one will be that comes."""
    return front_at(st, st.k.ports + i, v)


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
def _place(st: SwitchState, s: int, which: int) -> int:
    return place_of_number(s, st.k.row_sets, which)


@compiled
def row_number(st: SwitchState, s: int, which: int) -> int:
    """Return the number of a switch in such a row."""
    return number_in(st.rows, _place(st, s, which))


@compiled
def row_set(st: SwitchState, s: int, which: int, number: int) -> None:
    """Write the number of a switch in such a row."""
    set_number(st.rows, _place(st, s, which), number)


@compiled
def change_bit(st: SwitchState, s: int, which: int, bit: int, value: int) -> None:
    """Have a bit of the number of a switch be 0 or 1."""
    row_set(st, s, which, row_number(st, s, which) & ~(1 << bit) | value << bit)


@compiled
def wake_row(st: SwitchState, s: int) -> None:
    """Have the row of a switch visited: something that a match asks for has come."""
    set_number(st.row_due, row_of(s), 1)


@compiled
def row_goes_nowhere(st: SwitchState, s: int, i: int, v: int) -> None:
    """Note that the packet at the front of input VC (i, v) is to be drained: it may always move."""
    set_goal(st, s, i, v, 1 << st.k.ports)
    wake_row(st, s)


@compiled
def row_claims(st: SwitchState, s: int, o: int, w: int, i: int, v: int) -> None:
    """Note that input VC (i, v), whose head is there, owns output VC (o, w) from now on."""
    st.holder[s, o, w] = vc_number(st, i, v)
    change_bit(st, s, free_at(st, o), w, 0)
    change_bit(st, s, blocked_at(st, i), v, 1 - (row_number(st, s, credited_at(st, o)) >> w & 1))
    change_bit(st, s, claimed_at(st, i), v, 1)
    set_goal(st, s, i, v, 1 << o)
    row_set(st, s, way_at(st, i, v), flit_on(w))
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
    if not row_number(st, s, free_at(st, o)) >> w & 1:
        holder = index(st.holder[s, o, w])
        change_bit(st, s, blocked_at(st, port_of_number(st, holder)), vc_of_number(st, holder), blocked)


def held_view(st: SwitchState) -> np.ndarray:
    """Return a view [rows, P, switches of a row] of the VCs of input ports that hold a flit."""
    each = st.rows.reshape(st.row_count, st.k.row_sets, LANES)
    return each[:, held_at(st, 0, 0) : tail_at(st, 0, 0) : st.k.depth + 1]
