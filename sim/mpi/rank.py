"""Threads of control: the programs of ranks, and nonblocking collectives, which progress beside them.

Each is a greenlet, so that programs and the rounds of collectives are plain functions that block. Python code takes no
simulated time. All operations of a rank share its CPU, whichever of its threads posts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from greenlet import getcurrent, greenlet

from sim.mpi.constants import PROC_NULL
from sim.mpi.errors import MpiError, ProgramError
from sim.schedule.operations import PROBE

if TYPE_CHECKING:
    from sim.mpi.payload import Payload
    from sim.mpi.recorder import Entry
    from sim.mpi.world import World

NOTHING_POSTED = -1
"""Handle of what is no operation of the executor: the end of a background thread, or a message to or from no rank."""
INTERNAL = PROBE + 1
"""Kind of such an operation."""


class Posted:
    """An operation that a rank has posted.

    Attributes
    ----------
    what : str
        What it waits for, for messages.
    done : bool
        Whether it is complete; `peer`, `tag` and `size` then describe the message, and `payload` is its content.
    """

    __slots__ = ("done", "entry", "handle", "kind", "payload", "peer", "rank", "size", "tag", "what")

    def __init__(self, rank: Rank, kind: int, what: str) -> None:
        self.rank = rank
        self.kind = kind
        self.what = what
        self.handle = NOTHING_POSTED  # in the executor
        self.done = False
        self.peer = self.tag = self.size = -1
        self.payload: Payload | None = None
        self.entry: Entry | None = None  # in the recorder


class Rank(greenlet):  # type: ignore[misc]
    """The program of one rank: its number in the world, and what it waits for.

    Attributes
    ----------
    background : list of Background
        Its background threads that have not ended.
    sequence : dict
        Number of collectives called so far, by communicator.
    """

    prefix = ""
    """What stands before the names of the collectives that it calls."""

    def __init__(self, world: World, number: int, body: Callable[[], Any]) -> None:
        super().__init__(self._begin)
        self.world = world
        self.number = number
        self.body = body
        self.value: Any = None
        self.call = "its program"  # the MPI function that it has called
        self.region = world.region
        self.sent = np.zeros(2, np.int64)  # messages and their bytes, those of its background threads included
        self.awaited: set[Posted] = set()
        self.missing = 0  # number of them that it waits for
        self.background: list[Background] = []
        self.sequence: dict[Any, int] = {}

    def _begin(self) -> None:
        self.value = self.body()
        self.region.end(self.number)

    def calls(self, name: str) -> None:
        """Record the MPI function that it calls, for messages and for the region of interest."""
        self.call = name
        self.region.called(self.number, name)

    def round_tag(self, number: int) -> int:
        """Return a number for messages of the last of `number` collectives: 0, as blocking ones do not overlap."""
        return 0

    def __hash__(self) -> int:
        return self.number


class Background(Rank):
    """A nonblocking collective of a rank, which goes from round to round beside the rank's program.

    Attributes
    ----------
    ended : Posted
        Done when it has ended.
    error : MpiError or None
        What ended it, which the program may catch where it waits for the end.
    """

    prefix = "i"

    def __init__(self, home: Rank, call: str, body: Callable[[], Any]) -> None:
        super().__init__(home.world, home.number, body)
        self.call = call
        self.home = home
        self.background = home.background
        self.sent = home.sent
        self.sequence = home.sequence
        self.ended = Posted(home, INTERNAL, f"the end of {call}")
        self.error: MpiError | None = None
        self._tag = 0

    def _begin(self) -> None:
        try:
            self.value = self.body()
        except MpiError as error:
            self.error = error

    def calls(self, name: str) -> None:
        """Keep the name of the function that started it."""

    def round_tag(self, number: int) -> int:
        """Return a number that no other collective under way has; the same for all that it is made of."""
        self._tag = self._tag or number
        return self._tag

    def __hash__(self) -> int:
        return id(self)


def current() -> Rank:
    """Return the running thread.

    Raises
    ------
    ProgramError
        If no rank is running.
    """
    rank = getcurrent()
    if not isinstance(rank, Rank):
        raise ProgramError("MPI is called outside a program's ranks: run it with `tsuji mpi`")
    return rank


def nobody() -> Posted:
    """Return what a message to or from `PROC_NULL` is: done, without a message."""
    posted = Posted(current(), INTERNAL, "")
    posted.done, posted.peer = True, PROC_NULL
    return posted
