"""ST: crossbar, output units and links."""
