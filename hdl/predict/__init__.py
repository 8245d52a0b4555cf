"""Output ports named before the header arrives."""
