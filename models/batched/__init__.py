"""64 switches at once, a file a component under the name of its twin."""
