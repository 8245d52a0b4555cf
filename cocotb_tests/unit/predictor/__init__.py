"""Bench of `hdl.predictor`."""
