"""A network on an FPGA board: its design, the host's side of it, and its simulation."""
