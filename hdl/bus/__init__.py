"""Standard buses in front of a switch: AXI4-Stream at its local ports. A bus has no model, but a bench of its own."""
