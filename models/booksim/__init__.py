"""BookSim2's input-queued router, as a model alone: what of it our switch has no hardware for.

Source of the behaviour: routers/iq_router.cpp of https://github.com/booksim/booksim2, described in Jiang et al., "A
Detailed and Flexible Cycle-Accurate Network-on-Chip Simulator", ISPASS 2013.
"""
