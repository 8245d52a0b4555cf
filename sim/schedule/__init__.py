"""What is to be sent: operations of ranks, read from files or made by collectives."""
