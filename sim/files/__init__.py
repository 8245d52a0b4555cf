"""Files that results are written to: atomically, growing, as tables."""
