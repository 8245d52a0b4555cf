"""MPI programs in Python, an instance a rank, on a simulated network."""
