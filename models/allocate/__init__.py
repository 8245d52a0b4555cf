"""VA and SA, VC allocation and switch allocation: output VCs and crossbar time slots."""
