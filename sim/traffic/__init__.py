"""Traffic: who sends to whom (patterns), when (arrivals), how much (sizes); `stream` makes packets of the three."""
