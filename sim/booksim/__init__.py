"""BookSim2's configurations on our engine: its language, its keys and defaults, its traffic, its measurement."""
