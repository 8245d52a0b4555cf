"""The engine: advances a network of switches."""
