"""Faults in the message layer, and in its interface to a network, must show in the finishing times of ranks."""

from __future__ import annotations

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.mutation.python_fault import Fault, faulty_copy, one_a_file
from synth.mutated import ROOT, run_in

# Ranks of a ring, two on some nodes: several packets per message, rendezvous, any source, probes, overheads, copies.
PROGRAM = """
import os
import signal
import numpy as np
from models.errors import TsujiError
from sim.config import load
from sim.workload.mpi_run import run_mpi
from sim.messages.loggops import LogGOPS

def stop(*_):
    print("it does not end", flush=True)
    os._exit(0)

signal.signal(signal.SIGPROF, stop)
signal.setitimer(signal.ITIMER_PROF, 30)  # seconds of CPU time

def program(comm):
    rank, ranks = comm.rank, comm.size
    to, source = (rank + 1) % ranks, (rank - 1) % ranks
    told = []
    comm.sendrecv(None, (rank + 3) % ranks, 1, source=(rank - 3) % ranks, recvtag=1, bytes=100)
    comm.compute(50e-9 * (rank % 3))
    requests = [comm.irecv(source=source, tag=tag) for tag in (2, 3, 4)]
    for tag, size in (3, 24), (2, 300), (4, 0):
        comm.isend((rank, tag), to, tag, bytes=size)
    told.append(type(requests[0]).waitany(requests)[0])
    told.append(type(requests[0]).waitall(requests))
    later = [comm.irecv(source=source, tag=6) for _ in range(2)]
    comm.isend("long", to, 6, bytes=120)
    comm.isend("short", to, 6, bytes=1, nic=0 if network is None else 1)
    told.append(type(later[0]).waitall(later))
    told.append(comm.world.executor.now)
    if rank == 0:
        comm.compute(2e-6)
        for _ in range(ranks - 1):
            comm.probe(tag=5)
            told.append(comm.recv(tag=5))
    else:
        comm.send(rank, 0, 5, bytes=8 * rank)
    told.append(comm.allreduce(rank))
    comm.barrier()
    return told

settings = [
    "topology.kind=torus", "topology.radix=[4]", "switch.routing=dimension_order", "switch.depth=8",
    "run.stall_cycles=20000",
    "workload.packet_bytes=40", "workload.interfaces=2", "workload.send_overhead=7", "workload.receive_overhead=9",
    "workload.copy_cost=0.25", "workload.eager_bytes=128",
]
for network in None, settings:
    config = None if network is None else load(None, network, workload=True)
    ideal = LogGOPS(L=100, o=10, g=5, G=1, O=0, S=128)
    try:
        nodes = None if network is None else np.array([0, 0, 1, 1, 2, 3])
        result, values = run_mpi(program, 6, config, ideal, nodes=nodes, slow_down=False)
        print(result.ranks.end.tolist(), result.ranks.overhead.tolist(), result.messages, result.bytes, values)
        print(result.packets, result.flits, result.flit_hops)
    except (TsujiError, IndexError, KeyError, AssertionError, ValueError) as error:
        print(type(error).__name__)
"""
ENGINE = "sim.messages"
FAULTS: dict[str, Fault | None] = {
    "a message costs a byte more": Fault(f"{ENGINE}.process._of_bytes", "-", "keep left"),
    "costs of bytes are not scaled": Fault(f"{ENGINE}.process._of_bytes", ">>", "keep left"),
    "a CPU is free at once": Fault(f"{ENGINE}.process._operate", "+", "keep left", which=(1, 2)),
    "a send is not noted as under way": Fault(f"{ENGINE}.process._send", "append_outgoing()", "drop statement"),
    "messages overtake each other": Fault(f"{ENGINE}.matching.hold_overtaking", "==", "replace by constant", False),
    "tags do not matter": Fault(
        f"{ENGINE}.matching.receive_takes_tag", "==", "replace by constant", True, which=(1, 4)
    ),
    "sources do not matter": Fault(f"{ENGINE}.matching.receive_takes", "==", "replace by constant", True, which=(1, 2)),
    "probes are not told": Fault(f"{ENGINE}.process._take", "_tell_probes()", "drop statement"),
    "an end is reported at once": Fault(f"{ENGINE}.dependencies.finish", ">", "replace by constant", False),
    "what an end sets free is not": Fault(f"{ENGINE}.dependencies.finish", "release_dependents()", "drop statement"),
    "no operation is awaited": Fault(f"{ENGINE}.posting.await_operations", "=", "drop statement", which=(1, 2)),
    "events of one time come in any order": Fault(
        f"{ENGINE}.events.push", "<", "replace by constant", True, which=(2, 2)
    ),
    "the last event is lost": Fault(f"{ENGINE}.events.pop", "-", "keep left", which=(1, 1)),
    "all go by the first interface": Fault("sim.engine.messages.queue_message", "+", "keep left", which=(2, 2)),
    "ranks of a node take no time": Fault("sim.engine.messages.stays_at_node", "+", "keep left"),
    "a message arrives with its first packet": Fault(
        "sim.engine.messages.on_packet_arrival", "==", "replace by constant", True
    ),
    "a rank sees a tail a cycle early": Fault("sim.engine.messages.on_packet_arrival", "+", "keep left", which=(1, 2)),
    "interfaces do not take turns": Fault("sim.engine.messages._fill", "=", "drop statement", which=(5, 5)),
    # Of each file `make test` takes the first; this one does not end, and is stopped after 30 s of CPU time.
    "a packet carries a byte too many": Fault("sim.engine.messages._cut_packet", "-=", "drop statement", which=(1, 3)),
}


def test_every_fault_follows_its_source() -> None:
    for fault in filter(None, FAULTS.values()):
        fault.source()


@pytest.fixture(scope="module")
def sound() -> str:
    """Return the output of the program without a fault."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        told: str = run_in(ROOT, "none", ["-c", PROGRAM])
    assert len(told.splitlines()) == 4
    return told


@pytest.mark.parametrize("name", tiered(FAULTS, one_a_file(FAULTS)))  # `make faults` runs all
def test_a_fault_shows(name: str, sound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs as plain Python, in which functions are looked up by name."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with faulty_copy(FAULTS[name]) as folder:
        assert run_in(folder, name, ["-c", PROGRAM]) != sound, f"{FAULTS[name]} went unnoticed"
