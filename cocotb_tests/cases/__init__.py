"""Parameter sets of the benches."""
