"""Compiler: numba, extended for the model's functions. Imported only when something must be compiled."""
