"""Bench of `hdl.allocate.vc_stage`."""
