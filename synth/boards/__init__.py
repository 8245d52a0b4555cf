"""Prototypes on boards: hardware beside the network."""
