"""Properties of the route cache: a hit gives the route filled last for the tag, since the last flush."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnyConst
from amaranth.hdl import Signal, Value
from amaranth.lib import data

from hdl import formats
from hdl.route.route_cache import RouteCache
from models.params import CacheParams, SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _last_filled(proof: Proof, params: SwitchParams) -> None:
    m, layout = proof.m, _way(params)
    tags = [f"tags_{way}" for way in range(params.cache.ways)]
    inside = proof.inside(
        RouteCache(params), memories=["states", *tags], reads=3, replaced=["lookup_hash", "fill_hash"]
    )
    cache = inside.ports
    tag = Signal(params.tag_width)
    m.d.comb += tag.eq(AnyConst(params.tag_width))
    looked_up = Signal()
    filled = Signal()
    given = Signal(formats.route(params))
    m.d.sync += looked_up.eq(cache.lookup_valid & (cache.lookup_tag == tag))
    m.d.sync += filled.eq(cache.fill_valid & (cache.fill_tag == tag))
    m.d.sync += given.eq(cache.fill_route)
    any_looked_up = Signal()
    m.d.sync += any_looked_up.eq(cache.lookup_valid)
    proof.claim((cache.hit | cache.miss) == any_looked_up)
    proof.claim(~(cache.hit & cache.miss))

    # The route filled last for the tag, and whether the fill came after the last flush.
    known = Signal()
    route = Signal(formats.route(params))
    with m.If(cache.flush):
        m.d.sync += known.eq(0)
    with m.Elif(filled & ~cache.flushing):
        m.d.sync += [known.eq(1), route.eq(given)]
    with m.If(looked_up), m.If(cache.hit):
        proof.claim(known & ~cache.flushing & (Value.cast(cache.route) == Value.cast(route)))

    # The miss unit fills a tag only if it missed after its last fill, so no two ways hold the tag.
    missed = Signal()
    with m.If(cache.fill_valid & (cache.fill_tag == tag)):
        m.d.sync += missed.eq(0)
    with m.Elif(looked_up & cache.miss & ~filled):
        m.d.sync += missed.eq(1)
    proof.assume(~cache.fill_valid | (cache.fill_tag != tag) | missed)

    # Tags map to any sets, as long as this tag always maps to the same set.
    home = proof.any_constant("home", params.cache.sets)
    for name, each in (("lookup_hash", cache.lookup_tag), ("fill_hash", cache.fill_tag)):
        proof.assume((each != tag) | (inside.replaced[name].crc == home))
    # No way holds the tag unless it was filled, except in sets that a flush has still to clear.
    to_be_cleared = cache.flushing & (inside.register("clear_set") <= home)
    valid = inside.row(m, "states", home)
    for way, name in enumerate(tags):
        row = layout(inside.row(m, name, home))
        with m.If(valid[way] & (row.tag == tag) & ~to_be_cleared):
            proof.invariant(known & (Value.cast(row.route) == Value.cast(route)) & ~missed & ~filled)
    proof.invariant(~(filled & missed) & ~(cache.flushing & known))
    entry = layout(inside.register("entry"))
    proof.invariant(inside.register("looked_up") == any_looked_up)
    proof.invariant(looked_up == (inside.register("looked_up") & (inside.register("tag") == tag)))
    proof.invariant(filled == (inside.register("filling") & (entry.tag == tag)))
    with m.If(looked_up):
        proof.invariant(inside.register("index") == home)
    with m.If(filled):
        proof.invariant(inside.register("entry_index") == home)
        proof.invariant(Value.cast(entry.route) == Value.cast(given))
    _memories(proof, inside, tags)


def _memories(proof: Proof, inside: Inside, tags: list[str]) -> None:
    """State the invariant that the outputs of the memories are the rows addressed in the cycle before."""
    m = proof.m
    with m.If(inside.register("looked_up")):
        for name in ("states", *tags):
            proof.invariant(inside.last_read(name, 0) == inside.row(m, name, inside.register("index"), 1))
    with m.If(inside.register("filling")):
        proof.invariant(inside.last_read("states", 1) == inside.row(m, "states", inside.register("entry_index"), 2))


def _way(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a way."""
    return data.StructLayout({"tag": params.tag_width, "route": formats.route(params)})


_FILE = "hdl/route/route_cache.py"
_CLAIM = (
    "every lookup, and nothing else, gives a hit or a miss in the next cycle; a hit gives the route filled last for "
    "the tag since the last flush; no hits during a flush; assumed: only tags that missed are filled ({})"
)

PROPERTIES = [
    Property(
        "route_cache: last fill, direct-mapped",
        _CLAIM.format("4 sets of 1 way"),
        partial(_last_filled, params=SwitchParams(cache=CacheParams(entries=4, ways=1))),
        Fault(_FILE, "m.d.sync += self.flushing.eq(1)", "m.d.sync += self.flushing.eq(0)"),
        depth=1,
        gates=True,
        fast=False,
    ),
    Property(
        "route_cache: last fill, least recently used",
        _CLAIM.format("2 sets of 4 ways"),
        partial(_last_filled, params=SwitchParams(cache=CacheParams(entries=8, ways=4))),
        Fault(_FILE, "(read.data.tag == tag)", "(read.data.tag[1:] == tag[1:])"),
        depth=1,
        gates=True,
        fast=False,
    ),
    Property(
        "route_cache: last fill, first in first out",
        _CLAIM.format("4 sets of 2 ways"),
        partial(_last_filled, params=SwitchParams(cache=CacheParams(entries=8, ways=2, policy="fifo"))),
        Fault(_FILE, "before.valid | used", "before.valid | ~used"),
        depth=1,
        gates=True,
    ),
]
