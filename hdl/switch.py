"""The switch: its components, connected in the order in which a flit passes them (microarchitecture.md, section 1)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from hdl import formats
from hdl.allocate.switch_allocator import SwitchAllocator
from hdl.allocate.vc_allocator import VcAllocator, routes_allow_all
from hdl.allocate.vc_stage import VcStage
from hdl.buffer.input_unit import InputUnit
from hdl.counters import add_counters
from hdl.interface import members, switch_ports
from hdl.lib.barrier import barrier
from hdl.lib.delay import DelayLine
from hdl.lib.logic import balanced_or
from hdl.power.lpi import Lpi, LpiTimes
from hdl.predict.bypass import Bypass
from hdl.route.cam import Cam
from hdl.route.lookahead import Lookahead, ahead_ports
from hdl.route.reservation import add_askers, add_reservations, answer_ports
from hdl.route.wake_hint import add_wake_hints
from hdl.transfer.crossbar import Crossbar
from hdl.transfer.output_unit import OutputUnit
from models.params import SwitchParams, hint_hops


class Switch(wiring.Component):
    """Input-queued virtual-channel switch (Dally and Towles, chapter 16). Outputs are registers.

    The exception is `valid` of flits that are sent speculatively.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    Those of `hdl.interface.switch_ports` without table, with their meanings.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        super().__init__(members(switch_ports(params, table=False)))

    def elaborate(self, platform: object) -> Module:
        """Build the units of each port, and the components that all ports share."""
        m = Module()
        params = self._params
        inputs = [InputUnit(params, port) for port in range(params.ports)]
        outputs = [OutputUnit(params) for _ in range(params.ports)]
        m.submodules.switch_allocator = allocator = SwitchAllocator(params)
        m.submodules.crossbar = crossbar = Crossbar(params)

        for port, (unit, output) in enumerate(zip(inputs, outputs, strict=True)):
            m.submodules[f"input_unit_{port}"] = unit
            m.submodules[f"output_unit_{port}"] = output
            connect(m, unit.link, flipped(self.link_in[port]))
            self._connect_link_out(m, port, output)
            self._connect_transfer(m, port, unit, output, allocator, crossbar)
            self._connect_routes(m, unit)

        stage = self._connect_vc_stage(m, inputs, outputs)
        bypasses = self._connect_bypass(m, inputs, outputs, allocator, crossbar, stage)
        links = self._connect_lpi(m, inputs, outputs, bypasses)
        self._connect_status(m, inputs, outputs, links, bypasses)
        if params.reserves and params.selects:
            add_askers(m, params, self, inputs)
        if params.has_cam:
            self._connect_cam(m, inputs)
        if params.has_cache:
            # The caches of all ports flush together.
            m.d.comb += self.flushing.eq(inputs[0].rc.flushing)
        if params.counter_width:
            add_counters(m, params, self, inputs, outputs, allocator, crossbar, links)
        return m

    def _connect_link_out(self, m: Module, port: int, output: OutputUnit) -> None:
        """Connect an output unit to its link, with `stage_delay` by way of a delay line."""
        params = self._params
        if params.stage_delay == 0:
            connect(m, output.link, flipped(self.link_out[port]))
            return
        m.submodules[f"stage_{port}"] = stage = DelayLine(formats.flit(params), params.stage_delay)
        connect(m, output.link.flit, stage.source)
        connect(m, stage.sink, flipped(self.link_out[port].flit))
        connect(m, output.link.credit, flipped(self.link_out[port].credit))

    def _connect_transfer(
        self,
        m: Module,
        port: int,
        unit: InputUnit,
        output: OutputUnit,
        allocator: SwitchAllocator,
        crossbar: Crossbar,
    ) -> None:
        """Connect the units of a port to switch allocator and crossbar."""
        params = self._params
        m.d.comb += allocator.request[port].eq(unit.request)
        m.d.comb += allocator.drain[port].eq(unit.drain)
        for vc in range(params.vcs):
            m.d.comb += allocator.want[port][vc].eq(unit.want[vc])
        if params.speculates:
            m.d.comb += allocator.speculates[port].eq(unit.speculates)
            m.d.comb += allocator.misspeculated[port].eq(unit.misspeculated)
        m.d.comb += allocator.tail[port].eq(unit.tails)
        m.d.comb += unit.chosen_vc.eq(allocator.chosen_vc[port])
        m.d.comb += unit.granted.eq(allocator.granted[port])
        m.d.comb += crossbar.source[port].vc.eq(unit.vc)
        m.d.comb += crossbar.source[port].tail.eq(unit.body.tail)
        m.d.comb += crossbar.source[port].data.eq(unit.body.data)
        m.d.comb += crossbar.select[port].eq(allocator.select[port])
        m.d.comb += output.send.eq(allocator.sent[port])
        m.d.comb += output.flit.eq(crossbar.sink[port])

    def _connect_routes(self, m: Module, unit: InputUnit) -> None:
        """Connect the route unit of an input unit to the inputs that all ports share."""
        params = self._params
        if params.computed and params.crossbar is None:
            m.d.comb += unit.rc.position.eq(self.position)
        if params.lookahead and params.selects:
            m.d.comb += [getattr(unit, name).eq(getattr(self, name)) for name in ahead_ports(params)]
        for name in answer_ports(params) if params.reserves and params.selects else ():
            connect(m, flipped(getattr(self, name)), getattr(unit, name))
        if params.has_cache:
            m.d.comb += unit.rc.flush.eq(self.flush)
        if params.linear:
            m.d.comb += unit.rc.program_valid.eq(self.program.valid)
            m.d.comb += unit.rc.entry.eq(self.program.payload)

    def _connect_vc_stage(self, m: Module, inputs: list[InputUnit], outputs: list[OutputUnit]) -> VcStage | None:
        """Build the VC stage, if there is one, in which heads claim VCs."""
        params = self._params
        if not params.vc_stage:
            return None
        m.submodules.vc_stage = stage = VcStage(params)
        for port, (unit, output) in enumerate(zip(inputs, outputs, strict=True)):
            for vc in range(params.vcs):
                m.d.comb += stage.ask[port][vc].eq(unit.ask[vc])
                m.d.comb += stage.want[port][vc].eq(unit.want[vc])
                m.d.comb += unit.claimed_vc[vc].eq(stage.claimed_vc[port][vc])
            m.d.comb += unit.claims.eq(stage.claims[port])
            m.d.comb += output.claimed.eq(stage.taken[port])
        return stage

    def _connect_bypass(
        self,
        m: Module,
        inputs: list[InputUnit],
        outputs: list[OutputUnit],
        allocator: SwitchAllocator,
        crossbar: Crossbar,
        stage: VcStage | None,
    ) -> list[Bypass]:
        """Build one bypass per output port; none without prediction."""
        params = self._params
        if params.prediction is None:
            return []
        bypasses = [Bypass(params) for _ in outputs]
        for o, (bypass, output) in enumerate(zip(bypasses, outputs, strict=True)):
            m.submodules[f"bypass_{o}"] = bypass
            sources = [inputs[i] for i in formats.inputs(params, o)]
            for number, unit in enumerate(sources):
                m.d.comb += bypass.named[number].eq(unit.named[o])
                m.d.comb += bypass.arrives[number].eq(unit.arrives)
                m.d.comb += bypass.head[number].eq(unit.head)
                m.d.comb += bypass.input_vcs[number].eq(unit.sent_vc)
                if not params.has_cache:
                    m.d.comb += bypass.right[number].eq(unit.right)
            requested = allocator.requested[o]
            m.d.comb += bypass.requested.eq(requested | stage.asked[o] if stage else requested)
            m.d.comb += bypass.sent.eq(allocator.sent[o])
            m.d.comb += bypass.select.eq(allocator.select[o])
            m.d.comb += bypass.flit_vc.eq(crossbar.sink[o].vc)
            m.d.comb += bypass.tail.eq(crossbar.sink[o].tail)
            m.d.comb += allocator.owner[o].eq(bypass.owner)
            m.d.comb += allocator.passed[o].eq(bypass.passes.any())
            if params.has_cache:
                m.d.comb += output.forward_speculatively.eq(bypass.meets.any())
                m.d.comb += output.confirmed.eq(Cat(unit.right & unit.named[o] for unit in sources).any())
                m.d.comb += bypass.confirmed.eq(output.confirmed)
                m.d.comb += bypass.confirmed_vc.eq(output.link.flit.payload.vc)
                m.d.comb += bypass.confirmed_tail.eq(output.link.flit.payload.tail)
        for i, unit in enumerate(inputs):
            mine = [(bypasses[o], formats.inputs(params, o).index(i)) for o in formats.outputs(params, i)]
            passes = Cat(bypass.passes[number] for bypass, number in mine).any()
            m.d.comb += unit.passes.eq(barrier(m, f"passes_{i}", passes))
            m.d.comb += unit.meets.eq(Cat(bypass.meets[number] for bypass, number in mine).any())
            m.d.comb += allocator.passing[i].eq(unit.arrives & unit.passes.replicate(params.vcs))
        return bypasses

    def _connect_lpi(
        self, m: Module, inputs: list[InputUnit], outputs: list[OutputUnit], bypasses: list[Bypass]
    ) -> list[Lpi]:
        """Build one controller per output link; none without low-power idle."""
        params = self._params
        if params.lpi is None:
            return []
        m.submodules.lpi_times = times = LpiTimes(params)
        connect(m, times.write, flipped(self.lpi_time))
        hinted: Value = self.lpi_hint
        if hint_hops(params.lpi):
            hinted = hinted | add_wake_hints(m, params, self, [unit.rc for unit in inputs])
        links = []
        for o in range(params.ports):
            m.submodules[f"lpi_{o}"] = link = Lpi(params.lpi)
            flits = [
                unit.waiting[vc] & unit.want[vc][o]
                for i, unit in enumerate(inputs)
                if o in formats.outputs(params, i)
                for vc in range(params.vcs)
            ]
            if bypasses:
                flits.append(bypasses[o].meets.any() if params.has_cache else C(0))
                flits.append(bypasses[o].passes.any())
            if params.output_flits:
                flits.append(outputs[o].waiting)
            m.d.comb += link.wanted.eq(Cat(flits).any() | hinted[o])
            m.d.comb += link.idle.eq(times.idle)
            m.d.comb += link.sleep.eq(times.sleep)
            m.d.comb += link.wake.eq(times.wake)
            links.append(link)
        return links

    def _connect_status(
        self,
        m: Module,
        inputs: list[InputUnit],
        outputs: list[OutputUnit],
        links: list[Lpi],
        bypasses: list[Bypass],
    ) -> None:
        """Show each input port the VCs of each output port; none while the link is not active or the FIFO is full."""
        params = self._params
        lookahead = self._connect_lookahead(m, inputs, outputs)
        for o, output in enumerate(outputs):
            if lookahead is not None:
                # For look-ahead a sleeping link is free: it wakes up for a head that is sent to it.
                m.d.comb += lookahead.available[o].eq(output.available)
            takes = self._takes(output, links[o] if links else None)
            has_credit = self._masked(output.has_credit, takes)
            available = self._masked(output.available, takes)
            for unit in inputs:
                m.d.comb += unit.has_credit[o].eq(has_credit)
            if params.selects:
                for unit in inputs:
                    m.d.comb += [unit.credits[o][w].eq(output.credits[w]) for w in range(params.vcs)]
            if bypasses:
                clear = output.straight_conditions()
                m.d.comb += bypasses[o].has_credit.eq(self._masked(has_credit, clear))
                m.d.comb += bypasses[o].available.eq(self._masked(available, clear))
            askable = self._masked(output.unowned if params.claims_full else output.available, takes)
            self._show_vcs(m, o, output, inputs, available, askable)

    def _connect_lookahead(self, m: Module, inputs: list[InputUnit], outputs: list[OutputUnit]) -> Lookahead | None:
        """Build the look-ahead outputs and reservations of a crossbar; return None without look-ahead."""
        params = self._params
        if not params.lookahead or params.selects:
            return None
        m.submodules.lookahead = lookahead = Lookahead(params)
        m.d.comb += self.open.eq(lookahead.open)
        for vc in range(params.vcs):
            m.d.comb += lookahead.waits[vc].eq(balanced_or([unit.waits[vc] for unit in inputs]))
        if params.reserves:
            add_reservations(m, params, self, outputs, lookahead)
        return lookahead

    def _takes(self, output: OutputUnit, link: Lpi | None) -> list[Value]:
        """Return the conditions for an output to take a flit, one bit per VC: link active, FIFO not full."""
        params = self._params
        conditions = [] if link is None else [link.active.replicate(params.vcs)]
        if params.output_fifo:
            conditions.append(~output.full.replicate(params.vcs))
        return conditions

    @staticmethod
    def _masked(vcs: Value, conditions: list[Value]) -> Value:
        """Return mask `vcs`, or 0 unless all conditions hold."""
        for condition in conditions:
            vcs = vcs & condition
        return vcs

    def _show_vcs(
        self, m: Module, o: int, output: OutputUnit, inputs: list[InputUnit], available: Value, askable: Value
    ) -> None:
        """Show each input port the VCs of output `o` that a head may claim."""
        params = self._params
        if params.vc_stage:
            for unit in inputs:
                m.d.comb += unit.available[o].eq(askable)
        elif routes_allow_all(params):
            m.submodules[f"vc_allocator_{o}"] = candidates = VcAllocator(params)
            m.d.comb += candidates.available.eq(available)
            m.d.comb += candidates.last.eq(params.vcs - 1)
            m.d.comb += candidates.pointer.eq(output.pointer)
            for unit in inputs:
                m.d.comb += unit.any[o].eq(candidates.any)
                m.d.comb += unit.candidate[o].eq(candidates.vc)
        else:
            for unit in inputs:
                m.d.comb += unit.available[o].eq(available)
                m.d.comb += unit.pointer[o].eq(output.pointer)

    def _connect_cam(self, m: Module, inputs: list[InputUnit]) -> None:
        m.submodules.cam = cam = Cam(self._params)
        connect(m, cam.request, flipped(self.cam_request))
        m.d.comb += cam.answer_valid.eq(self.cam_answer_valid)
        m.d.comb += cam.answer.eq(self.cam_answer)
        for port, unit in enumerate(inputs):
            m.d.comb += cam.port_request_valid[port].eq(unit.rc.request_valid)
            m.d.comb += cam.port_request_tag[port].eq(unit.rc.request_tag)
            m.d.comb += unit.rc.granted.eq(cam.granted[port])
            m.d.comb += unit.rc.answer_valid.eq(cam.port_answer_valid[port])
            m.d.comb += unit.rc.answer.eq(cam.port_answer)
