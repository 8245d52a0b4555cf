"""Replay of traces by SimGrid's flow-level simulator (`smpirun -replay`), the paper's own method; an external command.

In a flow-level simulator the messages share the bandwidth of the links on their way, and have a latency that is the sum
of theirs: there are no packets, buffers or arbiters.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from models.errors import TsujiError
from sim.schedule.ti.groups import GroupRule, rule_of
from sim.schedule.ti.trace import TraceOptions
from sim.schedule.ti.trace_files import TraceFiles

COMMAND = "smpirun"
HOW_TO_GET = (
    f"{COMMAND}: no such command; it belongs to SimGrid: install the Debian package libsimgrid-dev, or any SimGrid of "
    "version 3.32 or later with SMPI, and put its commands on PATH"
)
TIME = re.compile(r"\[([0-9.]+)\][^\n]*Simulation time")
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="torus" prefix="node" suffix="" radical="0-{last}" speed="{speed!r}f" bw="{bandwidth!r}Bps"
           lat="{latency!r}ns" loopback_bw="{loopback!r}Bps" loopback_lat="1ns" sharing_policy="SPLITDUPLEX"
           topology="TORUS" topo_parameters="{dimensions}"/>
</platform>
"""
GROUP_TAG = 1 << 20  # of messages of a group's all-to-all, which no benchmark uses
LOOPBACK = 1e12  # bytes per second within a node, which cost next to nothing


def lacking() -> str | None:
    """Return how to get the command where it is missing; None: it is there."""
    return None if shutil.which(COMMAND) else HOW_TO_GET


@cache
def version() -> str:
    """Return SimGrid's version.

    Raises
    ------
    TsujiError
        If the command is missing.
    """
    if reason := lacking():
        raise TsujiError(reason)
    told = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"[0-9]+\.[0-9.]*[0-9]", told.stdout + told.stderr)
    return match[0] if match else "unknown"


def replay_times(
    trace: Path,
    options: TraceOptions,
    radix: Sequence[int],
    hop_ns: Sequence[float],
    bandwidth: float,
    speed: float,
) -> list[float]:
    """Return the run time of a trace on a torus for each latency of a hop, in ns.

    Rank k is on node k; the first dimension of the torus is the one that changes fastest.

    Parameters
    ----------
    trace : Path
        Time-independent trace: a folder, or an archive of it.
    options : TraceOptions
        Which part of the trace is replayed, and which of its collectives run in groups.
    radix : sequence of int
        Switches per dimension, one node at each.
    hop_ns : sequence of float
        Latencies of a hop to replay it with, ns.
    bandwidth : float
        Bytes per second of each direction of a link.
    speed : float
        Units of the trace's `compute` per second.

    Raises
    ------
    TsujiError
        If SimGrid is missing, or does not replay the trace to its end.
    """
    version()
    with TemporaryDirectory() as name:
        folder = Path(name)
        listed, ranks = _write_part(trace, options, folder)
        nodes = prod(radix)
        if ranks > nodes:
            raise TsujiError(f"{trace}: {ranks} ranks on {nodes} nodes; must be at most one rank per node")
        (folder / "hosts").write_text("".join(f"node{node}\n" for node in range(nodes)), encoding="utf-8")
        times = []
        for latency in hop_ns:
            platform = folder / "platform.xml"
            text = PLATFORM.format(
                last=nodes - 1,
                speed=float(speed),
                bandwidth=float(bandwidth),
                latency=float(latency),
                loopback=LOOPBACK,
                dimensions=",".join(map(str, radix)),
            )
            platform.write_text(text, encoding="utf-8")
            times.append(_run(trace, listed, ranks, platform))
        return times


def _write_part(trace: Path, options: TraceOptions, folder: Path) -> tuple[Path, int]:
    """Write the lines of a part of a trace, one file per rank, and their list; return that and the number of ranks."""
    files = TraceFiles(trace)
    ranks = len(files.files)
    names = []
    for rank in range(ranks):
        path = folder / f"rank{rank:05d}.txt"
        with path.open("wb") as file:
            for lines in options.part.blanked(files.chunks(rank), files.name(rank)):
                for line in lines:
                    file.writelines(_messages(line, rank, options.groups))
        names.append(f"{path}\n")
    listed = folder / "list.ti"
    listed.write_text("".join(names), encoding="utf-8")
    return listed, ranks


def _messages(line: bytes, rank: int, groups: Sequence[GroupRule]) -> list[bytes]:
    """Return a line as SimGrid replays it: an all-to-all of a group, for which it has no line, as its messages."""
    fields = line.split()
    if not fields:
        return []
    rule = rule_of(groups, fields[1].decode(), fields[2:])
    if rule is None:
        return [line.rstrip() + b"\n"]
    if rule.action != "alltoall":
        raise TsujiError(f"{str(rule)!r}: only alltoall can be replayed in groups at flow level")
    count, kind = int(fields[2]), int(fields[4])
    peers = [peer for peer in rule.members(rank) if peer != rank]
    receives = [b"%d irecv %d %d %d %d\n" % (rank, peer, GROUP_TAG, count, kind) for peer in peers]
    sends = [b"%d isend %d %d %d %d\n" % (rank, peer, GROUP_TAG, count, kind) for peer in peers]
    return [*receives, *sends, b"%d waitall %d\n" % (rank, 2 * len(peers))]


def _run(trace: Path, listed: Path, ranks: int, platform: Path) -> float:
    """Return the simulated time of a replay, ns."""
    command = [
        *(COMMAND, "-np", str(ranks), "-platform", str(platform), "-hostfile", str(platform.with_name("hosts"))),
        *("-replay", str(listed), "--log=root.fmt:[%.12r]%e%m%n"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=platform.parent)
    told = done.stdout + done.stderr
    match = TIME.search(told)
    if done.returncode or not match:
        lines = [line for line in told.splitlines() if "CRITICAL" in line or "rror" in line] or told.splitlines()[-1:]
        raise TsujiError(f"{trace}: {COMMAND} does not replay it: {(lines or ['no output'])[0].strip()}")
    return float(match[1]) * 1e9
