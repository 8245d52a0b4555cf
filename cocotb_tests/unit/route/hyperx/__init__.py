"""Routes on a HyperX, computed: RTL against model."""
