"""Just-in-time compilation of the model: all that touches numba or llvmlite."""
