"""Bus functional models, functional coverage, and the lockstep comparison that all benches share."""
