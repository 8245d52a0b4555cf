"""VA and SA, VC allocation and switch allocation: benches."""
