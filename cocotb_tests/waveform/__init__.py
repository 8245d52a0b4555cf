"""Timing diagrams of `docs/`, drawn from signals of the hardware: `python -m cocotb_tests.waveform`."""
