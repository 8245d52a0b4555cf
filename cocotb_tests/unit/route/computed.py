"""What the benches of computed routes share: the model as a component, and the comparison of random pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models.params import SwitchParams
from models.route.dimension_order import encode
from models.route.route_unit import route_at_once

Pair = Callable[[], tuple[tuple[int, ...], int]]


class Computed:
    """Model of a route computation as a component."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st, rest = self._params, self._state, inputs["position"]
        for d, bits in enumerate(params.position_bits):
            st.position[0, d] = rest & ((1 << bits) - 1)
            rest >>= bits
        return {"route": golden.if_followed(params, int(route_at_once(st, 0, inputs["tag"], False)))}


async def compare(dut: Any, params: SwitchParams, bench: Bench, pair: Pair, *, invalid: bool, several: bool) -> None:
    """Compare the routes of random pairs: all fields, unless the route is dropped.

    Parameters
    ----------
    dut, params, bench : Any, SwitchParams, Bench
        The component, its parameters, its bench.
    pair : callable
        Returns the coordinates of a switch, and a tag.
    invalid : bool
        Whether some tags name no node.
    several : bool
        Whether some routes have several choices.
    """
    cover, model = bench.coverage, Computed(params)
    first, step = params.first_local, params.node_ports
    cover.require(f"leaves by port {port}" for port in range(params.ports) if port < first or not (port - first) % step)
    cover.require(["no such node"] if invalid else [])
    cover.require(["several choices"] if several else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        here, tag = pair()
        inputs = {"tag": tag, "position": encode(here, 0, params.position_bits)}
        expected = model(inputs)["route"]
        if invalid:
            cover.hit("no such node", not isinstance(expected, int))
        if isinstance(expected, int):
            route = golden.fields(params, golden.word(params, expected))
            cover.hit(f"leaves by port {route['out']}")
            if several:
                cover.hit("several choices", route["choices"] & (route["choices"] - 1))
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)


def names_no_node(*sizes: int) -> bool:
    """Return whether a field of a tag can be out of range, given the sizes of what the fields name."""
    return any(size & (size - 1) for size in sizes)
