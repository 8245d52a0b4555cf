"""The compiled message layer: operations of ranks, messages between them, and dependencies."""
