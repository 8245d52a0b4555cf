"""Processes under MPI that advance one network: what they send to one another, and how they wait."""
