"""BookSim2's configurations on our engine: their language, keys and defaults, traffic and measurement."""
