"""Batches: 64 switches advance at once, one SIMD lane per switch; each file is named after its scalar counterpart."""
