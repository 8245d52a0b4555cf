"""Mutants: faults put into the hardware on purpose, each of which the regression must notice."""
