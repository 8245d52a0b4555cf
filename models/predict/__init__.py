"""Prediction of output ports before the header arrives, and the bypass that uses it."""
