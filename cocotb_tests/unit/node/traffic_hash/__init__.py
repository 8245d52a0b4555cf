"""Bench of `hdl.node.traffic_hash`."""
