"""Values that derivatives of BookSim2 have and BookSim2 has not, and what takes their place if they are left out."""

from __future__ import annotations

from sim.booksim.parser import Assignment, elements
from sim.booksim.patterns import NAMES
from sim.booksim.routing_functions import FUNCTIONS, LEFT_OUT

# Values that BookSim2 has of keys whose default can take the place of others, supported here or not.
VALUES = {
    "router": ("iq", "event", "chaos"),
    "sim_type": ("latency", "throughput", "batch"),
    "injection_process": ("bernoulli", "on_off"),
    "traffic": NAMES,
}
SIZES = ("k", "c", "x", "y", "xr", "yr")  # of which derivatives have one for each dimension


def in_place_of(given: dict[str, Assignment]) -> dict[str, str | None]:
    """Return the keys with values that BookSim2 does not have, and the values in their place; None: the default.

    A topology has nothing in its place. A routing function has the first one of BookSim2's on that topology; a size
    for each dimension has their common value. A cmesh with one node per router is a mesh.
    """
    found: dict[str, str | None] = {}
    for key, values in VALUES.items():
        if key in given and not all(each.partition("(")[0] in values for each in elements(given[key].value)):
            found[key] = None
    topology = given["topology"].value if "topology" in given else "torus"
    if topology == "cmesh" and set(elements(given["c"].value) if "c" in given else ()) == {"1"}:
        found["topology"] = topology = "mesh"
    functions = FUNCTIONS.get(topology, {})
    if functions and "routing_function" in given:
        name = given["routing_function"].value
        if name not in functions and name not in LEFT_OUT:
            found["routing_function"] = next(iter(functions))
    dimensions = given["n"].value if "n" in given else "2"
    for key in SIZES:
        if key in given and given[key].value.startswith("{"):
            sizes = elements(given[key].value)
            if len(set(sizes)) == 1 and str(len(sizes)) == dimensions and (key == "k" or sizes[0] == "1"):
                found[key] = sizes[0]
    return found
