"""Faults in the rules that one switch and 64 share: the definitions in `test_rules.py` notice each of them.

To compare the two forms (`tests/models/batched/test_faults.py`) would not: both would have the fault.
"""

import pytest

from cocotb_tests.mutation.python_fault import Fault, faulty_copy
from synth.mutated import run_in

PROGRAM = """
from tests.models.allocate import test_rules as rules

noticed = []
for name in rules.RULES:
    try:
        rules.test_a_rule_of_one_switch(name, "python")
    except AssertionError:
        noticed.append(name)
for test in rules.test_numbers_of_requesters_and_pointers, rules.test_vcs_with_enough_credits:
    try:
        test()
    except AssertionError:
        noticed.append(test.__name__)
for size in 1, 3, 4, 5:
    try:
        rules.test_places_of_a_ring(size)
    except AssertionError:
        noticed.append(size)
print(*noticed)
"""
SETS, ARBITER, RING = "models.jit.sets.", "models.allocate.arbiter.", "models.jit.ring_index."
ALLOCATOR, OUTPUT = "models.allocate.switch_allocator.", "models.transfer.output_unit."
FAULTS = {
    "none": None,
    "the requester granted last comes first": Fault(SETS + "order_after", "+", "keep left"),
    "an order changes without a grant": Fault(SETS + "order_after", "blend()", "replace by argument", 1),
    "a search does not wrap around": Fault(SETS + "either", "blend()", "replace by argument", 1),
    "the lowest always comes first": Fault(SETS + "first", "&", "keep left", which=(1, 2)),
    "a second requester wins, too, for its turn": Fault(ARBITER + "won_first", "&", "keep left", which=(1, 2)),
    "a second requester wins, too": Fault(ARBITER + "won_last", "&", "keep left"),
    "a requester keeps its turn": Fault(ARBITER + "orders_after", "&", "keep left"),
    "the lowest requester wins": Fault(ARBITER + "row_wins", "&", "keep left", which=(2, 3)),
    "a requester wins that does not ask": Fault(ARBITER + "row_wins", "&", "keep right", which=(1, 3)),
    "who was granted keeps its priority": Fault(ARBITER + "row_after", "&", "keep left", which=(1, 2)),
    "nobody passes who was granted": Fault(ARBITER + "row_after", "|", "keep left"),
    "a held output is open to all": Fault(ALLOCATOR + "not_held", "~", "drop operator"),
    "a held output is closed to its own packet": Fault(ALLOCATOR + "not_held", "|", "keep left"),
    "a held connection does not come first": Fault(ALLOCATOR + "connected_first", "&", "keep left"),
    "a body needs a free VC": Fault(OUTPUT + "open_vcs", "|", "keep left"),
    "a head takes a VC that is owned": Fault(OUTPUT + "open_vcs", "~", "drop operator"),
    "a flit needs no credit": Fault(OUTPUT + "open_vcs", "&", "keep right"),
    "a VC that a head claimed stays free": Fault(OUTPUT + "free_vcs", "&", "keep left"),
    "a packet keeps its VC": Fault(OUTPUT + "free_vcs", "|", "keep left"),
    "no credit is enough": Fault(OUTPUT + "vcs_after_credit", "int()", "replace by constant", 0),
    "the last credit is not the last": Fault(OUTPUT + "vcs_after_spend", "int()", "replace by constant", 0),
    "a queue wraps too late": Fault(RING + "next_index", "^", "keep left"),
}


def test_every_fault_follows_its_source():
    for fault in filter(None, FAULTS.values()):
        fault.source()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_shows(name, monkeypatch):
    """As plain Python: `test_rules.py` calls the same functions compiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with faulty_copy(FAULTS[name]) as folder:
        told = run_in(folder, name, ["-c", PROGRAM])
    assert bool(told.split()) == (FAULTS[name] is not None), told
