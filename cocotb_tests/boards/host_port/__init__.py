"""Bench of `synth.boards.host_port`."""
