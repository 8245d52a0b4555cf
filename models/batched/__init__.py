"""Batches: 64 switches advance at once, a SIMD lane each; a file a component, under the name of its scalar twin."""
