"""What all ids of the papers share: parts, their digests and tables, the runner, the report."""
