"""A component under proof: its inputs free, and its registers and memories in reach.

An induction starts in any state that the assertions allow, so they must say how the state hangs together, and that is
not to be seen at the ports. This is the one place that looks into elaborated hardware.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from amaranth.asserts import AnySeq
from amaranth.hdl import Fragment, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In


class Inside:
    """A component as a submodule of a proof.

    Parameters
    ----------
    m : Module
        The proof.
    component : wiring.Component
        Its inputs take any value in any cycle.
    memories : iterable of str
        Memories to be read by the proof, `reads` of them each.
    reads : int
        Rows of each memory that the proof looks at in one cycle.
    driven : iterable of str
        Inputs that the proof drives itself.
    name : str
        Of the submodule.

    Attributes
    ----------
    ports : wiring.Component
        The component.
    """

    def __init__(
        self,
        m: Module,
        component: wiring.Component,
        memories: Iterable[str] = (),
        reads: int = 1,
        driven: Iterable[str] = (),
        name: str = "component",
    ) -> None:
        self.ports: Any = component
        inner = component.elaborate(None)  # type: ignore[attr-defined]
        self.ports._MustUse__used = True  # by us, instead of by Amaranth, which would warn
        self._memories: dict[str, memory.Memory] = {key: getattr(inner.submodules, key) for key in memories}
        self._ports = {
            key: [rows.read_port(domain="comb") for _ in range(reads)] for key, rows in self._memories.items()
        }
        self._fragment = Fragment.get(inner, None)
        m.submodules[name] = self._fragment
        for path, member, value in component.signature.flatten(component):
            if member.flow == In and path[0] not in driven:
                wire = Value.cast(value)
                m.d.comb += wire.eq(AnySeq(len(wire)))

    def signal(self, name: str, within: str = "") -> Signal:
        """Return a signal by its name, of the component or of a submodule.

        Raises
        ------
        KeyError
            If there is none, or several: a proof must follow the source.
        """
        fragment = self._fragment.find_subfragment(within) if within else self._fragment
        signals = {id(signal): signal for body in fragment.statements.values() for signal in body._lhs_signals()}
        found = [signal for signal in signals.values() if signal.name == name]
        if len(found) != 1:
            raise KeyError(f"{name}: {len(found)} signals are called so in {within or 'the component'}")
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
