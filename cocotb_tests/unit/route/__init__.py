"""RC, route computation: benches."""
