"""VC buffers, and the heads at their front."""
