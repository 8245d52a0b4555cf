"""Whether routes can deadlock: cycles in the channel dependency graph."""
