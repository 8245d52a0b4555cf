"""RTL against model on Verilator: components, the switch, networks."""
