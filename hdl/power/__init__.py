"""Low-power idle of links."""
