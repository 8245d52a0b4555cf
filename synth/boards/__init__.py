"""Prototypes on FPGA boards: host port, network with nodes, boards, and the way to a bitstream."""
