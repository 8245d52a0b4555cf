"""Building blocks that components share."""
