"""Choice among the outputs of a route: RTL against model."""
