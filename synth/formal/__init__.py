"""Formal proofs of the hardware (docs/reference/proofs.md): properties are in `specs/`, and `prove.py` runs them."""
