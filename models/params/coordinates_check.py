"""Combinations of the parameters of computed routes that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.params.parts import MAX_PORTS

if TYPE_CHECKING:
    from models.params import SwitchParams


def check_coordinates(params: SwitchParams) -> None:
    """Refuse coordinates that do not fit the routing, the ports or the tag.

    Raises
    ------
    ValueError
        Names the field, its value and what is allowed.
    """
    if not params.radix:
        raise ValueError(f'radix is not set: routing = "{params.routing}" needs the nodes in each dimension')
    dimensions = len(params.radix)
    if params.routing == "hyper_crossbar" and max(params.radix) > MAX_PORTS:
        raise ValueError(f"radix = {params.radix}: a crossbar has at most {MAX_PORTS} ports")
    if params.routing == "hypercube":
        _check_hypercube(params)
    if params.routing == "dragonfly":
        _check_dragonfly(params)
    if params.crossbar is not None:
        if params.crossbar >= dimensions:
            raise ValueError(f"crossbar = {params.crossbar}: must be 0 to {dimensions - 1}, one of the dimensions")
        if params.ports != params.radix[params.crossbar]:
            size = params.radix[params.crossbar]
            raise ValueError(f"ports = {params.ports}: the crossbar of dimension {params.crossbar} has {size}")
    elif params.routing == "fat_tree":
        _check_fat_tree(params)
    elif params.ports <= params.first_local:
        raise ValueError(
            f"ports = {params.ports}: {dimensions} dimensions{'' if params.fold is None else ' and a fold'} need "
            f"{params.first_local} network ports and at least one local port"
        )
    if params.address_bits > params.tag_width:
        raise ValueError(
            f"tag_width = {params.tag_width}: coordinates {params.radix} and {params.local_ports} local ports "
            f"{f'with {params.tie_bits} for ties ' if params.tie_bits else ''}take {params.address_bits} bits"
        )
    if params.vcs < 2 and params.longest_ring > 3:
        raise ValueError(f"vcs = {params.vcs}: a torus with a ring of 4 or more nodes needs 2 VCs against deadlock")


def _check_dragonfly(params: SwitchParams) -> None:
    if len(params.radix) != 2 or (params.radix[1] - 1) % params.radix[0]:
        raise ValueError(
            f'radix = {params.radix}: routing = "dragonfly" needs [a, g], a switches in each of g groups, where a '
            "divides g − 1: one cable between two groups"
        )
    if params.vcs < 2:
        raise ValueError(f"vcs = {params.vcs}: a dragonfly needs 2 VCs against deadlock")


def _check_fat_tree(params: SwitchParams) -> None:
    arity = params.radix[0]
    if set(params.radix) != {arity}:
        raise ValueError(f'radix = {params.radix}: routing = "fat_tree" needs the same k for each level')
    if params.node_ports > 1:
        raise ValueError(
            f'node_ports = {params.node_ports}: routing = "fat_tree" knows one port per node; use "table" or "linear"'
        )
    if params.ports != 2 * arity:
        raise ValueError(f"ports = {params.ports}: a switch of a {arity}-ary tree has {2 * arity}")


def _check_hypercube(params: SwitchParams) -> None:
    if set(params.radix) != {2}:
        raise ValueError(f'radix = {params.radix}: routing = "hypercube" needs 2 in each dimension')
    fold, dimensions = params.fold, len(params.radix)
    if fold is not None and (fold >= 1 << dimensions or fold.bit_count() < 2):
        raise ValueError(
            f"fold = {fold}: must be a mask of two or more of the {dimensions} dimensions, at most "
            f"{(1 << dimensions) - 1}"
        )
