"""Route cache of one input port, set-associative (Hirasawa et al., 2020: paper A; microarchitecture.md, section 6)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import select_hot, successor
from hdl.lib.replacement import policy
from hdl.route.crc_hash import CrcHash
from models.params import SwitchParams, index_width


class RouteCache(wiring.Component):
    """Set-associative cache of routes, indexed by a CRC of the tag.

    Parameters
    ----------
    params : SwitchParams
        With routing = "table" and cache.entries > 0.

    Ports
    -----
    lookup_valid, lookup_tag : In(1), In(tag_width)
    hit, miss : Out(1), Out(1)
        Result of the lookup of the cycle before.
    route : Out(route)
        Valid with `hit`.
    fill_valid, fill_tag, fill_route : In(1), In(tag_width), In(route)
        Insert a route; lookups find it from the next cycle on.
    evicted : Out(1)
        The fill of the cycle before replaces a valid entry.
    flush : In(1)
    flushing : Out(1)
        Register: for as many cycles as there are sets, lookups miss and fills are dropped.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.has_cache:
            raise ValueError('RouteCache needs routing = "table" and cache.entries > 0')
        self._params = params
        tag, route = params.tag_width, formats.route(params)
        super().__init__(
            {
                "lookup_valid": In(1),
                "lookup_tag": In(tag),
                "hit": Out(1),
                "miss": Out(1),
                "route": Out(route),
                "fill_valid": In(1),
                "fill_tag": In(tag),
                "fill_route": In(route),
                "evicted": Out(1),
                "flush": In(1),
                "flushing": Out(1, init=1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the memories, the tag comparison and the single write port of a set's state."""
        m = Module()
        params, cache = self._params, self._params.cache
        ways = cache.ways
        replacement = policy(cache.policy, ways)
        way_shape = data.StructLayout({"tag": params.tag_width, "route": formats.route(params)})
        state_shape = data.StructLayout({"valid": ways, "replacement": cache.replacement_bits})

        lookup_index = self._index(m, "lookup_hash", self.lookup_tag)
        fill_index = self._index(m, "fill_hash", self.fill_tag)

        # Inputs of the cycle before, to which the outputs of the memories belong.
        looked_up = Signal()
        tag = Signal(params.tag_width, reset_less=True)
        index = Signal(index_width(cache.sets), reset_less=True)
        filling = Signal()
        entry = Signal(way_shape, reset_less=True)
        entry_index = Signal(index_width(cache.sets), reset_less=True)
        m.d.sync += looked_up.eq(self.lookup_valid)
        m.d.sync += tag.eq(self.lookup_tag)
        m.d.sync += index.eq(lookup_index)
        m.d.sync += filling.eq(self.fill_valid)
        m.d.sync += entry.tag.eq(self.fill_tag)
        m.d.sync += entry.route.eq(self.fill_route)
        m.d.sync += entry_index.eq(fill_index)

        m.submodules.states = states = memory.Memory(shape=state_shape, depth=cache.sets, init=[])
        state_write = states.write_port()
        lookup_state = states.read_port(transparent_for=(state_write,))
        fill_state = states.read_port(transparent_for=(state_write,))
        m.d.comb += lookup_state.addr.eq(lookup_index)
        m.d.comb += fill_state.addr.eq(fill_index)

        fill = Signal()
        evicts = Signal()
        victim = Signal(ways)
        valid = fill_state.data.valid
        m.d.comb += fill.eq(filling & ~self.flushing)
        m.d.comb += evicts.eq(valid.all())
        with m.If(evicts):
            m.d.comb += victim.eq(replacement.victim(fill_state.data.replacement))
        with m.Else():
            m.d.comb += victim.eq(_lowest(~valid))
        m.d.comb += self.evicted.eq(fill & evicts)

        equal = Signal(ways)
        routes = []
        for way in range(ways):
            m.submodules[f"tags_{way}"] = tags = memory.Memory(shape=way_shape, depth=cache.sets, init=[])
            write = tags.write_port()
            read = tags.read_port(transparent_for=(write,))
            m.d.comb += write.en.eq(fill & victim[way])
            m.d.comb += write.addr.eq(entry_index)
            m.d.comb += write.data.eq(entry)
            m.d.comb += read.addr.eq(lookup_index)
            m.d.comb += equal[way].eq(lookup_state.data.valid[way] & (read.data.tag == tag))
            routes.append(read.data.route.as_value())
        way_hit = Signal(ways)
        m.d.comb += way_hit.eq(_lowest(equal))
        m.d.comb += self.hit.eq(looked_up & ~self.flushing & equal.any())
        m.d.comb += self.miss.eq(looked_up & ~self.hit)
        m.d.comb += self.route.eq(select_hot(list(way_hit), routes))

        clear_set = Signal(index_width(cache.sets))
        before = Signal(state_shape)
        used = Signal(ways)
        touched = Signal(cache.replacement_bits)
        m.d.comb += before.eq(Mux(filling, fill_state.data, lookup_state.data))
        m.d.comb += used.eq(Mux(filling, victim, way_hit))
        m.d.comb += touched.eq(replacement.touched(m, before.replacement, used, filling & evicts))
        m.d.comb += state_write.en.eq(self.flushing | filling | self.hit)
        with m.If(self.flushing):
            m.d.comb += state_write.addr.eq(clear_set)
        with m.Else():
            m.d.comb += state_write.addr.eq(Mux(filling, entry_index, index))
            m.d.comb += state_write.data.valid.eq(before.valid | used)
            m.d.comb += state_write.data.replacement.eq(touched)

        with m.If(self.flush):
            m.d.sync += self.flushing.eq(1)
            m.d.sync += clear_set.eq(0)
        with m.Elif(clear_set == cache.sets - 1):
            m.d.sync += self.flushing.eq(0)
        with m.Else():
            m.d.sync += clear_set.eq(successor(clear_set, cache.sets))
        return m

    def _index(self, m: Module, name: str, tag: Value) -> Value:
        """Return the set index of a tag."""
        cache = self._params.cache
        index = Signal(index_width(cache.sets), name=f"{name}_index")
        if cache.index_bits:
            m.submodules[name] = crc = CrcHash(cache.crc_polynomial, self._params.tag_width, cache.index_bits)
            m.d.comb += crc.tag.eq(tag)
            m.d.comb += index.eq(crc.crc)
        return index


def _lowest(bits: Value) -> Value:
    """Return `bits` with only the lowest 1 kept."""
    return Cat(bit & ~bits[:k].any() for k, bit in enumerate(bits))
