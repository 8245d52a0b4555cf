"""Topologies: one family a file, all answering the questions of `sim.topology.base.Topology`."""
