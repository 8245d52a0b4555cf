"""Power: low-power idle of output links."""
