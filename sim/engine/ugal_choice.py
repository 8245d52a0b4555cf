"""UGAL: a source sends a packet on the minimal path, or through an intermediate switch drawn at random.

UGAL-L (Singh, "Load-balanced routing in interconnection networks", Stanford 2005; Kim et al., ISCA 2008): a packet
takes the minimal path, 0, if q0 · H0 ≤ q1 · H1 + threshold, else the path drawn for it. H0 and H1 are the numbers of
switches on the two paths; q0 and q1 count the flits that the source's switch has sent on the first output of each path
and whose credits have not returned.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from models.readout import flits_beyond
from sim.engine.state import Engine


@compiled
def _cost(e: Engine, s: int, column: int) -> int:
    """Return q · H of a path from switch `s`."""
    st = e.switches
    out = e.path_out[s, column]
    waiting = 0
    for w in range(st.k.vcs):
        waiting += flits_beyond(st, s, out, w)
    return waiting * int(e.path_hops[s, column])


@compiled_noinline
def choose_ugal_path(e: Engine, packet: int, s: int) -> None:
    """Send a packet that enters switch `s` on the minimal path, unless its drawn path costs less."""
    row = e.packets[packet]
    drawn = row.tag % e.paths
    direct = row.destination * e.paths
    if e.path_hops[s, direct] == 1 or _cost(e, s, direct) <= _cost(e, s, direct + drawn) + e.threshold:
        row.tag -= drawn
