"""Properties, one file per component."""
