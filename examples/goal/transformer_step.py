"""Writes the training step of examples/mpi/transformer_step.py as a GOAL schedule.

    python examples/goal/transformer_step.py > examples/goal/transformer_step.goal

Arguments: ranks that share data (2), tensor (2), stages (2), micro-batches (4), layers of a stage (2), hidden size
(256), tokens of a micro-batch (64), floating-point operations per nanosecond (1000). The first two are powers of two:
all-reduces are by recursive doubling.
"""

import sys
from collections.abc import Iterator

defaults = [2, 2, 2, 4, 2, 256, 64, 1000]
data, tensor, stages, batches, layers, hidden, tokens, speed = [*map(int, sys.argv[1:]), *defaults[len(sys.argv) - 1 :]]
if data & (data - 1) or tensor & (tensor - 1):
    sys.exit(f"{data} and {tensor} ranks share data and tensor: must be powers of two")

ATTENTION = (8 * tokens * hidden**2 + 4 * tokens**2 * hidden) / tensor
FEED_FORWARD = 16 * tokens * hidden**2 / tensor
ACTIVATIONS = 4 * tokens * hidden  # bytes
WEIGHTS = 4 * (12 * hidden**2 // tensor)
REDUCED = 2 * batches  # tags: micro-batches forward, backward, then the gradients of each layer
PARTIAL = REDUCED + layers


class Rank:
    """The operations of a rank, each of which waits for those in `last`."""

    def __init__(self, rank: int) -> None:
        each_stage = data * tensor
        self.lines: list[str] = []
        self._last: list[str] = []
        self._open: list[str] = []  # not waited for yet
        self._count = 0
        self._rank, self._stage = rank, rank // each_stage
        self._before, self._behind = rank - each_stage, rank + each_stage
        self._of_tensor = range(rank - rank % tensor, rank - rank % tensor + tensor)
        self._of_data = range(self._stage * each_stage + rank % tensor, (self._stage + 1) * each_stage, tensor)

    def step(self) -> None:
        """Add all operations: some micro-batches forward, then one forward and one backward in turn."""
        ahead = min(stages - self._stage - 1, batches)
        for batch in range(ahead):
            self._forward(batch)
        for batch in range(batches):
            if batch + ahead < batches:
                self._forward(batch + ahead)
            self._backward(batch)
        self._last = [*self._last, *self._open]
        self._add(f"calc {round(layers * WEIGHTS / 4 * 10 / data / speed)}")

    def _forward(self, batch: int) -> None:
        if self._stage:
            self._add(f"recv {ACTIVATIONS}b from {self._before} tag {batch}")
        for _ in range(layers):
            self._layer_part(ATTENTION)
            self._layer_part(FEED_FORWARD)
        if self._stage < stages - 1:
            self._start(f"send {ACTIVATIONS}b to {self._behind} tag {batch}")

    def _backward(self, batch: int) -> None:
        if self._stage < stages - 1:
            self._add(f"recv {ACTIVATIONS}b from {self._behind} tag {batches + batch}")
        for layer in reversed(range(layers)):
            self._layer_part(2 * FEED_FORWARD)
            self._layer_part(2 * ATTENTION)
            if batch == batches - 1 and data > 1:
                begun = self._last
                self._all_reduce(self._of_data, WEIGHTS, REDUCED + layer)
                self._open += self._last
                self._last = begun
        if self._stage:
            self._start(f"send {ACTIVATIONS}b to {self._before} tag {batches + batch}")

    def _layer_part(self, flops: float) -> None:
        self._add(f"calc {round(flops / speed)}")
        self._all_reduce(self._of_tensor, ACTIVATIONS, PARTIAL)

    def _all_reduce(self, group: range, size: int, tag: int) -> None:
        """Exchange everything with the ranks at distance 1, 2, 4 and so on."""
        place, distance = group.index(self._rank), 1
        while distance < len(group):
            peer = group[place ^ distance]
            received = self._write(f"recv {size}b from {peer} tag {tag}")
            self._last = [received, self._write(f"send {size}b to {peer} tag {tag}")]
            distance *= 2

    def _add(self, operation: str) -> None:
        """Add an operation for which later ones wait."""
        self._last = [self._write(operation)]

    def _start(self, operation: str) -> None:
        """Add an operation for which only the last one waits."""
        self._open.append(self._write(operation))

    def _write(self, operation: str) -> str:
        """Write an operation and its dependencies; return its label."""
        self._count += 1
        label = f"l{self._count}"
        self.lines.append(f"{label}: {operation}")
        self.lines.extend(f"{label} requires {each}" for each in self._last)
        return label


def lines() -> Iterator[str]:
    """Yield the lines of the schedule."""
    ranks = data * tensor * stages
    yield f"num_ranks {ranks}"
    for rank in range(ranks):
        yield f"rank {rank} {{"
        made = Rank(rank)
        made.step()
        yield from made.lines
        yield "}"


print("\n".join(lines()))
