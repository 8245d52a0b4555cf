"""Buffer write: VC buffers, and the logic at the front of each VC."""
