"""What a prototype needs of an FPGA, before it is synthesised: measured cells of its parts, times their number.

Switch, node and host port are each synthesised once, by itself; what was measured is kept, as long as their Verilog
and Yosys stay the same. `known_cells.json` holds what was measured for the examples, by parameters, for an answer
without synthesis.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from amaranth.lib import wiring

from hdl.top import Top
from hdl.transfer.link import Link
from hdl.verilog import component_verilog
from models.errors import TsujiError
from synth import toolchain
from synth.boards.boards import BLOCK_MEMORIES, LUTS, Board
from synth.boards.host_port import HostPort
from synth.boards.node import Node
from synth.boards.prototype import READ_LATENCY, Design
from synth.ecp5 import area

KNOWN = Path(__file__).with_name("known_cells.json")
KEPT = Path("build/cells")
FULL = 0.82
"""Part of an FPGA's LUTs, as estimated here, beyond which a prototype does not fit.

Whole, it takes a sixth more than its parts: 69,158 LUTs where 59,579 were estimated (`examples/board/torus4x4.toml`),
as Yosys maps it module by module. nextpnr finds no routes where more than 95 % are used.
"""


@dataclass(frozen=True)
class Part:
    """A part of a prototype, all of whose instances are equal.

    Attributes
    ----------
    name : str
        What it is.
    count : int
        Number of instances.
    luts, memories : int
        LUT equivalents and block memories of one.
    """

    name: str
    count: int
    luts: int
    memories: int


@dataclass(frozen=True)
class _Kind:
    """A part that can be measured; of equal keys the cells are equal."""

    name: str
    count: int
    key: str
    build: Callable[[], wiring.Component]


def parts(design: Design, tell: Callable[[str], None]) -> list[Part]:
    """Return the parts of a prototype; `tell` is called with the name of each that is synthesised now."""
    known: dict[str, list[int]] = json.loads(KNOWN.read_text(encoding="utf-8"))
    found = []
    for kind in _kinds(design):
        luts, memories = known.get(_digest(kind.name, kind.key)) or _measured(kind, tell)
        found.append(Part(kind.name, kind.count, luts, memories))
    return found


def refuse_if_too_large(design: Design, board: Board, tell: Callable[[str], None]) -> list[Part]:
    """Return the parts of a prototype that fits a board.

    Raises
    ------
    TsujiError
        If it cannot fit.
    """
    device = board.open().device
    found = parts(design, tell)
    needed = sum(part.count * part.luts for part in found)
    memories = sum(part.count * part.memories for part in found)
    list_of_parts = ", ".join(f"{part.count} × {part.name} of {part.luts:,}" for part in found)
    if needed > FULL * LUTS[device]:
        raise TsujiError(
            f"--board {board.name}: {needed:,} LUTs are needed and {LUTS[device]:,} are there ({list_of_parts}); "
            f"at most {FULL:.0%} can be used. Use fewer or smaller switches, or a larger board"
        )
    if memories > BLOCK_MEMORIES[device]:
        raise TsujiError(
            f"--board {board.name}: {memories} block memories are needed and {BLOCK_MEMORIES[device]} are there; "
            "use fewer nodes, or smaller tables"
        )
    return found


def known_cells(design: Design, tell: Callable[[str], None]) -> dict[str, list[int]]:
    """Return the entries of `known_cells.json` for a prototype, measured now."""
    return {_digest(kind.name, kind.key): list(_measured(kind, tell)) for kind in _kinds(design)}


def _kinds(design: Design) -> list[_Kind]:
    """Return the kinds of parts of a prototype."""
    params, link = design.switch, design.link
    kinds = []
    crossbars: Counter[int | None] = Counter(design.wires.crossbars or [None] * len(design.wires.peers))
    for dimension, count in crossbars.items():
        kind = params if dimension is None else params.crossbar_of(dimension)
        name = "switch" if dimension is None else f"crossbar of dimension {dimension}"
        kinds.append(_Kind(name, count, repr(kind), partial(Top, kind)))
    nodes, size, fixed = len(design.tags), design.packet_size, design.fixed
    key = repr(
        (params.data_width, params.tag_width, params.vcs, params.depth, params.buffering, nodes, size, bool(fixed))
    )
    kinds.append(_Kind("node", nodes, key, partial(Node, params, design.tags, size, fixed)))
    links = sum(peer is not None for peers in design.wires.peers for peer in peers)
    if link.latency or link.credit_lag:
        key = repr((params.data_width, params.vcs, link))
        kinds.append(_Kind("link", links, key, partial(Link, params, link)))
    return [*kinds, _Kind("host port", 1, "", partial(HostPort, READ_LATENCY, 1 << 16))]


def _digest(name: str, key: str) -> str:
    return sha256(f"{name} {key}".encode()).hexdigest()[:20]


def _measured(kind: _Kind, tell: Callable[[str], None]) -> tuple[int, int]:
    """Return LUT equivalents and block memories of a part: kept, or measured now."""
    verilog = component_verilog(kind.build(), "tsuji_part")
    text = sha256(f"{toolchain.yosys().version} {verilog}".encode()).hexdigest()[:20]
    path = KEPT / f"{text}.json"
    if not path.exists():
        tell(f"synthesis of a {kind.name}, to see whether the network fits")
        with TemporaryDirectory() as folder:
            cells = area(verilog, "tsuji_part", Path(folder))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([cells.eq, cells.dp16kd]), encoding="utf-8")
    luts, memories = json.loads(path.read_text(encoding="utf-8"))
    return luts, memories
