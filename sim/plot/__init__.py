"""Pictures of results, one file per kind."""
