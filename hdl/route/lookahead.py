"""Look-ahead between exchangers and crossbars (Boku et al.: paper E, section 3.1; microarchitecture.md, section 12)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import select_index
from models.params import SwitchParams


class Lookahead(wiring.Component):
    """Tells the exchangers which outputs of a crossbar are free.

    Parameters
    ----------
    params : SwitchParams
        Of the crossbar.

    Ports
    -----
    available : In(vcs).array(ports)
        Per output port: VCs that a head may claim.
    waits : In(ports).array(vcs)
        Per VC: outputs for which a head waits.
    reserved : In(vcs).array(ports)
        Only with reservation; per output port: VCs that are reserved.
    open : Out(ports * vcs)
        Register, bit w · ports + o: in the cycle before, VC w of output o was available, no head waited for it, and it
        was not reserved.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        ports, vcs = params.ports, params.vcs
        everything = (1 << ports * vcs) - 1
        members = {
            "available": In(vcs).array(ports),
            "waits": In(ports).array(vcs),
            "open": Out(ports * vcs, init=everything),
        }
        if params.reserves:
            members["reserved"] = In(vcs).array(ports)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the register."""
        m = Module()
        ports, vcs = range(self._params.ports), range(self._params.vcs)
        free = list(self.available)
        if self._params.reserves:
            free = [available & ~reserved for available, reserved in zip(free, self.reserved, strict=True)]
        m.d.sync += self.open.eq(Cat(free[o][w] & ~self.waits[w][o] for w in vcs for o in ports))
        return m


def ahead_ports(params: SwitchParams) -> dict[str, int]:
    """Return the look-ahead inputs of an exchanger: for each dimension, name and width in bits, laid out as `open`."""
    return {f"ahead_{d}": size * params.vcs for d, size in enumerate(params.radix)}


def paths_free(params: SwitchParams, ahead: list[Value], target: Value, vc: int) -> list[Value]:
    """Return, per dimension, whether VC `vc` of the crossbar's output towards coordinates `target` is free."""
    free, low = [], 0
    for d, (size, bits) in enumerate(zip(params.radix, params.coordinate_bits, strict=True)):
        outputs = ahead[d][vc * size : (vc + 1) * size]
        free.append(select_index(target[low : low + bits], list(outputs)))
        low += bits
    return free
