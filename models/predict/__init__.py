"""Prediction of output ports, and the bypass for flits that were predicted right."""
