"""Building blocks that are no component of the switch."""
