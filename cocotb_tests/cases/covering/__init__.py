"""A covering array of switches: every two levels of any two parameters that go together are in one of them."""
