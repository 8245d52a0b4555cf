"""Many equal switches wired into a network, for comparison with `sim/`.

The switch and the link are elaborated once, and instantiated: a network is then little more text than one switch.
It has no twin of its own name in `models/`: its behaviour is `sim/network.py`'s, from the model of the switch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.link import Link
from hdl.top import Top
from hdl.verilog import component_verilog
from models.params import LinkParams, SwitchParams, index_width

SWITCH = "tsuji_switch"
LINK = "tsuji_link"


@dataclass(frozen=True)
class Wiring:
    """Who is wired to whom.

    Parameters
    ----------
    peers : sequence of sequence of (int, int) or None
        For each switch and port, the switch and port at the other end of its link.
    nodes : sequence of (int, int)
        Switch and port of each node.
    positions : sequence of int
        Value of each switch's `position` input; unused with routing = "table".
    """

    peers: Sequence[Sequence[tuple[int, int] | None]]
    nodes: Sequence[tuple[int, int]]
    positions: Sequence[int]


class Network(wiring.Component):
    """Switches with their tables, links of `link.latency` cycles, and the nodes' ports.

    Parameters
    ----------
    params : SwitchParams
        Every switch.
    link : LinkParams
        Every link between switches.
    wires : Wiring
        Who is wired to whom. Ports without a link or a node get nothing and are not heard.

    Ports
    -----
    node_in, node_out : LinkSignature [nodes]
        The nodes' links into and out of their switches.
    program_switch : In
        Which switch `program` is for; only with routing = "table".
    program : In(ValidSignature(program))
        As of `Top`.
    flush : In(1)
        Of all caches; only with a cache.
    """

    def __init__(self, params: SwitchParams, link: LinkParams, wires: Wiring) -> None:
        self._params = params
        self._link = link
        self._wires = wires
        nodes = len(wires.nodes)
        members = {
            "node_in": In(formats.LinkSignature(params)).array(nodes),
            "node_out": Out(formats.LinkSignature(params)).array(nodes),
        }
        if params.has_cam:
            members["program_switch"] = In(index_width(len(wires.peers)))
            members["program"] = In(formats.ValidSignature(formats.program(params)))
        if params.has_cache:
            members["flush"] = In(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Instantiate the switches and links."""
        m = Module()
        params = self._params
        signature = formats.LinkSignature(params)
        into = [[signature.create(path=(f"in_{s}_{p}",)) for p in range(params.ports)] for s in self._switches]
        out = [[signature.create(path=(f"out_{s}_{p}",)) for p in range(params.ports)] for s in self._switches]
        for s in self._switches:
            m.submodules[f"switch_{s}"] = self._switch(m, s, into[s], out[s])
            for p, peer in enumerate(self._wires.peers[s]):
                if peer is None:
                    continue
                sink = into[peer[0]][peer[1]]
                if self._link.latency:
                    m.submodules[f"link_{s}_{p}"] = self._delay(out[s][p], sink)
                else:
                    _wire(m, out[s][p], sink)
        for n, (s, p) in enumerate(self._wires.nodes):
            _wire(m, self.node_in[n], into[s][p])
            _wire(m, out[s][p], self.node_out[n])
        return m

    @property
    def _switches(self) -> range:
        return range(len(self._wires.peers))

    def _switch(self, m: Module, s: int, into: list, out: list) -> Instance:
        params = self._params
        ports: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal()}
        for p in range(params.ports):
            for name, link, sender in (("link_in", into[p], "i"), ("link_out", out[p], "o")):
                receiver = "o" if sender == "i" else "i"
                ports[f"{sender}_{name}_{p}_flit_valid"] = link.flit.valid
                ports[f"{sender}_{name}_{p}_flit_payload"] = link.flit.payload
                ports[f"{receiver}_{name}_{p}_credit_valid"] = link.credit.valid
                ports[f"{receiver}_{name}_{p}_credit_payload"] = link.credit.payload
        if params.has_cam:
            chosen = Signal(name=f"program_{s}")
            m.d.comb += chosen.eq(self.program.valid & (self.program_switch == s))
            ports["i_program_valid"] = chosen
            ports["i_program_payload"] = self.program.payload
        else:
            ports["i_position"] = self._wires.positions[s]
        if params.has_cache:
            ports["i_flush"] = self.flush
            ports["o_flushing"] = Signal(name=f"flushing_{s}")
        if params.lpi:
            ports |= {"i_lpi_hint": 0, "i_lpi_time_valid": 0, "i_lpi_time_payload": 0}
        if params.counter_width:
            ports["i_counter_port"] = 0
            ports["i_counter_number"] = 0
            ports["o_counter_data"] = Signal(params.counter_width, name=f"counter_{s}")
        return Instance(SWITCH, **ports)

    def _delay(self, source: Any, sink: Any) -> Instance:
        ports: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal()}
        for name, link, sender, receiver in (("source", source, "i", "o"), ("sink", sink, "o", "i")):
            ports[f"{sender}_{name}_flit_valid"] = link.flit.valid
            ports[f"{sender}_{name}_flit_payload"] = link.flit.payload
            ports[f"{receiver}_{name}_credit_valid"] = link.credit.valid
            ports[f"{receiver}_{name}_credit_payload"] = link.credit.payload
        return Instance(LINK, **ports)


def _wire(m: Module, source: Any, sink: Any) -> None:
    """Join two links without delay."""
    m.d.comb += sink.flit.valid.eq(source.flit.valid)
    m.d.comb += sink.flit.payload.eq(source.flit.payload)
    m.d.comb += source.credit.valid.eq(sink.credit.valid)
    m.d.comb += source.credit.payload.eq(sink.credit.payload)


def verilog(params: SwitchParams, link: LinkParams, wires: Wiring, name: str = "tsuji_network") -> str:
    """Return the Verilog of a network, of its switch and of its link, each module once."""
    modules = [component_verilog(Network(params, link, wires), name), component_verilog(Top(params), SWITCH)]
    if link.latency:
        modules.append(component_verilog(Link(params, link), LINK))
    return "\n".join(modules)
