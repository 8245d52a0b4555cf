"""Framework of the papers' ids: parts, their digests and tables, the runner, the report."""
