"""The compiled message layer: operations of ranks, the messages between them, and what waits for what."""
