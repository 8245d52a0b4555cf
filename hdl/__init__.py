"""The switch in Amaranth RTL; each file has a twin of the same name in `models`."""
