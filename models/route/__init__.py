"""RC, route computation: output port and VCs of a head."""
