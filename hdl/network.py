"""A network of equal switches in RTL, for comparison with the simulator `sim/`.

Switch and link are elaborated once and instantiated, so the Verilog is little longer than that of one switch. The
golden model is `sim/engine/network.py`, built of `models/switch.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from amaranth.hdl import ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.route.lookahead import ahead_ports
from hdl.top import Top
from hdl.transfer.link import Link
from hdl.verilog import component_verilog
from models import formats as model_formats
from models.formats import COUNTERS, width
from models.params import LinkParams, SwitchParams, hint_hops, index_width

SWITCH = "tsuji_switch"
CROSSBAR = "tsuji_crossbar"
LINK = "tsuji_link"


@dataclass(frozen=True)
class Wiring:
    """Which ports are wired to which.

    Parameters
    ----------
    peers : sequence of sequence of (int, int) or None
        For each switch and port, the switch and port at the other end of its link.
    nodes : sequence of (int, int)
        Switch and port to which each node is attached.
    positions : sequence of int
        Value of each switch's `position` input; unused with routing = "table".
    crossbars : sequence of int or None
        On a hyper-crossbar, per switch: the dimension that it is the crossbar of; None for an exchanger. Empty
        elsewhere.
    delays : sequence of sequence of int
        Per switch and port: cycles that the link takes in addition to `link.latency`. Empty: none.
    """

    peers: Sequence[Sequence[tuple[int, int] | None]]
    nodes: Sequence[tuple[int, int]]
    positions: Sequence[int]
    crossbars: Sequence[int | None] = ()
    delays: Sequence[Sequence[int]] = ()


class Network(wiring.Component):
    """Switches with their route tables, the links between them, and the nodes' ports.

    Parameters
    ----------
    params : SwitchParams
        Of every switch; on a hyper-crossbar, of every exchanger.
    link : LinkParams
        Of every link between switches.
    wires : Wiring
        The wiring. Ports without a link or a node have constant inputs and unconnected outputs.
    counters : bool
        Whether the statistics counters can be read.

    Ports
    -----
    node_in, node_out : LinkSignature [nodes]
        Links of the nodes into and out of their switches.
    program_switch : In
        Number of the switch that `program` addresses; only with routing = "table" or "linear".
    program : In(ValidSignature(program))
        As in `Top`.
    flush : In(1)
        Flushes all caches; only with a cache.
    counter_port, counter_number : In
        Counter to read in all switches; only with `counters`.
    counter_data : Out(counter_width) [switches]
        As in `Counters`, per switch; only with `counters`.
    """

    def __init__(self, params: SwitchParams, link: LinkParams, wires: Wiring, *, counters: bool = False) -> None:
        self._params = params
        self._link = link
        self._wires = wires
        self._counters = counters
        nodes = len(wires.nodes)
        members = {
            "node_in": In(formats.LinkSignature(params)).array(nodes),
            "node_out": Out(formats.LinkSignature(params)).array(nodes),
        }
        if params.programmed:
            members["program_switch"] = In(index_width(len(wires.peers)))
            members["program"] = In(formats.ValidSignature(formats.program(params)))
        if params.has_cache:
            members["flush"] = In(1)
        if counters:
            members["counter_port"] = In(max(self._kind(s).port_bits for s in self._switches))
            members["counter_number"] = In(index_width(COUNTERS))
            members["counter_data"] = Out(params.counter_width).array(len(wires.peers))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Instantiate the switches and links."""
        m = Module()
        params = self._params
        signature = formats.LinkSignature(params)
        into, out = (
            [[signature.create(path=(f"{way}_{s}_{p}",)) for p in range(self._kind(s).ports)] for s in self._switches]
            for way in ("in", "out")
        )
        shown = self._shown(m)
        beside = [
            {**reserving, **hinting} for reserving, hinting in zip(self._reserving(m), self._hinting(m), strict=True)
        ]
        for s in self._switches:
            m.submodules[f"switch_{s}"] = self._switch(m, s, into[s], out[s], shown, beside[s])
            for p, peer in enumerate(self._wires.peers[s]):
                if peer is None:
                    continue
                sink = into[peer[0]][peer[1]]
                latency = _latency(self._link, self._wires, s, p)
                if latency or self._link.credit_lag:
                    m.submodules[f"link_{s}_{p}"] = self._delay(latency, out[s][p], sink)
                else:
                    _wire(m, out[s][p], sink)
        for n, (s, p) in enumerate(self._wires.nodes):
            _wire(m, self.node_in[n], into[s][p])
            _wire(m, out[s][p], self.node_out[n])
        return m

    @property
    def _switches(self) -> range:
        return range(len(self._wires.peers))

    def _kind(self, s: int) -> SwitchParams:
        """Return the parameters of switch `s`."""
        crossbars = self._wires.crossbars
        dimension = crossbars[s] if crossbars else None
        return self._params if dimension is None else self._params.crossbar_of(dimension)

    def _shown(self, m: Module) -> dict[int, tuple[Signal, Signal]]:
        """Return, per crossbar, its `open` output at its own side and at the exchangers' side of its links."""
        shown = {}
        for s in self._switches if self._params.lookahead else ():
            params = self._kind(s)
            if params.crossbar is None:
                continue
            width = params.ports * params.vcs
            stages = [
                Signal(width, init=(1 << width) - 1 if k else 0, name=f"open_{s}_{k}")
                for k in range(_latency(self._link, self._wires, s, 0) + 1)
            ]
            for nearer, farther in pairwise(stages):
                m.d.sync += farther.eq(nearer)
            shown[s] = stages[0], stages[-1]
        return shown

    def _reserving(self, m: Module) -> list[dict[str, Signal]]:
        """Return, per switch, its reservation signals; requests and answers take the latency of the link."""
        ports: list[dict[str, Signal]] = [{} for _ in self._switches]
        for s in self._switches if self._params.reserves else ():
            params = self._kind(s)
            if params.crossbar is None:
                continue
            widths = {
                "reserve": width(model_formats.reserve_request(params, params.ports)),
                "answer": width(model_formats.reserve_answer(params)),
            }
            for p, peer in enumerate(self._wires.peers[s][: params.ports]):
                assert peer is not None, "a crossbar is wired to an exchanger at each port"
                exchanger, d = peer
                for kind, bits in widths.items():
                    asking, answering = ((exchanger, d), (s, p)) if kind == "reserve" else ((s, p), (exchanger, d))
                    for name, (near, far) in self._channel(m, s, p, kind, bits).items():
                        ports[asking[0]][f"o_{kind}_{asking[1]}_{name}"] = near
                        ports[answering[0]][f"i_{kind}_{answering[1]}_{name}"] = far
        return ports

    def _hinting(self, m: Module) -> list[dict[str, Any]]:
        """Return, per switch, what is at its hint channels; hints take the latency of the link, 0 without a link."""
        if not hint_hops(self._params.lpi):
            return [{} for _ in self._switches]
        bits = width(model_formats.wake_hint(self._params))
        inputs = [f"i_hint_in_{p}_{name}" for p in range(self._params.first_local) for name in ("valid", "payload")]
        ports: list[dict[str, Any]] = [dict.fromkeys(inputs, 0) for _ in self._switches]
        for s, peers in enumerate(self._wires.peers):
            for p, peer in enumerate(peers):
                if peer is None:
                    continue
                for name, (near, far) in self._channel(m, s, p, "hint", bits).items():
                    ports[s][f"o_hint_out_{p}_{name}"] = near
                    ports[peer[0]][f"i_hint_in_{peer[1]}_{name}"] = far
        return ports

    def _channel(self, m: Module, s: int, p: int, kind: str, bits: int) -> dict[str, tuple[Signal, Signal]]:
        """Build wires for `bits` bits and a valid bit beside the link of a port; return both ends of each."""
        ends = {}
        for name, size in (("valid", 1), ("payload", bits)):
            stages = [
                Signal(size, name=f"{kind}_{s}_{p}_{name}_{k}")
                for k in range(_latency(self._link, self._wires, s, p) + 1)
            ]
            for nearer, farther in pairwise(stages):
                m.d.sync += farther.eq(nearer)
            ends[name] = stages[0], stages[-1]
        return ends

    def _switch(
        self,
        m: Module,
        s: int,
        into: list[Any],
        out: list[Any],
        shown: dict[int, tuple[Signal, Signal]],
        beside: dict[str, Any],
    ) -> Instance:
        params = self._kind(s)
        ports: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal(), **beside}
        for p in range(params.ports):
            for name, link, sender in (("link_in", into[p], "i"), ("link_out", out[p], "o")):
                receiver = "o" if sender == "i" else "i"
                ports[f"{sender}_{name}_{p}_flit_valid"] = link.flit.valid
                ports[f"{sender}_{name}_{p}_flit_payload"] = link.flit.payload
                ports[f"{receiver}_{name}_{p}_credit_valid"] = link.credit.valid
                ports[f"{receiver}_{name}_{p}_credit_payload"] = link.credit.payload
        if params.programmed:
            chosen = Signal(name=f"program_{s}")
            m.d.comb += chosen.eq(self.program.valid & (self.program_switch == s))
            ports["i_program_valid"] = chosen
            ports["i_program_payload"] = self.program.payload
        elif params.crossbar is None:
            # A number would be as narrow as its value, and the port is not.
            ports["i_position"] = Const(self._wires.positions[s], width(model_formats.position(params)))
        if params.lookahead and params.crossbar is not None:
            ports["o_open"] = shown[s][0]
        elif params.lookahead:
            for name, peer in zip(ahead_ports(params), self._wires.peers[s], strict=False):
                assert peer is not None, "an exchanger is wired to the crossbars of all dimensions"
                ports[f"i_{name}"] = shown[peer[0]][1]
        if params.has_cache:
            ports["i_flush"] = self.flush
            ports["o_flushing"] = Signal(name=f"flushing_{s}")
        if params.lpi:
            ports |= {"i_lpi_hint": Const(0, params.ports), "i_lpi_time_valid": Const(0, 1)}
            ports["i_lpi_time_payload"] = Const(0, formats.lpi_time(params).size)
        if params.counter_width:
            port, number = Const(0, params.port_bits), Const(0, index_width(COUNTERS))
            if self._counters:
                port, number = self.counter_port[: params.port_bits], self.counter_number
            ports |= {"i_counter_port": port, "i_counter_number": number}
            unread = Signal(params.counter_width, name=f"counter_{s}")
            ports["o_counter_data"] = self.counter_data[s] if self._counters else unread
        return Instance(SWITCH if params.crossbar is None else f"{CROSSBAR}_{params.crossbar}", **ports)

    def _delay(self, latency: int, source: Any, sink: Any) -> Instance:
        ports: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal()}
        for name, link, sender, receiver in (("source", source, "i", "o"), ("sink", sink, "o", "i")):
            ports[f"{sender}_{name}_flit_valid"] = link.flit.valid
            ports[f"{sender}_{name}_flit_payload"] = link.flit.payload
            ports[f"{receiver}_{name}_credit_valid"] = link.credit.valid
            ports[f"{receiver}_{name}_credit_payload"] = link.credit.payload
        return Instance(f"{LINK}_{latency}", **ports)


