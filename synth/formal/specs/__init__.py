"""Properties, a file for each component they are about."""
