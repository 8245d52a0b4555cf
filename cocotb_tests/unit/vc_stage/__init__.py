"""Bench of `hdl.vc_stage`."""
