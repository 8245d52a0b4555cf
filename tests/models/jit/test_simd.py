"""SIMD operations, one number per switch, against numpy and Python integers."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features

from models.batched.flit import HEAD, MOST_VCS, TAIL, flit_on, flit_vc
from models.jit.compiled import compiled
from models.jit.compiler.entry import compile_entry
from models.jit.lanes import batch_of, lane_of, switch_in
from models.jit.native_types import kinds_of
from models.jit.sets import blend, first, order_after
from models.jit.simd import (
    broadcast,
    compress_store,
    decode_one_hot,
    fill_bytes,
    movemask,
    nonzero_mask,
    permute,
    simd_load,
    simd_store,
)
from models.jit.simd_type import LANES, WIDTHS, batches_of
from models.state.layout import aligned


@compiled
def _each(sets, starts, found, following, chosen):
    """Apply the operations of a matching to all vectors of an array."""
    lanes = 0
    for n in range(len(sets) // LANES):
        members, start = simd_load(sets, n), simd_load(starts, n)
        found_first = first(members, -start)
        simd_store(found, n, found_first)
        simd_store(following, n, order_after(found_first, start))
        simd_store(
            chosen, n, blend(nonzero_mask(sets, members), broadcast(sets, 5), ~start) + (members & start | start)
        )
        lanes |= movemask(members)
    return lanes


@pytest.mark.parametrize(("bits", "size"), [(8, 1), (8, 5), (8, 8), (16, 1), (16, 2), (16, 5), (16, 15), (16, 16)])
def test_every_lane_has_its_own_number(bits, size):
    rng = np.random.default_rng(size)
    sets, starts, *results = (aligned((7 * LANES,), f"uint{bits}") for _ in range(5))
    sets[:] = rng.integers(0, 1 << size, len(sets)) * (rng.random(len(sets)) < 0.7)
    starts[:] = 1 << rng.integers(0, size, len(sets))
    lanes = _each(sets, starts, *results)
    assert lanes % (1 << 64) == sum(1 << k for k in range(LANES) if sets[k::LANES].any())
    for members, start, found, following, chosen in zip(sets, starts, *results, strict=True):
        members, start = int(members), int(start)
        begin = start.bit_length() - 1
        order = [(begin + k) % size for k in range(size)]
        winner = next((k for k in order if members >> k & 1), None)
        assert found == (0 if winner is None else 1 << winner)
        ones = (1 << bits) - 1
        assert following == (start if winner is None else ones & -2 << winner)
        assert chosen == ((5 if members else ~start & ones) + start) & ones


def test_batch_and_lane_of_a_switch():
    assert [(batch_of(s), lane_of(s)) for s in (0, 63, 64, 200)] == [(0, 0), (0, 63), (1, 0), (3, 8)]
    assert [switch_in(batch_of(s), lane_of(s)) for s in (0, 63, 64, 200)] == [0, 63, 64, 200]
    assert [batches_of(count) for count in (0, 1, 64, 65)] == [0, 1, 1, 2]


@compiled
def _nonzero_of(sets, wanted):
    simd_store(wanted, 0, nonzero_mask(wanted, simd_load(sets, 0)))


@pytest.mark.parametrize(("bits", "wanted"), list(product(WIDTHS, WIDTHS)))
def test_nonzero_mask_of_another_width(bits, wanted):
    rng = np.random.default_rng(bits + wanted)
    sets, some = aligned((LANES,), f"uint{bits}"), aligned((LANES,), f"uint{wanted}")
    sets[:] = rng.integers(0, 1 << bits, LANES) * (rng.random(LANES) < 0.5)
    _nonzero_of(sets, some)
    assert np.array_equal(some, (sets != 0) * ((1 << wanted) - 1))


@compiled
def _permuted(numbers, places, result):
    simd_store(result, 0, permute(simd_load(numbers, 0), simd_load(places, 0)))


@pytest.mark.parametrize("bits", WIDTHS)
def test_permute(bits):
    """Indices beyond the end of a vector wrap around."""
    rng = np.random.default_rng(bits)
    numbers, places, result = (aligned((LANES,), f"uint{bits}") for _ in range(3))
    for vector in numbers, places:
        vector[:] = rng.integers(0, 1 << bits, LANES)
    _permuted(numbers, places, result)
    assert np.array_equal(result, numbers[places % LANES])


@compiled
def _decoded(numbers, result):
    simd_store(result, 0, decode_one_hot(simd_load(numbers, 0)))


@pytest.mark.parametrize("bits", WIDTHS)
def test_decode_one_hot_of_flits(bits):
    vcs = np.arange(LANES) % (min(bits, MOST_VCS) + 1) - 1
    numbers, result = (aligned((LANES,), f"uint{bits}") for _ in range(2))
    numbers[:] = [flit_on(w) | HEAD * (n // 16 % 2) | TAIL * (n // 32) if w >= 0 else 0 for n, w in enumerate(vcs)]
    _decoded(numbers, result)
    assert np.array_equal(result, [1 << w if w >= 0 else 0 for w in vcs])
    assert all(flit_vc(int(number)) == w for number, w in zip(numbers, vcs, strict=True))


@compiled
def _listed(sets, found, vectors):
    """List the lanes that are not 0, of all vectors of an array."""
    n = 0
    for vector in range(len(sets) // LANES):
        fill_bytes(vectors, n, vector)
        n += compress_store(found, n, simd_load(sets, vector))
    return n


@pytest.mark.parametrize("bits", WIDTHS)
def test_compress_store(bits):
    rng = np.random.default_rng(bits)
    sets = aligned((7 * LANES,), f"uint{bits}")
    sets[:] = rng.integers(0, 1 << bits, len(sets)) * (rng.random(len(sets)) < 0.4)
    sets[2 * LANES : 3 * LANES] = 0
    sets[3 * LANES : 4 * LANES] = 1
    found, vectors = np.zeros((2, 8 * LANES), np.uint8)
    count = _listed(sets, found, vectors)
    assert np.array_equal(vectors[:count].astype(np.int64) * LANES + found[:count], np.flatnonzero(sets))


def test_avx_512_is_used_if_the_processor_has_it_and_it_is_not_switched_off():
    """Numba's variables switch it off, for the test below and for a job of CI: the assembly has none of it then."""
    arguments = tuple(aligned((LANES,), "uint8") for _ in range(3))
    compile_entry(_listed, kinds_of(arguments), arguments)
    assembly = "".join(_listed.part.inspect_asm().values())
    features = os.environ.get("NUMBA_CPU_FEATURES", get_host_cpu_features().flatten()).split(",")
    assert ("vpcompressb" in assembly) == ("+avx512vbmi2" in features)
    assert "+avx512f" in features or "zmm" not in assembly


def test_on_a_processor_without_these_instructions(tmp_path):
    """The tests above, without single instructions for permute, decode and compress."""
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_JIT": "0"}
    env = os.environ | plain | {"NUMBA_CACHE_DIR": str(tmp_path)}
    switched_off = test_avx_512_is_used_if_the_processor_has_it_and_it_is_not_switched_off
    these = test_permute, test_decode_one_hot_of_flits, test_compress_store, switched_off
    tests = [f"{__file__}::{test.__name__}" for test in these]
    told = subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], env=env, capture_output=True, text=True)
    assert "7 passed" in told.stdout, told.stdout + told.stderr
