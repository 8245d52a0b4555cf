"""Owners of output VCs as the matching stores them, against the registers that they summarise."""

import numpy as np

from models.state.route_word import route_out
from models.state.vc_set import insert


def check_owners(state):
    """Assert that the owners of an output are the input VCs that own one of its VCs, and that none of these is free."""
    if not state.k.matching:
        return
    owners = np.zeros_like(state.owners)
    for s, i, v in np.argwhere(state.vc.active == 1):
        vc = state.vc[s, i, v]
        o = route_out(int(vc.route))
        insert(state, owners[s], o, i, v)
        assert not int(state.output[s, o].free) >> int(vc.out_vc) & 1, (s, i, v)
    assert (state.owners[:, : state.k.ports] == owners[:, : state.k.ports]).all()
