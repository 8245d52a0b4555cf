"""RC: the output port and VCs of a head."""
