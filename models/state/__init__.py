"""Registers of the model, and how they lie in memory."""
