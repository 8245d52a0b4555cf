"""What a crossbar shows of its outputs: RTL against model."""
