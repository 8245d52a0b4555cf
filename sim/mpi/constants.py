"""Constants of MPI."""

from __future__ import annotations

from sim.messages.tags import MAX_TAG

ANY_SOURCE = -1
ANY_TAG = -1
PROC_NULL = -2
ROOT = -3
UNDEFINED = -32766
TAG_UB = MAX_TAG  # an attribute's key, and its value
IDENT, CONGRUENT, SIMILAR, UNEQUAL = range(4)
GRAPH, CART, DIST_GRAPH = 1, 2, 3
ORDER_C, ORDER_FORTRAN = 56, 57
MODE_NOCHECK, MODE_NOSTORE, MODE_NOPUT, MODE_NOPRECEDE, MODE_NOSUCCEED = 1, 2, 4, 8, 16
THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = range(4)


class _InPlace:
    def __repr__(self) -> str:
        return "MPI.IN_PLACE"


IN_PLACE = _InPlace()
"""In place of a buffer: the other buffer is both input and output."""
