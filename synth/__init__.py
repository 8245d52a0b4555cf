"""FPGA flow, formal proofs and the one place that finds external tools."""
