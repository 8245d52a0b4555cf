"""The compiler: numba, and what it is taught of the model's functions. Imported only where something is compiled."""
