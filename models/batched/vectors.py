"""Vectors of a batch: which kinds there are, how many of each, and what they hold at reset.

In a batch, vectors replace the per-switch registers (`models.state.registers`): one vector operation acts on the same
set of all 64 switches, of which each has a SIMD lane (microarchitecture.md, section 8).

A class of kinds stands for each array of vectors: it lists what the array has for each batch, in the order of memory. A
constant of the same name (`models.constants`) is the place of the first vector of a kind within its batch: vector
`st.k.blocked + i` is that of input port i. Of kinds with more than one per port, `of_vc`, `of_level` and `of_bit` give
the number of a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

import numpy as np

from models.allocate.arbiter import row_at_reset
from models.allocate.switch_allocator import has_matrix
from models.jit.compiled import compiled
from models.jit.simd_type import LANES
from models.state.declare import NOTHING, Condition, Sizes, apart, table
from models.state.registers import SwitchState
from models.transfer.output_unit import credits_at_reset, vcs_at_reset


def per_port(
    each: Callable[[Sizes], int] = lambda n: 1,
    at_reset: Callable[[Sizes, int], int] = lambda n, at: 0,
    built: Condition = lambda n: True,
) -> Any:  # an int, as a constant
    """Declare a kind of vectors of which each port has the same number: a function that returns their values at reset.

    Parameters
    ----------
    each : function of Sizes
        How many each port has.
    at_reset : function of Sizes and int
        What a switch has at reset in the n-th of these.
    built : function of Sizes
        Whether batches have them. If not, no function may read them.
    """
    return lambda n: [at_reset(n, at) for at in range(each(n))] * n.ports if built(n) else []


def per_batch() -> Any:
    """Declare a kind of which each batch has one, which is 0 at reset."""
    return lambda n: [0]


def credit_bits(n: Sizes) -> int:
    """Return the width in bits of a number of credits."""
    return n.depth.bit_length()


def every_vc(n: Sizes, at: int) -> int:
    """Return the VCs behind an output that no packet owns, and that have all credits."""
    return vcs_at_reset(n)


def credit_bit(n: Sizes, at: int) -> int:
    """Return the VCs behind an output whose number of credits has bit `at`."""
    return (credits_at_reset(n) >> at & 1) * vcs_at_reset(n)


def _one_step(n: Sizes) -> bool:
    return not n.params.vc_stage


class CounterVectors:
    """Counters, the first vectors of `st.batch_vcs` (`models.batched.counters`)."""

    flits_in: int = per_port()
    packets_in: int = per_port()
    packets_out: int = per_port()
    flits_sent: int = per_port(lambda n: n.vcs)  # by output VC


class VcVectors(CounterVectors):
    """Vectors of `st.batch_vcs`: sets of VCs, flits (`models.batched.flit`) and positions in queues."""

    # of input ports, with a VC stage
    blocked: int = per_port()  # VCs that own an output VC without a credit
    claimed: int = per_port()  # VCs that own an output VC and still have their head
    # of input ports
    vc_order: int = per_port()  # that of the arbiter over VCs (`models.allocate.arbiter`)
    # of input VCs, with a VC stage
    output_vc: int = per_port(lambda n: n.vcs)  # the one that it owns or owned last, encoded as a flit
    # of input ports, by level n; the last level is D
    held: int = per_port(lambda n: n.depth + 1)  # VCs that hold more than n flits
    tails: int = per_port(lambda n: n.depth + 1)  # VCs whose flit behind n others is a tail
    # of output ports
    credits: int = per_port(credit_bits, credit_bit)  # by bit: VCs whose number of credits has that bit
    credited: int = per_port(at_reset=every_vc)  # VCs with a credit
    free: int = per_port(at_reset=every_vc)  # VCs that no packet owns
    blocked_outputs: int = per_port()  # 1 if heads wait for one of its VCs (`models.batched.head_delay`); VC stage
    # of input VCs: positions in their route queues (`models.batched.route_queue`)
    front: int = per_port(lambda n: n.vcs)  # of the front packet
    claim: int = per_port(lambda n: n.vcs)  # of the next packet to arrive
    # of input VCs, without a VC stage: VCs of its output that the front packet may take; the one it owns, once it does
    allowed: int = per_port(lambda n: n.vcs, built=_one_step)
    # of input ports, without a VC stage
    heads: int = per_port(built=_one_step)  # VCs whose front flit is a head that may ask for an output
    connected: int = per_port(built=_one_step)  # the VC whose connection is held, one-hot; 0 if none is
    # of output ports, without a VC stage
    output_vc_order: int = per_port(built=_one_step)  # that of the arbiter over output VCs
    roomy: int = per_port(at_reset=every_vc, built=_one_step)  # VCs with what a head needs, if it needs several credits
    # of input ports, without a VC stage
    # VCs whose front packet was refused, or waited behind another; static buffering only
    refused: int = per_port(built=_one_step)
    # VCs whose front flit is a head that chooses among outputs until it leaves
    undecided: int = per_port(built=_one_step)
    # of input VCs, with matrix arbiters: rows of the matrix over VCs (`models.batched.arbiter`)
    vc_rows: int = per_port(lambda n: n.vcs, lambda n, at: row_at_reset(at, n.vcs), has_matrix)


class OutputVectors:
    """Vectors of `st.batch_outputs`: sets of outputs, of which the drain port, number P, is one more."""

    # of input VCs: the output of which it owns a VC, one-hot; 0 if its head waits. Without a VC stage, that for which
    # its front flit asks
    granted_output: int = per_port(lambda n: n.vcs)
    # of input ports: outputs whose arbiter starts its search at or before this port. An arbiter that starts at port 0
    # is in none of them, as after reset
    input_order: int = per_port()
    # of input ports
    output_order: int = per_port()  # that of the arbiter over outputs
    # of switches
    held_outputs: int = per_batch()  # those whose connection is held in the next cycle
    wanted_outputs: int = per_batch()  # low-power idle: those that a buffered flit wanted in the last cycle allocated
    awake_outputs: int = per_batch()  # those of the wanted ones whose link is active
    hinted_outputs: int = per_batch()  # those that hints want in the cycle allocated next
    buffering_outputs: int = per_batch()  # those whose buffer may hold a flit, behind a faster crossbar
    full_outputs: int = per_batch()  # those whose buffer is full in the cycle allocated
    # of input ports, with matrix arbiters, by output: rows of the matrix over outputs
    output_rows: int = per_port(lambda n: n.ports + 1, lambda n, at: row_at_reset(at, n.ports + 1), has_matrix)
    # of input ports, with matrix arbiters, by a higher one: outputs at which the lower one has priority
    input_pairs: int = per_port(lambda n: n.ports, lambda n, at: (1 << n.ports) - 1, has_matrix)


class ScratchVectors:
    """Vectors of `st.batch_scratch`: sets of VCs, and encoded flits, that leave a batch in a cycle."""

    chosen: int = per_port()  # the VC of an input port whose flit leaves, one-hot
    leaving: int = per_port()  # that flit, with its output VC (any VC if drained)
    sent: int = per_port()  # the flit that an output sends
    sent_vcs: int = per_port()  # the VC on which it sends, one-hot


class GrantVectors:
    """Vectors of `st.batch_grants`: sets of outputs."""

    taken: int = per_port()  # the output that an input port accepts; before, those that it requests
    granted: int = per_port()  # the outputs that are granted to it


@cache
def _kinds(kinds: type) -> dict[str, Callable[[Sizes], list[int]]]:
    return {name: getattr(kinds, name) for name in get_type_hints(kinds)}


def values(n: Sizes, kinds: type) -> list[int]:
    """Return what a switch has at reset in each vector of a class of kinds."""
    return [value for kind in _kinds(kinds).values() for value in kind(n)]


def number_of(n: Sizes, kinds: type) -> int:
    """Return the number of vectors of a class of kinds that a batch has."""
    return len(values(n, kinds))


class Places(VcVectors, OutputVectors, ScratchVectors, GrantVectors):
    """Places of vectors: what a constant of the name of a kind is."""


def places(n: Sizes) -> dict[str, int]:
    """Return the place of the first vector of each kind."""
    found = {}
    for kinds in Places.__bases__:
        end = 0
        for name, kind in _kinds(kinds).items():
            found[name] = end
            end += len(kind(n))
    return found


def of_vectors(kinds: type, lane: Callable[[Sizes], Any], of_batches: bool = False) -> Any:
    """Declare the array of a class of kinds, by batch, vector and lane; scratch, if not `of_batches`, is of one batch.

    The type of a lane is a function of Sizes.
    """
    return apart(
        lane,
        NOTHING,
        lambda n: ((n.batches if of_batches else int(n.batched)) * number_of(n, kinds) * LANES,),
        of_batches=of_batches,
    )


def at_reset(kinds: type) -> Any:
    """Declare an array of what a switch of a batch has at reset in each vector of a class of kinds."""
    return table(lambda n: np.array(values(n, kinds) if n.batched else (), np.int64))


@compiled
def of_vc(st: SwitchState, p: int, v: int) -> int:
    """Return the number of the vector of VC (p, v), among those of a kind."""
    return p * st.k.vcs + v


@compiled
def of_level(st: SwitchState, i: int, n: int) -> int:
    """Return the number of the vector of input port `i` and level `n`."""
    return i * (st.k.depth + 1) + n


@compiled
def of_bit(st: SwitchState, o: int, bit: int) -> int:
    """Return the number of the vector of output port `o` and a bit of its credits."""
    return o * st.k.credit_bits + bit
