"""Topologies: one family per file; each builds a `sim.topology.base.Topology`."""
