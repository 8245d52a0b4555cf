"""Closed-loop traffic: replies to requests, and windows of outstanding packets."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from models.params import Params


class ClosedLoop(Params):
    """Replies and windows (Dally and Towles, Principles and Practices of Interconnection Networks, 2004, section 23.1).

    Parameters
    ----------
    reply_size : int
        Flits of the reply that a node sends to each packet; 0: no replies.
    reply_delay : int
        Cycles between the request's tail at the node and the birth of the reply.
    window : int
        Most outstanding packets of a node: not delivered or, with replies, not answered. Packets born while the window
        is full wait. 0: no limit.
    """

    reply_size: Annotated[int, Field(ge=0, le=65536)] = 0
    reply_delay: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    window: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check_loop(self) -> Self:
        if self.reply_delay != 1 and not self.reply_size:
            raise ValueError(f"reply_delay = {self.reply_delay}: only reply_size > 0 uses it; leave it out")
        return self


OPEN_LOOP = ClosedLoop()
"""Neither replies nor windows."""
