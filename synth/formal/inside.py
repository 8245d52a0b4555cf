"""A component under proof: free inputs, and access to its registers and memories.

Induction starts in any state that the assertions allow, so they must state invariants over registers that are not
visible at the ports. Only this file reads the inside of elaborated hardware.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from amaranth.asserts import AnySeq
from amaranth.hdl import Fragment, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out


class Inside:
    """A component, instantiated as a submodule of a proof.

    Parameters
    ----------
    m : Module
        Module of the proof.
    component : wiring.Component
        The component; its inputs take any value in any cycle.
    memories : iterable of str
        Memories that the proof reads, with `reads` read ports each. Here and below the name of a part of a part is a
        path with dots.
    reads : int
        Rows of each memory that the proof reads in one cycle.
    driven : iterable of str
        Inputs that the proof drives itself instead.
    replaced : iterable of str
        Submodules that are replaced by ones whose outputs take any value in any cycle, so that the proof holds for
        every behaviour of theirs.
    name : str
        Name of the submodule.

    Attributes
    ----------
    ports : wiring.Component
        The component with its ports.
    replaced : dict of str to wiring.Component
        The replaced submodules, by path.
    """

    def __init__(
        self,
        m: Module,
        component: wiring.Component,
        memories: Iterable[str] = (),
        reads: int = 1,
        driven: Iterable[str] = (),
        replaced: Iterable[str] = (),
        name: str = "component",
    ) -> None:
        self.ports: Any = component
        inner = component.elaborate(None)
        self.ports._MustUse__used = True  # elaborated here rather than by Amaranth, which would warn
        self._opened: dict[str, Any] = {"": inner}
        self._fragment: Fragment | None = None
        self.replaced: dict[str, Any] = {key: self.part(key) for key in replaced}
        for part in self.replaced.values():
            part.elaborate = _anything(part)
        self._memories: dict[str, memory.Memory] = {key: self.part(key) for key in memories}
        self._ports = {
            key: [rows.read_port(domain="comb") for _ in range(reads)] for key, rows in self._memories.items()
        }
        self._fragment = Fragment.get(inner, None)
        m.submodules[name] = self._fragment
        _free(m, component, In, driven)

    def part(self, path: str) -> Any:
        """Return the submodule at `path`, for access to its ports.

        Raises
        ------
        KeyError
            If its parent contains nothing of `memories` and `replaced`, and so has not been elaborated yet.
        """
        within, _, name = path.rpartition(".")
        if within not in self._opened:
            if self._fragment is not None:
                raise KeyError(f"{path}: only parts of what holds a memory or something replaced are known")
            part = self.part(within)
            self._opened[within] = inner = part.elaborate(None)
            part.elaborate = lambda platform: inner
        return getattr(self._opened[within].submodules, name)

    def register(self, name: str, within: str = "") -> Signal:
        """Return the register `name` of the component, or of its submodule `within`.

        Raises
        ------
        KeyError
            If there is no such register, or more than one: change the proof with the source.
        """
        assert self._fragment is not None
        fragment = self._fragment
        for part in within.split(".") if within else ():
            fragment = fragment.find_subfragment(part)
        found = [each for each in fragment.statements["sync"]._lhs_signals() if each.name == name]
        if len(found) != 1:
            raise KeyError(f"{name}: {len(found)} registers are called so in {within or 'the component'}")
        return found[0]

    def row(self, m: Module, name: str, address: Value, read: int = 0) -> Value:
        """Return the row of memory `name` at `address`, from the additional read port number `read`."""
        port = self._ports[name][read]
        m.d.comb += port.addr.eq(address)
        return Value.cast(port.data)

    def last_read(self, name: str, port: int) -> Value:
        """Return the output of the memory's own read port number `port`, in the order of their creation."""
        own = [each for each in self._memories[name].read_ports if each not in self._ports[name]]
        return Value.cast(own[port].data)


def _free(m: Module, component: wiring.Component, flow: wiring.Flow, but: Iterable[str] = ()) -> None:
    """Make ports of a component, except `but`, take any value in any cycle."""
    for path, member, value in component.signature.flatten(component):
        if member.flow == flow and path[0] not in but:
            wire = Value.cast(value)
            m.d.comb += wire.eq(AnySeq(len(wire)))


def _anything(component: wiring.Component) -> Callable[[object], Module]:
    """Return an `elaborate` whose module drives the outputs of `component` with any values."""

    def elaborate(platform: object) -> Module:
        m = Module()
        _free(m, component, Out)
        return m

    return elaborate
