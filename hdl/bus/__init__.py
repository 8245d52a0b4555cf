"""Buses to a switch: AXI4-Lite for what is programmed and read."""
