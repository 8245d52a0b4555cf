"""Buffer write: VC buffers, and the heads at the front of each VC."""
