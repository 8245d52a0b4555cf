"""Amaranth RTL of the switch; a component here and its golden model in `models` have the same file name."""
