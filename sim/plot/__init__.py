"""Pictures of results, one kind a file."""
