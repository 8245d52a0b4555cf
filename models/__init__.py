"""The golden model of the switch: cycle-exact, compiled, the only home of switch behaviour in Python."""
