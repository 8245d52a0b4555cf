"""Speed of the simulator, and throughput of its switch."""
