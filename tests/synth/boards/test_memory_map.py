from itertools import product

from models.formats import COUNTERS
from models.params import SwitchParams
from synth.boards import host_frame
from synth.boards import memory_map as where
from synth.boards.node_words import Table, number_of


def test_no_two_words_have_one_address():
    switches, ports = (0, 1, where.MOST_SWITCHES - 1), (0, 1, where.MOST_PORTS - 1)
    counters = (where.counter(s, p, n) + k for s, p, n, k in product(switches, ports, range(COUNTERS), (0, 1)))
    numbers = (number_of(table, place) for table in Table for place in (0, 1, 385))
    nodes = [where.node(n, number) for n, number in product((0, 1, where.MOST_NODES - 1), numbers)]
    controls = [where.control(word) for word in where.Control]
    entry = range(where.program(), where.program() + where.program_words(SwitchParams()) + 1)
    addresses = [*counters, *nodes, *controls, *entry]
    assert len(set(addresses)) == len(addresses)
    assert max(addresses) < 1 << 8 * host_frame.ADDRESS_BYTES


def test_an_entry_fits_a_frame():
    widest = SwitchParams(ports=32, vcs=16, tag_width=64, data_width=64, cam={"match": "ternary", "entries": 256})
    assert where.program_words(widest) + 1 <= host_frame.MOST_WRITTEN
