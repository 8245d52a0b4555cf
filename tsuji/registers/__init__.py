"""Register map of a switch in the forms that other programs read, and its driver."""
