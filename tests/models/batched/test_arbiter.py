"""Matrix arbiters of batches against those of single switches (`models.allocate.arbiter`)."""

import numpy as np
import pytest

from cocotb_tests.runner.run_bench import seed
from models.allocate.arbiter import matrix, matrix_next
from models.batched.arbiter import (
    advance_input_matrix,
    first_by_matrix,
    grant_by_matrix,
    matrix_after,
)
from models.jit.compiled import compiled
from models.jit.simd import simd_load, simd_store
from models.params import SwitchParams
from tests.models.batched.conftest import SWITCHES, Twins

ROUNDS = 40
RINGS = {"routing": "dimension_order", "radix": (5,), "wrap": True, "arbiter": "matrix", "vcs": 9}


@pytest.fixture(scope="module", params=[3, 6])
def matrices(request):
    """Switches with matrix arbiters, after reset: arbiters over VCs, over outputs, and over input ports."""
    more = {"allocator": "output_first", "vc_stage": True, "hold_packets": False, "ports": request.param}
    return Twins(SwitchParams(**RINGS | more))


@compiled
def _choose(st, requests, won, of_vcs):
    for n in range(st.batch_count * st.k.ports):
        batch, i = n // st.k.ports, n % st.k.ports
        asked = simd_load(requests, n)
        if of_vcs:
            rows = batch * st.k.batch_vectors + st.k.vc_rows + i * st.k.vcs
            chosen = first_by_matrix(st.batch_vcs, rows, st.k.vcs, asked)
            matrix_after(st.batch_vcs, rows, st.k.vcs, chosen)
        else:
            rows = batch * st.k.batch_output_vectors + st.k.output_rows + i * (st.k.ports + 1)
            chosen = first_by_matrix(st.batch_outputs, rows, st.k.ports + 1, asked)
            matrix_after(st.batch_outputs, rows, st.k.ports + 1, chosen)
        simd_store(won, n, chosen)


@compiled
def _choose_vcs(st, requests, won):
    _choose(st, requests, won, True)


@compiled
def _choose_outputs(st, requests, won):
    _choose(st, requests, won, False)


@compiled
def _grant(st, requests, won):
    """Grant outputs to input ports, which all take what they get."""
    ports = st.k.ports
    for batch in range(st.batch_count):
        for i in range(ports):
            simd_store(st.batch_grants, st.k.taken + i, simd_load(requests, batch * ports + i))
        grant_by_matrix(st, batch)
        for i in range(ports):
            granted = simd_load(st.batch_grants, st.k.granted + i)
            simd_store(won, batch * ports + i, granted)
            simd_store(st.batch_grants, st.k.taken + i, granted)
        advance_input_matrix(st, batch)


def _one_by_one(rows, requests):
    """Return the winners of arbiters with matrices `rows` [switches, n, members], one-hot; 0 without a request."""
    won = np.zeros_like(requests)
    for at in np.argwhere(requests):
        winner = matrix(int(requests[*at]), rows[*at])
        matrix_next(rows[*at], winner)
        won[*at] = 1 << winner
    return won


def _check(twins, rows, size, lanes, choose):
    """Compare arbiters over `size` requesters, one per input port, under random requests."""
    rng = np.random.default_rng(seed())
    seen = set()
    for _ in range(ROUNDS):
        requests = rng.integers(0, 1 << size, rows.shape[:2]) & rng.integers(0, 1 << size, rows.shape[:2])
        won = twins.vectors(np.zeros_like(requests), lanes)
        choose(twins.batch, twins.vectors(requests, lanes), won)
        expected = _one_by_one(rows, requests)
        assert np.array_equal(twins.numbers(won), expected), f"TSUJI_SEED={seed()}"
        seen |= {int(number) for number in expected.ravel()}
    assert len(seen) == size + 1


def test_vcs_are_chosen_as_one_by_one(matrices):
    _check(matrices, matrices.one.input_rows, matrices.params.vcs, matrices.batch.batch_vcs, _choose_vcs)


def test_outputs_are_chosen_as_one_by_one(matrices):
    """The drain port is one more output."""
    _check(matrices, matrices.one.accept_rows, matrices.params.ports + 1, matrices.batch.batch_outputs, _choose_outputs)


def test_outputs_are_granted_as_one_by_one(matrices):
    """Each output is granted to one input port, the drain port to all that ask."""
    twins, ports = matrices, matrices.params.ports
    rng = np.random.default_rng(seed() + 1)
    outputs = np.arange(ports)
    for _ in range(ROUNDS):
        requests = rng.integers(0, 2 << ports, (SWITCHES, ports))
        won = twins.vectors(np.zeros_like(requests), twins.batch.batch_outputs)
        _grant(twins.batch, twins.vectors(requests, twins.batch.batch_outputs), won)
        asked = (requests[:, :, None] >> outputs & 1).transpose(0, 2, 1)  # by output, over input ports
        winners = _one_by_one(twins.one.output_rows, (asked << outputs).sum(axis=2))
        granted = (winners[:, None, :] >> np.arange(ports)[:, None] & 1) << outputs
        assert np.array_equal(twins.numbers(won), granted.sum(axis=2) | requests & 1 << ports), f"TSUJI_SEED={seed()}"
