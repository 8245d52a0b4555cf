"""Used by every folder: registries, progress, checks of arrays, clocks, random numbers."""
