"""Standard buses at a switch: AXI4-Stream at local ports, AXI4-Lite to registers. Each has a bench, and no model."""
