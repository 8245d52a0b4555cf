"""Networks of RTL switches against the simulator: every flit at every node in the same cycle."""
