"""Timing diagrams of `docs/`, drawn from what the hardware does: `python -m cocotb_tests.waveform`."""
