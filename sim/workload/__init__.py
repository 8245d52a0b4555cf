"""What runs on a network: MPI programs, traces, schedules of operations, and their messages."""
