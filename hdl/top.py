"""Switch chip: the switch and the route table that stands in for its CAM, with clock and reset.

Connects the two only; the benches of whole switches cover it.
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from hdl import formats
from hdl.route.lookahead import ahead_ports
from hdl.route.reservation import reserve_ports
from hdl.route.route_table import RouteTable
from hdl.route.ternary_table import TernaryTable
from hdl.route.wake_hint import connect_hints
from hdl.switch import Switch, interface
from models.params import SwitchParams


class Top(wiring.Component):
    """A switch with its route table, in clock domain `sync` (clk; rst, synchronous, active high).

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    link_in, link_out, position, ahead_0, …, open, reserve_0, answer_0, …, flush, flushing, lpi_hint, lpi_time, hint_in,
    hint_out, counter
        As in `Switch`.
    program : In(ValidSignature(program))
        Only with routing = "table" or "linear": as in `RouteTable`, `TernaryTable` or `LinearTable`.

    In Verilog (`hdl.verilog.component_verilog`) its ports are clk, rst, and for each port number i:
    link_in_i_flit_valid, link_in_i_flit_payload, link_in_i_credit_valid, link_in_i_credit_payload, and the same of
    link_out. Then, where the parameters ask for them: position; ahead_0, …, or open; reserve_i_valid,
    reserve_i_payload, answer_i_valid, answer_i_payload; flush, flushing; lpi_hint, lpi_time_valid, lpi_time_payload;
    hint_in_i_valid, hint_in_i_payload, hint_out_i_valid, hint_out_i_payload; counter_port, counter_number,
    counter_data; program_valid, program_payload.
    Payloads are packed as `models.formats` says.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        members = interface(params)
        if params.has_cam:  # the linear tables are inside the switch
            members["program"] = In(formats.ValidSignature(formats.program(params)))
        super().__init__(members)

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
