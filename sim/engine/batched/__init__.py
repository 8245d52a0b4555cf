"""The parts of the engine that advance 64 switches at once."""
