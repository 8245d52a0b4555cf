"""Route unit of one input port, RC: from header flit to route queue (microarchitecture.md, section 5)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.vc_allocator import routes_allow_all
from hdl.lib.computed_route import ComputedRoute
from hdl.lib.logic import select_index
from hdl.route.adaptive import followed_vcs, step_vc
from hdl.route.dimension_order import DimensionOrder, kept_class
from hdl.route.dragonfly import Dragonfly
from hdl.route.fat_tree import FatTree
from hdl.route.header import Header
from hdl.route.hyper_crossbar import HyperCrossbar
from hdl.route.hypercube import Hypercube
from hdl.route.hyperx import HyperX
from hdl.route.linear_table import LinearTable
from hdl.route.lookahead import ahead_ports, paths_free
from hdl.route.miss_unit import MissUnit
from hdl.route.route_cache import RouteCache
from hdl.route.route_queue import RouteQueue
from models.params import SwitchParams, hint_hops

_COMPUTED: dict[str, type[ComputedRoute]] = {
    kind.routing: kind for kind in (DimensionOrder, HyperCrossbar, Hypercube, HyperX, Dragonfly, FatTree)
}


def computed_route(params: SwitchParams) -> ComputedRoute:
    """Return a new component that computes the routes of `params.routing`."""
    return _COMPUTED[params.routing](params)


def leads_to(params: SwitchParams, port: int, route: Value, out: int) -> Value:
    """Return whether `route` makes packets of input `port` leave by output `out`: at a node, its own local port."""
    if params.node_ports == 1 or out < params.first_local:
        return route.out == out
    local_port = (out - params.first_local) % params.node_ports
    if local_port != port % params.node_ports:
        return C(0)
    first = out - local_port
    if params.computed:
        return route.out == first
    return Cat(route.out == name for name in range(first, first + params.node_ports)).any()


class RouteUnit(wiring.Component):
    """Joins header, source of routes (computed, linear table, cache and miss unit, miss unit alone) and route queue.

    Parameters
    ----------
    params : SwitchParams
    port : int
        Number of the input port; a route back to it is dropped unless `u_turn`.

    Ports
    -----
    flit : In(ValidSignature(flit))
    ready, front : Out(vcs), Out(front_route).array(vcs)
        Per VC: the route of the first packet is known; the route. With adaptive routing an open_route.
    releases : In(vcs)
        The first packets of these VCs release their routes.
    position : In
        Only with computed routes, and not at a crossbar: coordinates of the switch, the first in the lowest bits.
    program_valid, entry : In(1), In(program)
        Only with routing = "linear": as in `LinearTable`.
    request_valid, request_tag, granted, answer_valid, answer : Out, Out, In, In, In
        Only with routing = "table": to and from the CAM.
    merged : Out(1)
        Only with routing = "table"; event: the walk answers a slot other than the active one.
    flush, flushing : In(1), Out(1)
        Only with a cache.
    hit, miss, evicted : Out(1)
        Only with a cache; events: hit, miss, eviction.
    complete, address : Out(1), Out(address_bits)
        Only with wake hints: a header that is not malformed is complete in this cycle; its address.
    head : Out(1)
        Only with prediction, as all below: `flit` is a head.
    routed, want : Out(1), Out(ports)
        A packet gets a route that is not a drop; the output of that route, one-hot.
    asked_vc, allows : In(vc_bits), Out(1)
        The route written in this cycle allows output VC `asked_vc` and, with adaptive routing, leads to `asked`.
    asked, ahead : In(ports), In
        Only with adaptive routing: an output, one-hot or 0; with look-ahead, the `open` bits that the exchanger sees.
    sent : In(1)
        The packet that gets its route (computed routes: that begins) is a single flit and was sent already. It claims
        no entry of the queue, or its entry is not written but released.
    """

    def __init__(self, params: SwitchParams, port: int) -> None:
        if not 0 <= port < params.ports:
            raise ValueError(f"port = {port}: must be 0 to {params.ports - 1}")
        self._params = params
        self._port = port
        members = {
            "flit": In(formats.ValidSignature(formats.flit(params))),
            "ready": Out(params.vcs),
            "front": Out(formats.open_route(params) if params.selects else formats.front_route(params)).array(
                params.vcs
            ),
            "releases": In(params.vcs),
        }
        if params.computed and params.crossbar is None:
            members["position"] = In(sum(params.position_bits))
        if params.linear:
            members |= {"program_valid": In(1), "entry": In(formats.program(params))}
        if params.has_cam:
            members |= {
                "request_valid": Out(1),
                "request_tag": Out(params.tag_width),
                "granted": In(1),
                "answer_valid": In(1),
                "answer": In(formats.port_answer(params)),
                "merged": Out(1),
            }
        if params.has_cache:
            members |= {
                "flush": In(1),
                "flushing": Out(1, init=1),
                "hit": Out(1),
                "miss": Out(1),
                "evicted": Out(1),
            }
        if hint_hops(params.lpi):
            members |= {"complete": Out(1), "address": Out(params.address_bits)}
        if params.prediction:
            members |= {"head": Out(1), "routed": Out(1), "want": Out(params.ports), "sent": In(1)}
            members |= {"asked_vc": In(params.vc_bits), "allows": Out(1)}
            if params.selects:
                members["asked"] = In(params.ports)
                members |= {name: In(width) for name, width in ahead_ports(params).items() if params.lookahead}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the path from header to route queue."""
        m = Module()
        params = self._params
        m.submodules.header = header = Header(params)
        # The queue stores what the allocators need at once: output one-hot, and VCs only if routes restrict them.
        outputs = formats.outputs(params, self._port)
        fields = {"want": len(outputs)}
        if self._stores_vcs:
            fields |= {"vc_first": params.vc_bits, "vc_last": params.vc_bits}
        if params.selects:
            fields |= {"choices": len(outputs)}
        if params.lookahead and params.selects:
            fields |= {"target": sum(params.coordinate_bits)}
        m.submodules.route_queue = queue = RouteQueue(params, data.StructLayout(fields))
        incoming = self.flit.payload
        m.d.comb += header.flit_valid.eq(self.flit.valid)
        m.d.comb += header.flit_vc.eq(incoming.vc)
        m.d.comb += header.flit_tail.eq(incoming.tail)
        m.d.comb += header.flit_data.eq(incoming.data)
        claims = header.valid
        if params.prediction and not params.has_cache:
            claims &= ~self.sent
        m.d.comb += queue.claim_valid.eq(claims)
        m.d.comb += queue.claim_vc.eq(header.vc)
        m.d.comb += queue.releases.eq(self.releases)
        m.d.comb += self.ready.eq(queue.ready)
        for vc in range(params.vcs):
            self._show_front(m, queue, vc)

        routed = Signal()
        if params.at_once:
            m.d.comb += routed.eq(header.valid)
            self._elaborate_at_once(m, header, queue)
        else:
            self._elaborate_table(m, header, queue, routed)
        if params.prediction:
            self._elaborate_prediction(m, header, queue, routed)
        if hint_hops(params.lpi):
            m.d.comb += self.complete.eq(header.valid & ~header.malformed if params.header_flits > 1 else header.valid)
            m.d.comb += self.address.eq(header.tag)
        return m

    def _elaborate_prediction(self, m: Module, header: Header, queue: RouteQueue, routed: Signal) -> None:
        """Build the outputs for prediction from the route that is written, or would be written but for `sent`."""
        route = queue.write_route
        outputs = formats.outputs(self._params, self._port)
        m.d.comb += self.head.eq(header.valid)
        m.d.comb += self.routed.eq(routed & route.want.any())
        m.d.comb += [self.want[o].eq(bit) for o, bit in zip(outputs, route.want, strict=True)]
        m.d.comb += self.allows.eq(self._allows(header, route))

    @property
    def _steps(self) -> bool:
        return self._params.adaptive is not None and self._params.adaptive.kind == "step"

    @property
    def _stores_vcs(self) -> bool:
        """Whether the VCs that a packet may take follow from its route alone."""
        return not (routes_allow_all(self._params) or self._steps)

    def _show_front(self, m: Module, queue: RouteQueue, vc: int) -> None:
        """Build the first route of VC `vc` in the form that the allocators, or the adaptive choice, take."""
        params = self._params
        outputs = formats.outputs(params, self._port)
        entry, front = queue.front[vc], self.front[vc]
        want = Signal(params.ports, name=f"want_{vc}")
        m.d.comb += [want[o].eq(bit) for o, bit in zip(outputs, entry.want, strict=True)]
        if self._steps:
            m.d.comb += front.want.eq(followed_vcs(params, self._port, vc, want))
            local = want[params.first_local :].any()
            w = step_vc(params, self._port, vc)
            m.d.comb += front.vc_first.eq(Mux(local, 0, w))
            m.d.comb += front.vc_last.eq(Mux(local, params.vcs - 1, w))
        else:
            m.d.comb += front.want.eq(want)
            m.d.comb += front.vc_first.eq(entry.vc_first if self._stores_vcs else 0)
            m.d.comb += front.vc_last.eq(entry.vc_last if self._stores_vcs else params.vcs - 1)
        if params.selects:
            allowed = params.first_local if self._steps else params.ports
            bits = dict(zip(outputs, entry.choices, strict=True))
            m.d.comb += front.choices.eq(Cat(bits.get(o, C(0, 1)) for o in range(allowed)))
            if params.lookahead:
                m.d.comb += front.target.eq(entry.target)

    def _allows(self, header: Header, route: Value) -> Value:
        """Return whether the route that is written leads to the output and VC that are asked about."""
        params = self._params
        if self._steps:
            vcs = range(params.vcs)
            is_step = [C(int(step_vc(params, self._port, vc) == vc), 1) for vc in vcs]
            in_step = select_index(self.asked_vc, is_step)
            if not params.selects:
                return in_step
            asked = Cat(self.asked[o] for o in formats.outputs(params, self._port))
            local = self.asked[params.first_local :].any()
            onward = (asked & (route.want | route.choices)).any() & in_step
            if params.lookahead:
                # With "step", heads that can be right come from a node, on VC 0.
                ahead = [getattr(self, name) for name in ahead_ports(params)]
                free = paths_free(params, ahead, header.tag, 0)
                onward &= (Cat(free) & self.asked[: params.first_local]).any()
            return route.want.any() & Mux(local, (asked & route.want).any(), onward)
        in_range = (route.vc_first <= self.asked_vc) & (self.asked_vc <= route.vc_last) if self._stores_vcs else C(1)
        if not params.selects:
            return in_range
        asked = Cat(self.asked[o] for o in formats.outputs(params, self._port))
        adaptive = self.asked_vc >= params.escape_vcs
        return ((asked & route.want).any() & in_range) | ((asked & route.choices).any() & adaptive & route.want.any())

    def _elaborate_at_once(self, m: Module, header: Header, queue: RouteQueue) -> None:
        params = self._params
        source: LinearTable | ComputedRoute
        if params.linear:
            source = table = LinearTable(params)
            m.d.comb += table.program.valid.eq(self.program_valid)
            m.d.comb += table.program.payload.eq(self.entry)
        else:
            source = computed = computed_route(params)
            if params.crossbar is None:
                m.d.comb += computed.position.eq(self.position)
        m.submodules[params.routing] = source
        m.d.comb += source.tag.eq(header.tag)
        if params.lookahead and params.selects:
            m.d.comb += queue.write_route.target.eq(header.tag)
        m.d.comb += queue.write_valid.eq(header.valid)
        m.d.comb += queue.write_slot.eq(queue.claim_slot)
        unusable = source.route.drop
        if params.header_flits > 1:
            unusable |= header.malformed
        if params.linear:
            unusable |= self._illegal(source.route)
        vcs = kept_class(params, self._port, header.vc, source.route)
        self._write(m, queue, source.route, vcs, unusable)

    def _elaborate_table(self, m: Module, header: Header, queue: RouteQueue, routed: Signal) -> None:
        params = self._params
        m.submodules.miss_unit = misses = MissUnit(params)
        m.d.comb += self.request_valid.eq(misses.request_valid)
        m.d.comb += self.request_tag.eq(misses.request_tag)
        m.d.comb += misses.granted.eq(self.granted)
        m.d.comb += misses.answer_valid.eq(self.answer_valid)
        m.d.comb += misses.answer.eq(self.answer)
        m.d.comb += self.merged.eq(misses.merged)

        # `direct`: a write of the route queue that does not come from the walk.
        direct = Signal()
        direct_slot = Signal(params.slot_bits)
        malformed = Signal()
        route = Signal(formats.route(params))
        m.d.comb += misses.direct_write.eq(direct)
        if params.has_cache:
            self._elaborate_cache(m, header, queue, misses, direct, direct_slot, malformed, route)
        else:
            m.d.comb += misses.miss_valid.eq(header.valid & ~header.malformed)
            m.d.comb += misses.miss_slot.eq(queue.claim_slot)
            m.d.comb += misses.miss_tag.eq(header.tag)
            m.d.comb += malformed.eq(header.valid & header.malformed)
            m.d.comb += direct.eq(malformed)
            m.d.comb += direct_slot.eq(queue.claim_slot)
            m.d.comb += route.eq(misses.walk_route)

        if params.prediction:
            m.d.comb += routed.eq(direct | misses.walk_valid)
            m.d.comb += queue.write_valid.eq(routed & ~self.sent)
        else:
            m.d.comb += queue.write_valid.eq(direct | misses.walk_valid)
        m.d.comb += queue.write_slot.eq(Mux(direct, direct_slot, misses.walk_slot))
        lost = Signal()
        m.d.comb += lost.eq(Mux(direct, malformed, misses.walk_drop))
        self._write(m, queue, route, (route.vc_first, route.vc_last), Cat(lost, self._illegal(route)).any())

    def _elaborate_cache(
        self,
        m: Module,
        header: Header,
        queue: RouteQueue,
        misses: MissUnit,
        direct: Signal,
        direct_slot: Signal,
        malformed: Signal,
        route: Signal,
    ) -> None:
        params = self._params
        m.submodules.route_cache = cache = RouteCache(params)
        m.d.comb += cache.lookup_valid.eq(header.valid & ~header.malformed)
        m.d.comb += cache.lookup_tag.eq(header.tag)
        m.d.comb += cache.fill_valid.eq(misses.fill_valid)
        m.d.comb += cache.fill_tag.eq(misses.fill_tag)
        m.d.comb += cache.fill_route.eq(misses.fill_route)
        m.d.comb += cache.flush.eq(self.flush)
        m.d.comb += misses.flush.eq(self.flush)
        m.d.comb += self.flushing.eq(cache.flushing)
        m.d.comb += self.hit.eq(cache.hit)
        m.d.comb += self.miss.eq(cache.miss)
        m.d.comb += self.evicted.eq(cache.evicted)

        looked_up_slot = Signal(params.slot_bits, reset_less=True)
        looked_up_tag = Signal(params.tag_width, reset_less=True)
        missed = Signal()
        missed_slot = Signal(params.slot_bits, reset_less=True)
        missed_tag = Signal(params.tag_width, reset_less=True)
        m.d.sync += looked_up_slot.eq(queue.claim_slot)
        m.d.sync += looked_up_tag.eq(header.tag)
        m.d.sync += malformed.eq(header.valid & header.malformed)
        m.d.sync += missed.eq(cache.miss)
        m.d.sync += missed_slot.eq(looked_up_slot)
        m.d.sync += missed_tag.eq(looked_up_tag)
        m.d.comb += misses.miss_valid.eq(missed)
        m.d.comb += misses.miss_slot.eq(missed_slot)
        m.d.comb += misses.miss_tag.eq(missed_tag)
        m.d.comb += direct.eq(cache.hit | malformed)
        m.d.comb += direct_slot.eq(looked_up_slot)
        m.d.comb += route.eq(Mux(cache.hit, cache.route, misses.walk_route))

    def _illegal(self, route: Signal) -> Value:
        """Return whether a programmed route has an invalid VC range; an invalid output selects nothing anyway."""
        params = self._params
        if self._steps:
            return C(0)
        reasons = [route.vc_first > route.vc_last]
        if params.vcs < 1 << params.vc_bits:
            reasons.append(route.vc_last >= params.vcs)
        return Cat(reasons).any()

    def _write(self, m: Module, queue: RouteQueue, route: Signal, vcs: tuple[Value, Value], drop: Value) -> None:
        """Build the write of a route with its first and last VC."""
        outputs = formats.outputs(self._params, self._port)
        want = Cat(leads_to(self._params, self._port, route, o) for o in outputs)
        m.d.comb += queue.write_route.want.eq(Mux(drop, 0, want))
        if self._params.selects:
            choices = Cat(route.choices[o] for o in outputs)
            by_route = self._params.adaptive is not None and self._params.adaptive.selection == "route"
            m.d.comb += queue.write_route.choices.eq(choices & want if by_route else choices)
        if self._stores_vcs:
            m.d.comb += queue.write_route.vc_first.eq(vcs[0])
            m.d.comb += queue.write_route.vc_last.eq(vcs[1])
