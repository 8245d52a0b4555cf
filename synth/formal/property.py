"""What is proved: a claim about a component, and a fault that makes it false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from synth.formal.proof import Proof


@dataclass(frozen=True)
class Fault:
    """A replacement in one source file of the hardware.

    Parameters
    ----------
    file : str
        Source file, relative to the project.
    old, new : str
        Text that stands there exactly once, and what replaces it.
    """

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Property:
    """A claim about a component.

    Parameters
    ----------
    name : str
        Unique; begins with the component.
    claim : str
        What is proved, in words.
    write : callable
        Writes the component, its surroundings and the claim into a proof.
    mutant : Fault
        What makes the claim false; proves that assumptions do not exclude everything.
    mode : {"prove", "bmc"}
        For all time, by k-induction; or for the first `depth` cycles after power-up.
    depth : int
        k of the induction, or the bound.
    mutant_depth : int
        Cycles within which the mutant must make the claim false.
    gates : bool
        Whether the solver is given gates, which Yosys simplified: seconds instead of hours for some, the reverse for
        others.
    fast : bool
        Whether it is part of `make test`.
    """

    name: str
    claim: str
    write: Callable[[Proof], None]
    mutant: Fault
    mode: Literal["prove", "bmc"] = "prove"
    depth: int = 2
    mutant_depth: int = 12
    gates: bool = False
    fast: bool = True

    @property
    def component(self) -> str:
        """The component it is about."""
        return self.name.partition(":")[0]

    @property
    def bound(self) -> str:
        """For how long it is proved."""
        return "unbounded" if self.mode == "prove" else f"{self.depth} cycles"
