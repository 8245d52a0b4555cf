"""Bench of `synth.boards.uart`."""
