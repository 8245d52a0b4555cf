"""Time-independent traces of SimGrid: the calls of each rank, without times."""
