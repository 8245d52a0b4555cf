"""The energy account: power of links, switches and table lookups (docs/how_to/power.md)."""
