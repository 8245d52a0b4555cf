import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.crc_hash import CrcHash

CASES = [
    (16, 0x11021, 4),  # default: CRC-16/CCITT, 16 sets
    (16, 0x107, 8),  # smallest degree
    (24, 0x104C11DB7, 32),  # CRC-32, all bits
    (64, 0x11021, 16),  # widest tag
    (64, 0x1EDC6F41 << 1 | 1 | 1 << 32, 10),  # highest degree, widest tag
    (40, 0x119, 1),  # one bit of index
]


@pytest.mark.parametrize(("width", "polynomial", "bits"), tiered(CASES, [CASES[n] for n in (0, 2, 4, 5)]))
def test_crc_hash(width: int, polynomial: int, bits: int) -> None:
    parameters = {"width": width, "polynomial": polynomial, "bits": bits}
    design = CrcHash(polynomial, width, bits)
    case = f"{width} bits by {polynomial:#x} to {bits}"
    run_bench(design, "cocotb_tests.unit.route.crc_hash.bench", case, parameters, cycles=5000)
