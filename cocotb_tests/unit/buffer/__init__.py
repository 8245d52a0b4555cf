"""Flits wait here: VC buffers and what stands at their front."""
