"""Proofs of the hardware (docs/proofs.md): properties are in `specs/`, and `prove.py` runs them."""
