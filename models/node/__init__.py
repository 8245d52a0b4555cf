"""Network interface of a node: sources, sinks, and the plane on which a message is sent."""
