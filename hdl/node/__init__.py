"""Network interface of a node: the plane on which a message is sent."""