def _latency(link: LinkParams, wires: Wiring, s: int, p: int) -> int:
    """Return the latency in cycles of the link at port `p` of switch `s`."""
    return link.latency + (wires.delays[s][p] if wires.delays else 0)


def _wire(m: Module, source: Any, sink: Any) -> None:
    """Connect two links without delay."""
    m.d.comb += sink.flit.valid.eq(source.flit.valid)
    m.d.comb += sink.flit.payload.eq(source.flit.payload)
    m.d.comb += source.credit.valid.eq(sink.credit.valid)
    m.d.comb += source.credit.payload.eq(sink.credit.payload)


def verilog(
    params: SwitchParams, link: LinkParams, wires: Wiring, name: str = "tsuji_network", *, counters: bool = False
) -> str:
    """Return the Verilog of a network, its switch and its links, each module once; `counters` as in `Network`."""
    parts = parts_verilog(params, link, wires)
    return f"{component_verilog(Network(params, link, wires, counters=counters), name, parts)}\n{parts}"


def parts_verilog(params: SwitchParams, link: LinkParams, wires: Wiring) -> str:
    """Return the Verilog of the switch and the links that a `Network` instantiates, each module once."""
    modules = [component_verilog(Top(params), SWITCH)]
    dimensions = sorted({d for d in wires.crossbars if d is not None})
    modules += [component_verilog(Top(params.crossbar_of(d)), f"{CROSSBAR}_{d}") for d in dimensions]
    wired = ((s, p) for s, peers in enumerate(wires.peers) for p, peer in enumerate(peers) if peer is not None)
    for latency in sorted({_latency(link, wires, s, p) for s, p in wired}):
        if latency or link.credit_lag:
            alike = LinkParams(latency=latency, credit_latency=latency + link.credit_lag)
            modules.append(component_verilog(Link(params, alike), f"{LINK}_{latency}"))
    return "\n".join(modules)
