"""Co-simulation: RTL on Verilator against the golden model, for components, the switch and networks."""
