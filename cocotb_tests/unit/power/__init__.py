"""Power: bench of low-power idle."""
