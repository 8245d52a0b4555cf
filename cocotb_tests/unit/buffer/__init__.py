"""Buffer write: benches of VC buffers, head delay and input unit."""
