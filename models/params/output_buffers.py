"""What follows from `SwitchParams` about the buffer before each output link."""

from __future__ import annotations

from typing import TYPE_CHECKING


class OutputBuffers:
    """Properties of a switch: which buffer stands before its output links, and how long a flit may take through it."""

    if TYPE_CHECKING:  # fields of `SwitchParams`
        stage_delay: int
        speedup: int
        output_buffer: int | None

    @property
    def output_flits(self) -> int:
        """Flits of the FIFO before an output link, or of each queue before it; 0: there is no buffer."""
        return self.output_buffer or (4 if self.output_fifo else 0)

    @property
    def output_fifo(self) -> bool:
        """Whether granted flits wait in a FIFO for an output link that is slower than the crossbar."""
        return self.speedup > 1

    @property
    def output_queues(self) -> bool:
        """Whether granted flits wait for credits in a queue per VC before an output link as fast as the crossbar."""
        return self.output_flits > 0 and not self.output_fifo

    @property
    def link_lead(self) -> int:
        """Largest number of cycles from the choice of a flit until it is on the output link.

        The choice is the grant; with queues, that of the link among the VCs.
        """
        return self.stage_delay + (self.output_flits * self.speedup if self.output_fifo else 1)
