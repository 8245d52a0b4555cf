"""ST, switch traversal, and the link: benches."""
