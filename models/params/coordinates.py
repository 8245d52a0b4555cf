"""What follows from `SwitchParams` about computed routes: coordinates, their place in the tag, and ports of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.params.parts import index_width
from models.params.rings import longest_ring, longest_way, ring_dimensions


class Coordinates:
    """Properties of a switch: what its tag and its position hold, and which ports lead to nodes."""

    if TYPE_CHECKING:  # fields and properties of `SwitchParams`
        ports: int
        routing: str
        radix: tuple[int, ...]
        wrap: bool | tuple[bool, ...]
        ties: str
        fold: int | None
        crossbar: int | None
        network_ports: int | None
        node_ports: int

        @property
        def computed(self) -> bool:
            """As in `SwitchParams`."""

    @property
    def first_local(self) -> int:
        """Ports below this number lead to other switches; all ports if that is not known, or differs by switch."""
        if self.network_ports is not None:
            return self.network_ports
        if self.crossbar is not None or not self.computed or self.routing == "fat_tree":
            return self.ports
        if self.routing == "dimension_order":
            return 2 * len(self.radix)
        if self.routing == "hyperx":
            return sum(size - 1 for size in self.radix)
        if self.routing == "dragonfly":
            return self.radix[0] - 1 + self.global_ports
        return len(self.radix) + (self.fold is not None)

    @property
    def global_ports(self) -> int:
        """Of "dragonfly": ports of a switch to other groups, one cable between two groups."""
        switches, groups = self.radix
        return (groups - 1) // switches

    @property
    def local_ports(self) -> int:
        """Number of nodes of a switch, for the local number in tags; crossbars ignore it, trees have none."""
        if self.crossbar is not None or self.routing == "fat_tree":
            return 1
        return (self.ports - self.first_local) // self.node_ports

    @property
    def longest_path(self) -> int:
        """Links between switches on the longest shortest path, for "step"; 0 if `radix` does not tell."""
        if self.routing in ("hyper_crossbar", "hypercube", "hyperx"):
            # A shortest path takes at most half of the fold's dimensions, the folded link itself counted as one.
            return len(self.radix) - (self.fold or 0).bit_count() // 2
        return longest_way(self.wrap, self.radix)

    @property
    def rings(self) -> tuple[bool, ...]:
        """Whether each dimension is a ring."""
        return ring_dimensions(self.wrap, self.radix)

    @property
    def longest_ring(self) -> int:
        """Switches of the longest ring; 0 without a ring."""
        return longest_ring(self.wrap, self.radix)

    @property
    def has_vc_classes(self) -> bool:
        """Whether computed routes restrict the VCs of a packet."""
        return self.longest_ring > 3 or self.routing == "dragonfly"

    @property
    def coordinate_bits(self) -> tuple[int, ...]:
        """Width in bits of each coordinate in the tag, dimension 0 in the lowest bits."""
        return tuple(map(index_width, self.radix))

    @property
    def position_radix(self) -> tuple[int, ...]:
        """Number of values of each coordinate of a switch's own position; of a fat tree, the level is the first."""
        return (len(self.radix), *self.radix[1:]) if self.routing == "fat_tree" else self.radix

    @property
    def position_bits(self) -> tuple[int, ...]:
        """Width in bits of each coordinate of the position, the first in the lowest bits."""
        return tuple(map(index_width, self.position_radix))

    @property
    def local_bits(self) -> int:
        """Width in bits of the local number in the tag; 0 with one local port."""
        return (self.local_ports - 1).bit_length()

    @property
    def tie_bits(self) -> int:
        """Lowest bits of the tag that decide ties on even rings, the bit of the lowest dimension first."""
        if self.ties != "random":
            return 0
        return sum(ring and k % 2 == 0 for k, ring in zip(self.radix, self.rings, strict=True))

    @property
    def address_bits(self) -> int:
        """Bits of the tag that computed routes read."""
        return self.tie_bits + sum(self.coordinate_bits) + self.local_bits
