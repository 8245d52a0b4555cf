"""The energy account: what links, switches and table lookups draw (docs/how_to/power.md)."""
