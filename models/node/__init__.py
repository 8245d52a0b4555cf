"""What nodes do at their local ports."""
