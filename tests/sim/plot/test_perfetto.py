"""The timeline, read back with the classes of Perfetto's own package."""

import itertools

import pandas as pd
import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from models.errors import TsujiError
from sim.plot.perfetto import CYCLES, write_timeline
from sim.plot.recorded import read_recorded
from tests.sim.plot.power_files import BASE_W, link_w, lpi_cycles, write_power

Event = protos.TrackEvent
LINKS = 24


def recorded(tmp_path, chunks=8):
    path = write_power(tmp_path / "ring.parquet", ["topology.radix=[2, 3]"], chunks)
    return read_recorded(path, [*CYCLES, "utilisation"], ["mean_w"])


def read(path):
    """Return the tracks, by their names from the top, and the events of each."""
    trace = protos.Trace()
    trace.ParseFromString(path.read_bytes())
    descriptors = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}

    def full(uuid):
        own = descriptors[uuid]
        return (*full(own.parent_uuid), own.name) if own.parent_uuid else (own.name,)

    events = {uuid: [] for uuid in descriptors}
    for packet in trace.packet:
        if packet.HasField("track_event"):
            assert packet.trusted_packet_sequence_id == 1
            events[packet.track_event.track_uuid].append((packet.timestamp, packet.track_event))
    return [(full(uuid), descriptors[uuid], events[uuid]) for uuid in descriptors]


def slices(events):
    """Return name, begin and end of slices, which must not overlap."""
    found = []
    for (begin, first), (end, last) in zip(events[::2], events[1::2], strict=True):
        assert (first.type, last.type) == (Event.TYPE_SLICE_BEGIN, Event.TYPE_SLICE_END)
        assert begin <= end
        found.append((first.name, begin, end))
    assert all(one[2] <= other[1] for one, other in itertools.pairwise(found))
    return found


def test_links_and_switches(tmp_path):
    found = recorded(tmp_path)
    write_timeline(found, tmp_path / "t.pftrace")
    tracks = read(tmp_path / "t.pftrace")
    names = [name for name, _, _ in tracks]
    assert len(set(names)) == len(names) == 4 + 6 * 2 + LINKS
    assert ("switches", "switch 3 (1, 1)", "port 0, +x to switch 2") in names
    power = next(events for name, _, events in tracks if name == ("network", "power"))
    assert power[0][1].double_counter_value == pytest.approx(6 * BASE_W + link_w(0, LINKS).sum(), rel=1e-6)
    assert power[-1][0] == 75_000
    links = [(descriptor, events) for name, descriptor, events in tracks if name[-1].startswith("port")]
    slept = [sum(end - begin for state, begin, end in slices(events) if state == "lpi") for _, events in links]
    asleep = [[bool(lpi_cycles(chunk, LINKS)[link] > 500) for chunk in range(8)] for link in range(LINKS)]
    assert slept == [sum(10_000 * one for one in each[:7]) + 5_000 * each[7] for each in asleep]
    assert all(slices(events)[0][1] == 0 and slices(events)[-1][2] == 75_000 for _, events in links)


def test_ranks_and_messages(tmp_path):
    rows = [
        (0, "send", 0.0, 30.0, 1, 2048, 7, 11, "Ibcast"),
        (0, "calculate", 10.0, 20.0, -1, 0, 0, -1, "compute"),  # during the send
        (0, "calculate", 30.0, 40.0, -1, 0, 0, -1, "compute"),
        (1, "receive", 0.0, 50.0, 0, 2048, 7, 11, "Ibcast"),
        (1, "probe", 50.0, 60.0, 0, 2048, 7, -1, "probe"),
    ]
    names = ["rank", "kind", "start_ns", "end_ns", "peer", "bytes", "tag", "message", "call"]
    pd.DataFrame(rows, columns=names).to_parquet(tmp_path / "ops.parquet")
    write_timeline(recorded(tmp_path, 1), tmp_path / "t.pftrace", tmp_path / "ops.parquet")
    tracks = [(name, events) for name, _, events in read(tmp_path / "t.pftrace") if name[0] == "ranks"]
    done = [(name[-1], *each) for name, events in tracks for each in slices(events)]
    assert sorted(done) == [
        ("rank 0", "calculate", 10, 20),
        ("rank 0", "calculate", 30, 40),
        ("rank 0", "send to 1", 0, 30),
        ("rank 1", "probe 0", 50, 60),
        ("rank 1", "receive from 0", 0, 50),
    ]
    assert len(tracks) == 1 + 2 + 1
    begins = [event for _, events in tracks for _, event in events[::2]]
    assert [list(event.flow_ids) for event in begins if event.name == "send to 1"] == [[11]]
    assert [list(event.terminating_flow_ids) for event in begins if event.name == "receive from 0"] == [[11]]
    notes = {note.name: note.string_value or note.int_value for note in begins[0].debug_annotations}
    assert notes == {"bytes": 2048, "tag": 7, "call": "Ibcast"}


def test_operations_that_are_none_are_refused(tmp_path):
    found = recorded(tmp_path, 1)
    for name in ("gone.parquet", "ring.parquet"):
        with pytest.raises(TsujiError, match=rf"--operations .*{name}: must be a file that --operations of"):
            write_timeline(found, tmp_path / "t.pftrace", tmp_path / name)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("start_ns", None, "row 1: start_ns is missing"),
        ("peer", None, "row 1: peer is missing"),
        ("tag", "x", "tag = "),
    ],
)
def test_a_missing_value_of_operations_is_named(tmp_path, column, value, said):
    rows = {"rank": [0, 1], "kind": ["send", "recv"], "start_ns": [0.0, 1.0], "end_ns": [1.0, 2.0]}
    rows |= {
        "peer": [1, 0],
        "bytes": [1, 1],
        "tag": [0, 0],
        "message": [0, 0],
        "call": ["", ""],
        column: [value or "0", value],
    }
    table = pd.DataFrame(rows)
    if value is None:
        table[column] = [1.0, None]
    table.to_parquet(tmp_path / "ops.parquet")
    with pytest.raises(TsujiError, match=f"--operations .*ops.parquet: {said}"):
        write_timeline(recorded(tmp_path), tmp_path / "t.pftrace", tmp_path / "ops.parquet")
