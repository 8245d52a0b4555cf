"""Route cache: a hit is what was filled last for the tag since the last flush."""

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

    # What was filled last for the tag, and whether that was after the last flush.
    known = Signal()
    route = Signal(formats.route(params))
    with m.If(cache.flush):
        m.d.sync += known.eq(0)
    with m.Elif(filled & ~cache.flushing):
        m.d.sync += [known.eq(1), route.eq(given)]
    with m.If(looked_up), m.If(cache.hit):
        proof.claim(known & ~cache.flushing & (Value.cast(cache.route) == Value.cast(route)))

    # The miss unit fills a tag only if it missed after it was filled last, so no two ways have it.
    missed = Signal()
    with m.If(cache.fill_valid & (cache.fill_tag == tag)):
        m.d.sync += missed.eq(0)
    with m.Elif(looked_up & cache.miss & ~filled):
        m.d.sync += missed.eq(1)
    proof.assume(~cache.fill_valid | (cache.fill_tag != tag) | missed)

    # Tags may fall into any sets, as long as this one always falls into the same.
    home = proof.any_constant("home", params.cache.sets)
    for name, each in (("lookup_hash", cache.lookup_tag), ("fill_hash", cache.fill_tag)):
        proof.assume((each != tag) | (inside.replaced[name].crc == home))
    # No way has the tag unless it was filled, but for sets that a flush has still to clear.
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
    """State that what the memories put out is what they hold in the set of the cycle before."""
    m = proof.m
    with m.If(inside.register("looked_up")):
        for name in ("states", *tags):
            proof.invariant(inside.last_read(name, 0) == inside.row(m, name, inside.register("index"), 1))
    with m.If(inside.register("filling")):
        proof.invariant(inside.last_read("states", 1) == inside.row(m, "states", inside.register("entry_index"), 2))


def _way(params: SwitchParams) -> data.StructLayout:
    """Return the struct of what a way holds."""
    return data.StructLayout({"tag": params.tag_width, "route": formats.route(params)})


_FILE = "hdl/route/route_cache.py"
_CLAIM = (
    "a lookup, and nothing else, is a hit or a miss in the cycle after; a hit gives the route that was filled last for "
    "the tag, after the last flush, and there is none during a flush, if only tags that missed are filled ({})"
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
