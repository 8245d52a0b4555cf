"""Mutation tests: faults put into the source on purpose, each of which the regression must detect."""
