"""Networks of model switches: topologies, routing, traffic, measurement, sweeps."""
