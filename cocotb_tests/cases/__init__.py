"""Parameter sets that benches run with."""
