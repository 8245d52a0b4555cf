"""Prediction of output ports: benches of predictor and bypass."""
