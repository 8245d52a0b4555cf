"""Routes on a fat tree, computed: RTL against model."""
