"""Traffic: destinations (patterns), times (arrivals) and sizes of packets; `stream` combines the three."""
