"""Speed of the simulator and of the switch it simulates."""
