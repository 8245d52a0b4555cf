"""MPI programs in Python, one instance per rank, on a simulated network."""
