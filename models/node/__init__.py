"""Network interface of a node: sources, sinks, the plane on which a message is sent, the traffic of a board."""
