"""Registers of the model, and their layout in memory."""
