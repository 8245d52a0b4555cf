"""Golden model of the switch: cycle-exact, compiled by numba; the only place in Python that says what a switch does."""
