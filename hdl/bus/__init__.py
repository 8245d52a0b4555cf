"""Standard buses at a switch: AXI4-Stream at local ports, AXI4-Lite to registers. Each has a bench, and no model.

A bus is behaviour, but not of the switch: the standard defines it, and the simulator has none. So there is no model to
compare it with cycle by cycle; benches compare transactions with those of cocotbext-axi, and proofs hold the protocol.
"""
