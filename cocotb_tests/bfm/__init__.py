"""Bus models and the lockstep loop that all benches share."""
