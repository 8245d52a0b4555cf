"""Everything that touches numba or llvmlite."""
