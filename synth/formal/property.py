"""A property: a claim about a component, and a fault (mutant) that makes it false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from synth.formal.proof import Proof


@dataclass(frozen=True)
class Fault:
    """Replacement of one text in one source file of the hardware.

    Parameters
    ----------
    file : str
        Source file, relative to the root of the project.
    old, new : str
        Text that occurs exactly once in the file, and its replacement.
    """

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Property:
    """A claim about a component, with the way to prove and to refute it.

    Parameters
    ----------
    name : str
        Unique name; begins with the component.
    claim : str
        The claim in words.
    write : callable
        Writes the component, its environment and the claim into a proof.
    mutant : Fault
        Fault that makes the claim false; its refutation shows that the assumptions do not exclude everything.
    mode : {"prove", "bmc"}
        "prove": for all time, by k-induction. "bmc": for the first `depth` cycles after power-up.
    depth : int
        k of the induction, or the number of cycles.
    mutant_depth : int
        Number of cycles within which the mutant must violate the claim.
    gates : bool
        Whether the solver gets gates simplified by Yosys: seconds instead of hours for some properties, the reverse for
        others.
    fast : bool
        Whether `make test` proves it.
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
        """The component that the claim is about."""
        return self.name.partition(":")[0]

    @property
    def bound(self) -> str:
        """The time for which the claim is proved, as text."""
        return "unbounded" if self.mode == "prove" else f"{self.depth} cycles"
