"""Routes on a dragonfly, computed: RTL against model."""
