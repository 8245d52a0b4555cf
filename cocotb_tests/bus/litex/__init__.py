"""The bench of a switch with registers in a system on chip that LiteX makes."""
