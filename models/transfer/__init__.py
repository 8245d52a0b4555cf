"""ST, switch traversal, and the link: crossbar, output units, links."""
