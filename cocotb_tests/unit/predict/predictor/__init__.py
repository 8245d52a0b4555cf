"""Bench of `hdl.predict.predictor`."""
