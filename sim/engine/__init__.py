"""What advances a network of switches."""
