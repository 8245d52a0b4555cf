"""Traces for tests, written from the lines of each rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim.schedule.operations import Operations
from sim.schedule.ti.trace import TiTrace


def write(folder: Path, *ranks: str) -> Path:
    """Write a trace; for each rank the actions between init and finalize, separated by `;`."""
    folder.mkdir(exist_ok=True)
    for rank, actions in enumerate(ranks):
        middle = [action.strip() for action in actions.split(";") if action.strip()]
        lines = "".join(f"{rank} {action}\n" for action in ["init", *middle, "finalize"])
        (folder / f"rank{rank:04}.txt").write_text(lines, encoding="utf-8")
    return folder


def in_turn(trace: TiTrace) -> list[list[Operations]]:
    """Return all blocks of each rank, read in the order of a run."""
    blocks: list[list[Operations]] = [[] for _ in range(trace.ranks)]
    readers = {rank: trace.blocks(rank) for rank in range(trace.ranks)}
    while readers:
        for rank in list(readers):
            block = next(readers[rank], None)
            if block is None:
                del readers[rank]
            else:
                blocks[rank].append(block)
    return blocks


def column(blocks: list[list[Operations]], name: str) -> NDArray[np.int64]:
    """Return a column of all blocks of all ranks."""
    return np.concatenate([getattr(block, name) for rank in blocks for block in rank])


def graph(blocks: list[Operations]) -> list[tuple[int, int, int, int, list[int]]]:
    """Return the operations of a rank as rows of kind, peer, size, tag and dependencies."""
    rows = []
    for block in blocks:
        for k in range(len(block)):
            needs = block.requires[block.first[k] : block.first[k + 1]].tolist()
            rows.append((int(block.kind[k]), int(block.peer[k]), int(block.size[k]), int(block.tag[k]), needs))
    return rows
