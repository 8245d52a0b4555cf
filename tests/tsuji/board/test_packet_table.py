import numpy as np

from models import formats
from models.params import SwitchParams
from synth.boards.packet_format import PacketFormat
from tsuji.board.packet_table import table_of_flits
from tsuji.board.verilated import FLIT

FORM = PacketFormat(SwitchParams(data_width=32, vcs=2), nodes=4, size=4)


def _flits(cycle, node, ejected, vc, **trailer):
    """Return the flits of a packet, one per two cycles."""
    fields = dict.fromkeys((field.name for field in FORM.trailer), 0) | trailer
    bits = formats.pack(FORM.trailer, fields) << FORM.size * 32 - FORM.trailer_bits
    flits = np.zeros(FORM.size, FLIT)
    for k in range(FORM.size):
        values = {"vc": vc, "tail": int(k == FORM.size - 1), "data": bits >> 32 * k & 0xFFFFFFFF}
        word = formats.pack(formats.flit(FORM.switch), values)
        payload = np.frombuffer(word.to_bytes(72, "little"), np.uint8)
        flits[k] = (cycle + 2 * k, node, ejected, payload)
    return flits


def test_packets_are_put_together_from_flits_of_several_vcs():
    first = {"source": 1, "destination": 3, "birth": 7}
    second = {"source": 2, "destination": 3, "birth": 9}
    parts = [
        _flits(10, 1, 0, 0, **first),
        _flits(11, 2, 0, 1, **second),
        _flits(21, 3, 1, 1, **first),
        _flits(22, 3, 1, 0, **second),
    ]
    flits = np.concatenate(parts)
    flits = flits[np.argsort(flits["cycle"], kind="stable")]
    assert table_of_flits(FORM, flits).tolist() == [[1, 3, 7, 10, 27], [2, 3, 9, 11, 28]]


def test_a_packet_that_does_not_arrive_has_no_end():
    lost = _flits(10, 0, 0, 0, source=0, destination=2, birth=5)
    assert table_of_flits(FORM, lost).tolist() == [[0, 2, 5, 10, -1]]


def test_packets_of_one_birth_are_told_apart():
    flits = [_flits(10, 0, 0, 0, source=0, destination=2, birth=5, sequence=k) for k in (0, 1)]
    assert len(table_of_flits(FORM, np.concatenate(flits))) == 2


def test_no_flit_no_packet():
    assert table_of_flits(FORM, np.zeros(0, FLIT)).shape == (0, 5)
