"""Bench of `hdl.predict.bypass`."""
