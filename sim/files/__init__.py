"""Files of results: written atomically, growing, or as tables."""
