"""Benches of `hdl.top`: the whole switch with its route table."""
