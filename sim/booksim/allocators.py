"""BookSim2's allocators: who chooses first, and by what arbiters.

An allocator is `name` or `name(parameter)`; the parameter is the iterations of iSLIP or the arbiters of a separable
allocator. BookSim2 has keys for both, too, but its routers do not pass them to their allocators.
"""

from __future__ import annotations

from sim.booksim.settings import Settings

ROUND_ROBIN = "round_robin"
VC_ALLOCATORS = {
    "islip": "output_first",
    "separable_input_first": "input_first",
    "separable_output_first": "output_first",
}
# The switch allocator matches ports: an input chooses an output, not a VC.
SWITCH_ALLOCATORS = VC_ALLOCATORS | {"separable_input_first": "ports_first"}


def switch_allocator(given: Settings) -> tuple[str, str]:
    """Return `switch.allocator` and `switch.arbiter`."""
    name, parameter = _read(given, "sw_allocator")
    if name not in SWITCH_ALLOCATORS:
        raise given.refuse("sw_allocator", f"must be one of {', '.join(SWITCH_ALLOCATORS)}")
    if name != "islip" and parameter not in (ROUND_ROBIN, "matrix"):
        raise given.refuse("sw_allocator", f"arbiters must be one of {ROUND_ROBIN}, matrix")
    return SWITCH_ALLOCATORS[name], ROUND_ROBIN if name == "islip" else parameter


def vc_allocator(given: Settings) -> str | None:
    """Return `switch.vc_allocator`; None: a head gets its VC together with the crossbar."""
    name, parameter = _read(given, "vc_allocator")
    if given.word("vc_allocator") == "piggyback" and given.integer("speculative", 0, 1):
        return None
    if name not in VC_ALLOCATORS:
        raise given.refuse("vc_allocator", f"must be one of {', '.join(VC_ALLOCATORS)}; piggyback with speculative = 1")
    if name != "islip" and parameter != ROUND_ROBIN:
        raise given.refuse("vc_allocator", f"arbiters must be {ROUND_ROBIN}: VCs are given in turn")
    return VC_ALLOCATORS[name]


def speculation(given: Settings) -> str:
    """Return `switch.speculation` for heads that get their VC in a stage of its own."""
    checks = {key: given.integer(key, 0, 1) for key in ("spec_check_elig", "spec_check_cred")}
    if not given.integer("speculative", 0, 1):
        return "none"
    if given.word("spec_sw_allocator") != "prio":
        raise given.refuse("spec_sw_allocator", "must be prio: all that ask for the crossbar ask the same allocator")
    for key, value in checks.items():
        if value != 1:
            raise given.refuse(key, "must be 1: a head asks for the crossbar where a VC could take it")
    # iSLIP does not look at priorities.
    return "equal" if _read(given, "sw_allocator")[0] == "islip" else "behind"


def _read(given: Settings, key: str) -> tuple[str, str]:
    """Return an allocator's name and parameter."""
    name, bracket, rest = given.word(key).partition("(")
    parameter = rest.removesuffix(")") if bracket else "1" if name == "islip" else ROUND_ROBIN
    if name == "islip" and parameter != "1":
        raise given.refuse(key, "iSLIP makes one iteration: must be islip, or islip(1)")
    return name, parameter
