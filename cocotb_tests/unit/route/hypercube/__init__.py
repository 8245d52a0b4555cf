"""Routes on a hypercube, computed: RTL against model."""
