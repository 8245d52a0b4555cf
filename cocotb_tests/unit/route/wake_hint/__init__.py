"""Wake hints: RTL against model."""
