"""Network interface of a node: benches."""
