"""A network in which nothing moves any more: who waits for whom."""
