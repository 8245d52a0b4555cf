"""Look-ahead output of a crossbar: RTL against model."""
