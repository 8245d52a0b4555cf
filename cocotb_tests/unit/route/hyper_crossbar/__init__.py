"""Routes on a hyper-crossbar, computed: RTL against model."""
