"""Synthesis for FPGAs, formal proofs, lint, and the location of external tools."""
