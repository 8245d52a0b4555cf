"""A timeline for Perfetto: operations of ranks, messages between them, and states of links.

Tracks: the network (power, utilisation), each switch (power, links) and each rank (operations); an arrow from a send to
its receive is a message. A slice of a link shows the state in which it was longest, per frame; adjacent frames of one
state are one slice. The protobuf is that of the Python package perfetto.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.plot.directions import port_name
from sim.plot.operations_file import read_operations
from sim.plot.recorded import Recorded
from sim.power.meter import STATES
from sim.topology.base import NOBODY

if TYPE_CHECKING:
    import pandas as pd

CYCLES = tuple(f"{state}_cycles" for state in STATES)
SEQUENCE = 1  # sequence of packets: one writer
KINDS = {"send": "send to", "receive": "receive from", "probe": "probe"}


class Timeline:
    """A growing trace.

    Raises
    ------
    TsujiError
        If the package perfetto is not installed.
    """

    def __init__(self) -> None:
        try:
            from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
            from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder
        except ModuleNotFoundError:
            raise TsujiError("--perfetto: needs its protobuf: pip install 'tsuji[view]', or perfetto alone") from None
        self._event = protos.TrackEvent
        self._written = BytesIO()
        self._builder = StreamingTraceProtoBuilder(self._written)
        self._tracks = 0

    def track(self, name: str, parent: int = 0, unit: str | None = None) -> int:
        """Add a track below another; one with a unit is a counter. Return its number."""
        self._tracks += 1
        packet = self._builder.create_packet()
        descriptor = packet.track_descriptor
        descriptor.uuid, descriptor.name = self._tracks, name
        if parent:
            descriptor.parent_uuid = parent
        if unit is not None:
            descriptor.counter.unit_name = unit
        self._builder.write_packet(packet)
        return self._tracks

    def _packet(self, ns: float, track: int, kind: int) -> Any:
        packet = self._builder.create_packet()
        packet.timestamp = round(ns)
        packet.trusted_packet_sequence_id = SEQUENCE
        packet.track_event.type, packet.track_event.track_uuid = kind, track
        return packet

    def count(self, track: int, ns: float, value: float) -> None:
        """Set the value of a counter from a time on."""
        packet = self._packet(ns, track, self._event.TYPE_COUNTER)
        packet.track_event.double_counter_value = value
        self._builder.write_packet(packet)

    def span(
        self,
        track: int,
        begin: float,
        end: float,
        name: str,
        said: dict[str, int | float | str] | None = None,
        sent: int | None = None,
        received: int | None = None,
    ) -> None:
        """Add a slice; an arrow leads from the slice that sends a message to the one that receives it."""
        packet = self._packet(begin, track, self._event.TYPE_SLICE_BEGIN)
        event = packet.track_event
        event.name = name
        for key, value in (said or {}).items():
            note = event.debug_annotations.add()
            note.name = key
            if isinstance(value, str):
                note.string_value = value
            elif isinstance(value, int):
                note.int_value = value
            else:
                note.double_value = value
        if sent is not None:
            event.flow_ids.append(sent)
        if received is not None:
            event.terminating_flow_ids.append(received)
        self._builder.write_packet(packet)
        self._builder.write_packet(self._packet(end, track, self._event.TYPE_SLICE_END))

    def content(self) -> bytes:
        """Return the file."""
        return self._written.getvalue()


def write_timeline(recorded: Recorded, path: Path, operations: Path | None = None) -> None:
    """Write the timeline of a run.

    Parameters
    ----------
    recorded : Recorded
        Record with `CYCLES` and `utilisation` of links and `mean_w` of switches.
    path : Path
        File of the trace for Perfetto.
    operations : Path or None
        Operations of ranks, a file of `--operations` of `tsuji mpi` and `replay`.

    Raises
    ------
    TsujiError
        If perfetto is not installed, or a file cannot be read or written.
    """
    done = None if operations is None else read_operations(operations)
    timeline = Timeline()
    if done is not None:
        _add_ranks(timeline, done)
    _add_network(timeline, recorded)
    _add_switches(timeline, recorded)
    write_output(path, timeline.content())


def _add_network(timeline: Timeline, recorded: Recorded) -> None:
    """Add the counters of the whole network."""
    network = timeline.track("network")
    shown = (
        ("power", "W", recorded.switches["mean_w"].sum(axis=1)),
        ("mean utilisation of links", "%", 100 * recorded.links["utilisation"].mean(axis=1)),
    )
    for name, unit, values in shown:
        _add_counter(timeline, timeline.track(name, network, unit), recorded, values)


def _add_counter(timeline: Timeline, track: int, recorded: Recorded, values: Any) -> None:
    """Add the values of frames at changes and at the end."""
    changed = np.append(True, values[1:] != values[:-1])
    for frame in np.flatnonzero(changed):
        timeline.count(track, recorded.start_ns[frame], float(values[frame]))
    timeline.count(track, recorded.end_ns[-1], float(values[-1]))


def _add_switches(timeline: Timeline, recorded: Recorded) -> None:
    """Add switches, each with its power and its links."""
    ends = recorded.ends
    top = timeline.track("switches")
    cycles = np.stack([recorded.links[name] for name in CYCLES])
    shares = cycles / np.maximum(cycles.sum(axis=0), 1e-9)
    longest = shares.argmax(axis=0)
    coordinates = recorded.about["topology"]["coordinates"]
    by_switch = np.argsort(ends["switch"], kind="stable")
    first = np.searchsorted(ends["switch"][by_switch], np.arange(len(coordinates) + 1))
    for switch, place in enumerate(coordinates):
        own = timeline.track(f"switch {switch} ({', '.join(map(str, place))})", top)
        _add_counter(timeline, timeline.track("power", own, "W"), recorded, recorded.switches["mean_w"][:, switch])
        for link in by_switch[first[switch] : first[switch + 1]]:
            track = timeline.track(_link_name(recorded, link), own)
            for begin, end in _runs(longest[:, link]):
                state = longest[begin, link]
                timeline.span(
                    track,
                    recorded.start_ns[begin],
                    recorded.end_ns[end - 1],
                    STATES[state],
                    {
                        f"share of {STATES[state]}": float(shares[state, begin:end, link].mean()),
                        "utilisation": float(recorded.links["utilisation"][begin:end, link].mean()),
                    },
                )


def _link_name(recorded: Recorded, link: int) -> str:
    """Return the name of a link's track."""
    ends = {name: int(values[link]) for name, values in recorded.ends.items()}
    if ends["to_switch"] == NOBODY:
        return f"{port_name(ends['port'], NOBODY, 0)} to node {ends['to_node']}"
    return f"{port_name(ends['port'], ends['dimension'], ends['direction'])} to switch {ends['to_switch']}"


def _runs(values: Any) -> Iterator[tuple[int, int]]:
    """Yield the begin and end index of runs of equal values."""
    edges = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
    yield from itertools.pairwise(edges)


def _add_ranks(timeline: Timeline, operations: pd.DataFrame) -> None:
    """Add the operations of ranks; overlapping operations of a rank are stacked."""
    top = timeline.track("ranks")
    for rank, own in operations.groupby("rank"):
        tracks: list[int] = []
        busy: list[tuple[float, int]] = []
        for row in own.itertuples():
            if busy and busy[0][0] <= row.start_ns:
                _, track = heapq.heappop(busy)
            else:
                track = timeline.track(f"rank {rank}", top)
                tracks.append(track)
            heapq.heappush(busy, (row.end_ns, track))
            message = None if row.message < 0 else int(row.message)
            timeline.span(
                track,
                row.start_ns,
                row.end_ns,
                f"{KINDS[row.kind]} {row.peer}" if row.kind in KINDS else str(row.kind),
                {"call": row.call} | ({} if row.kind not in KINDS else {"bytes": int(row.bytes), "tag": int(row.tag)}),
                sent=message if row.kind == "send" else None,
                received=message if row.kind == "receive" else None,
            )
