"""A component under proof: its inputs free, and its registers and memories in reach.

An induction starts in any state that the assertions allow, so they must say how the state hangs together, and that is
not to be seen at the ports. This is the one place that looks into elaborated hardware.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from amaranth.asserts import AnySeq
from amaranth.hdl import Fragment, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out


class Inside:
    """A component as a submodule of a proof.

    Parameters
    ----------
    m : Module
        The proof.
    component : wiring.Component
        Its inputs take any value in any cycle.
    memories : iterable of str
        Memories to be read by the proof, `reads` of them each. Here and below parts of parts are given with dots
        between the names.
    reads : int
        Rows of each memory that the proof looks at in one cycle.
    driven : iterable of str
        Inputs that the proof drives itself.
    replaced : iterable of str
        Submodules whose outputs take any value in any cycle, so that what is proved holds whatever they do.
    name : str
        Of the submodule.

    Attributes
    ----------
    ports : wiring.Component
        The component.
    replaced : dict of str to wiring.Component
        Those submodules.
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
        self.ports._MustUse__used = True  # by us, instead of by Amaranth, which would warn
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
        """Return a submodule, whose ports can be looked at.

        Raises
        ------
        KeyError
            If what holds it holds nothing of `memories` and `replaced`: then nobody has elaborated it yet.
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
        """Return a register by its name, of the component or of a submodule.

        Raises
        ------
        KeyError
            If there is none, or several: a proof must follow the source.
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
        """Return what a memory holds at an address, by one of its reads."""
        port = self._ports[name][read]
        m.d.comb += port.addr.eq(address)
        return Value.cast(port.data)

    def last_read(self, name: str, port: int) -> Value:
        """Return the output of one of a memory's own read ports, in the order in which the component made them."""
        own = [each for each in self._memories[name].read_ports if each not in self._ports[name]]
        return Value.cast(own[port].data)


def _free(m: Module, component: wiring.Component, flow: wiring.Flow, but: Iterable[str] = ()) -> None:
    """Let ports of a component take any value in any cycle."""
    for path, member, value in component.signature.flatten(component):
        if member.flow == flow and path[0] not in but:
            wire = Value.cast(value)
            m.d.comb += wire.eq(AnySeq(len(wire)))


def _anything(component: wiring.Component) -> Callable[[object], Module]:
    """Return what elaborates a component to one whose outputs take any value."""

    def elaborate(platform: object) -> Module:
        m = Module()
        _free(m, component, Out)
        return m

    return elaborate
