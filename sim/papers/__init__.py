"""Tables and figures of the five papers, from our own runs: a file an id, or a group of ids that share their runs."""
