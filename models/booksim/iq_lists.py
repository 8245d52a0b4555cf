"""Lists of the input VCs of a router that wait for a route, an output VC, or the crossbar."""

from __future__ import annotations

from models.booksim.iq_state import CLAIMING, NONE, ROUTING, Lists, Routers
from models.jit.compiled import compiled


@compiled
def put(lists: Lists, r: int, number: int) -> None:
    """Enter an input VC at the end."""
    lists.item[r, lists.length[r]] = number
    lists.length[r] += 1


@compiled
def take_first(st: Routers, lists: Lists, r: int, count: int) -> None:
    """Move the first `count` input VCs of a list to `kept`."""
    for at in range(count):
        st.kept[at] = lists.item[r, at]
    for at in range(count, lists.length[r]):
        lists.item[r, at - count] = lists.item[r, at]
    lists.length[r] -= count


@compiled
def begin_head(st: Routers, r: int, number: int) -> None:
    """Let a head at the front of its VC begin: with its route, or if the router before routed it, with what follows."""
    vc = st.vc[r * st.k.ports * st.k.vcs + number]
    if st.k.routing_delay:
        vc.state = ROUTING
        vc.due = NONE
        put(st.routing, r, number)
    else:
        claim_output(st, r, number)


@compiled
def claim_output(st: Routers, r: int, number: int) -> None:
    """Let a head whose route is known ask for an output VC."""
    st.vc[r * st.k.ports * st.k.vcs + number].state = CLAIMING
    if st.k.speculative:
        put(st.switching, r, number)
    if not st.k.piggyback:
        put(st.claiming, r, number)
