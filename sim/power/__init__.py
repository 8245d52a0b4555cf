"""The energy account: what links, switches and table lookups draw (docs/power.md)."""
