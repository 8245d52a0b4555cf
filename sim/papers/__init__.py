"""Tables and figures of the five papers, from our own runs: one file per id, or per group of ids that share runs."""
