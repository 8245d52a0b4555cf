"""Network interface of a node: the plane on which a message is sent, and the traffic of a node on a board."""
