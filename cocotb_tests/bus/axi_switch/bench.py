"""A switch with AXI4-Streams at its local ports: packets from all ports to all ports.

Every packet arrives at the port that the table says, once and unchanged; with one VC, those from one port to another in
their order. Packets to an unknown destination arrive nowhere.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bfm.axi_lite import Manager
from cocotb_tests.bfm.link import Flit, Sink, Source
from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.bfm.stall import PATTERNS, stalls
from cocotb_tests.bus import streams
from cocotb_tests.bus.streams import Packet, Packets
from models import formats
from models.params import SwitchParams

LONGEST = 9  # words of a packet, where nothing limits it
WAITING = 3  # packets that wait at a port


class StreamPort:
    """The two streams of a local port."""

    def __init__(self, dut: Any, params: SwitchParams, number: int) -> None:
        self._params = params
        self._packets = Packets(params)
        self._source = streams.source(dut, f"s_axis_{number}")
        self._sink = streams.sink(dut, f"m_axis_{number}")

    def pause(self, bench: Bench) -> None:
        """Draw the pauses of both sides."""
        for end in (self._source, self._sink):
            streams.pause(end, bench.random.choice(PATTERNS), bench.random)

    def waiting(self) -> int:
        """Return how many packets have not begun to leave."""
        return int(self._source.count())

    def send(self, packet: Packet, vc: int) -> None:
        """Queue a packet; its VC is chosen by the design."""
        self._source.send_nowait(packet.frame(self._params))

    def drive(self) -> None:
        """Drive nothing; the bus models do."""

    def observe(self) -> list[Packet]:
        """Return the packets that have arrived."""
        arrived = (self._packets.take(word) for word in streams.words(self._sink, self._params))
        return [packet for packet in arrived if packet is not None]


class LinkPort:
    """The two credit links of a port that leads to another switch."""

    def __init__(self, dut: Any, params: SwitchParams, number: int, bench: Bench) -> None:
        self._dut, self._params = dut, params
        self._into, self._out = f"link_in_{number}", f"link_out_{number}"
        self._pauses = [stalls("never", bench.random), stalls("never", bench.random)]
        of_source, of_sink = ((next(self._pauses[side]) for _ in count()) for side in (0, 1))
        self._source = Source(params, self._into, of_source, bench.random)
        self._sink = Sink(params, self._out, of_sink, bench.random)
        self._open: dict[int, list[int]] = {}

    def pause(self, bench: Bench) -> None:
        """Draw the pauses of both sides."""
        self._pauses = [stalls(bench.random.choice(PATTERNS), bench.random) for _ in range(2)]

    def waiting(self) -> int:
        """Return how many flits have not left."""
        return sum(map(len, self._source.queues))

    def send(self, packet: Packet, vc: int) -> None:
        """Queue a packet on a VC."""
        data = packet.flits(self._params)
        self._source.push([Flit(vc, int(number == len(data)), word) for number, word in enumerate(data, 1)])

    def drive(self) -> None:
        """Drive a flit and a credit."""
        given = {**self._source.drive(), **self._sink.drive()}
        for name in (f"{self._into}_flit", f"{self._out}_credit"):
            for part in ("valid", "payload"):
                getattr(self._dut, f"{name}_{part}").value = given.get(f"{name}_{part}", 0)

    def observe(self) -> list[Packet]:
        """Return the packet that has arrived, if one has."""
        outputs = {}
        for name in (f"{self._into}_credit", f"{self._out}_flit"):
            outputs[f"{name}_valid"] = valid = int(getattr(self._dut, f"{name}_valid").value)
            outputs[f"{name}_payload"] = int(getattr(self._dut, f"{name}_payload").value) if valid else 0
        self._source.observe(outputs)
        flit = self._sink.observe(outputs)
        if flit is None:
            return []
        words = self._open.setdefault(flit.vc, [])
        words.append(flit.data)
        if not flit.tail:
            return []
        params = self._params
        header = sum(word << k * params.data_width for k, word in enumerate(words[: params.header_flits]))
        del self._open[flit.vc]
        tag = header & (1 << params.tag_width) - 1
        return [Packet(tag, header >> params.tag_width, tuple(words[params.header_flits :]))]


class Exchange:
    """Packets under way, and the claims about those that arrive.

    Attributes
    ----------
    left : dict of (int, int) to list of Packet
        Packets from one port to another that have not arrived, in their order.
    sent, dropped : int
        Packets that were queued; those of them to an unknown destination.
    """

    def __init__(self, params: SwitchParams, bench: Bench, tags: list[int], ports: list[StreamPort | LinkPort]) -> None:
        self._params, self._bench, self._tags, self._ports = params, bench, tags, ports
        self.left: dict[tuple[int, int], list[Packet]] = {
            (here, there): [] for here in range(len(ports)) for there in range(len(ports))
        }
        self.sent = self.dropped = 0
        bench.coverage.require(["to nobody", *(f"{a} to {b}" for a, b in self.left if a != b)])

    def send(self) -> None:
        """Queue packets at ports at which few wait."""
        params, draw = self._params, self._bench.random
        most = params.max_packet - params.header_flits if params.max_packet else LONGEST
        for here, port in enumerate(self._ports):
            if port.waiting() >= WAITING:
                continue
            there = draw.choice([other for other in range(len(self._ports) + 1) if other != here])
            packet = Packet.drawn(params, self._tags[there], draw.choice((0, 1, most, draw.randint(1, most))), draw)
            port.send(packet, draw.randrange(params.vcs))
            self.sent += 1
            if there < len(self._ports):
                self.left[here, there].append(packet)
                self._bench.coverage.hit(f"{here} to {there}")
            else:
                self.dropped += 1
                self._bench.coverage.hit("to nobody")

    def arrive(self, there: int, packet: Packet) -> None:
        """Take a packet out of port `there`."""
        for here in range(len(self._ports)):
            queue = self.left[here, there]
            if packet in (queue[:1] if self._params.vcs == 1 else queue):
                queue.remove(packet)
                return
        raise AssertionError(f"port {there}: {packet} is not expected, or not yet")


async def program(dut: Any, params: SwitchParams, tags: list[int]) -> None:
    """Enter the routes of all tags but the last."""
    layout = formats.program(params)
    for port, tag in enumerate(tags[:-1]):
        values = dict.fromkeys((field.name for field in layout), 0)
        values |= {"tag": tag, "found": 1, "out": port, "vc_last": params.vcs - 1}
        dut.program_valid.value = 1
        dut.program_payload.value = formats.pack(layout, values)
        await RisingEdge(dut.clk)
    dut.program_valid.value = 0


def registers(dut: Any, params: SwitchParams, bench: Bench, network: int) -> Any:
    """Return the driver of the registers, or None if the design has none."""
    if not hasattr(dut, "s_axil_awvalid"):
        return None
    return Manager(dut, "often", bench.random).driver(params, streams=params.ports - network)


async def program_by(driver: Any, tags: list[int]) -> None:
    """Enter the routes of all tags but the last through registers."""
    await driver.identify()
    for port, tag in enumerate(tags[:-1]):
        await driver.program(tag, port)


async def compare_counters(driver: Any, exchange: Exchange, params: SwitchParams) -> None:
    """Compare the counters of packets with those that were sent; streams made no error."""
    counted = [await driver.counters(port) for port in range(params.ports)]
    dropped = [port["packets_dropped"] for port in counted]
    assert sum(dropped) == exchange.dropped, f"packets dropped: {dropped}, not {exchange.dropped}"
    ports = {number for number, packets in enumerate(dropped) if packets}
    assert await driver.dropped() == ports, f"ports that dropped flits: {ports}"
    came, went = (sum(port[name] for port in counted) for name in ("packets_in", "packets_out"))
    assert came == went + exchange.dropped == exchange.sent, f"{came} packets came in, {went} went out"
    assert await driver.stream_errors() == set()


@cocotb.test()
async def packets(dut: Any) -> None:
    """Random packets between all ports, with other pauses from time to time."""
    bench = Bench(dut, "packets")
    settings = dict(bench.parameters)
    network = settings.pop("network")
    settings.pop("whole")
    params = SwitchParams.model_validate(settings)
    ports: list[StreamPort | LinkPort] = [LinkPort(dut, params, port, bench) for port in range(network)]
    ports += [StreamPort(dut, params, number) for number in range(params.ports - network)]
    tags = [3 * port + 5 for port in range(params.ports + 1)]
    exchange = Exchange(params, bench, tags, ports)

    async def cycle() -> None:
        for port in ports:
            port.drive()
        await FallingEdge(dut.clk)
        for there, port in enumerate(ports):
            for packet in port.observe():
                exchange.arrive(there, packet)
        bench.compared_cycle()
        await RisingEdge(dut.clk)

    await streams.start(dut)
    driver = registers(dut, params, bench, network)
    await (program_by(driver, tags) if driver else program(dut, params, tags))
    with bench.comparing():
        for number in range(bench.cycles):
            if number % 100 == 0:
                for port in ports:
                    port.pause(bench)
            exchange.send()
            await cycle()
        for _ in range(streams.PATIENCE):
            if not any(exchange.left.values()):
                break
            await cycle()
        counts = Counter({way: len(queue) for way, queue in exchange.left.items() if queue})
        assert not counts, f"did not arrive: {counts}"
        for _ in range(streams.SILENCE):
            await cycle()
        if driver:
            await compare_counters(driver, exchange, params)
