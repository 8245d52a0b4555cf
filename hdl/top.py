"""Switch chip: the switch and the route table that stands in for its CAM, with clock and reset.

Connects the two only; the benches of whole switches cover it.
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from hdl.interface import members, switch_ports
from hdl.route.lookahead import ahead_ports
from hdl.route.reservation import reserve_ports
from hdl.route.route_table import RouteTable
from hdl.route.ternary_table import TernaryTable
from hdl.route.wake_hint import connect_hints
from hdl.switch import Switch
from models.params import SwitchParams


class Top(wiring.Component):
    """A switch with its route table, in clock domain `sync` (clk; rst, synchronous, active high).

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    Those of `hdl.interface.switch_ports` with table, with their meanings.

    In Verilog (`hdl.verilog.component_verilog`) they are called by their paths, such as link_in_0_flit_valid; beside
    them are clk and rst.
    Payloads are packed as `models.formats` says.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        super().__init__(members(switch_ports(params, table=True)))

    def elaborate(self, platform: object) -> Module:
        """Build the switch and its route table."""
        m = Module()
        params = self._params
        m.submodules.switch = switch = Switch(params)
        for port in range(params.ports):
            connect(m, switch.link_in[port], flipped(self.link_in[port]))
            connect(m, switch.link_out[port], flipped(self.link_out[port]))
        if params.computed and params.crossbar is None:
            m.d.comb += switch.position.eq(self.position)
        if params.lookahead and params.selects:
            m.d.comb += [getattr(switch, name).eq(getattr(self, name)) for name in ahead_ports(params)]
        if params.lookahead and not params.selects:
            m.d.comb += self.open.eq(switch.open)
        for name in reserve_ports(params) if params.reserves else ():
            connect(m, getattr(switch, name), flipped(getattr(self, name)))
        if params.linear:
            connect(m, switch.program, flipped(self.program))
        if params.has_cache:
            m.d.comb += switch.flush.eq(self.flush)
            m.d.comb += self.flushing.eq(switch.flushing)
        if params.lpi:
            m.d.comb += switch.lpi_hint.eq(self.lpi_hint)
            connect(m, switch.lpi_time, flipped(self.lpi_time))
            connect_hints(m, params, switch, self)
        if params.counter_width:
            connect(m, switch.counter, flipped(self.counter))
        if params.has_cam:
            m.submodules.route_table = table = TernaryTable(params) if params.ternary else RouteTable(params)
            connect(m, switch.cam_request, table.request)
            m.d.comb += switch.cam_answer_valid.eq(table.answer_valid)
            m.d.comb += switch.cam_answer.eq(table.answer)
            connect(m, table.program, flipped(self.program))
        return m
