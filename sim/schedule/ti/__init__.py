"""Time-independent traces of SimGrid: what each rank called, without times."""
