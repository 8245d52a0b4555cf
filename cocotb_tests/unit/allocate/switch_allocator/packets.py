"""Packets whose flits request outputs from the switch allocator."""

from __future__ import annotations

import random

from cocotb_tests.bfm.coverage import Coverage
from cocotb_tests.bfm.lockstep import Values
from hdl import formats
from models.params import SwitchParams


class Packets:
    """One packet at a time in every input VC.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch: ports and VCs.
    source : random.Random
        Random choices.

    Attributes
    ----------
    free, credited : list of int
        Per output: VCs that no packet owns; VCs with a credit, VC 0 among them.
    waiting : dict
        For input VCs (i, v) that have a flit but do not request: their output, and the VC that their packet owns and
        that has no credit.
    """

    def __init__(self, params: SwitchParams, source: random.Random) -> None:
        self._params, self._random = params, source
        self._given: Values = {}
        self.reset()
        self._draw_vcs()

    def reset(self) -> None:
        """Forget all packets."""
        ports, vcs = range(self._params.ports), range(self._params.vcs)
        self._held: dict[int, tuple[int, int]] = {}  # output: input VC that holds it
        self._favourite = 0
        self._outs = [[self._destination(i) for _ in vcs] for i in ports]  # −1: drained
        self._owns = [[False for _ in vcs] for _ in ports]  # its packet owns a VC

    def _destination(self, i: int) -> int:
        outs = formats.outputs(self._params, i)
        if self._random.random() < 0.05:
            self._favourite = self._random.randrange(self._params.ports)
        if self._random.random() < 0.1:
            return -1
        if self._favourite in outs and self._random.random() < 0.5:
            return self._favourite
        return self._random.choice(outs)

    def _draw_vcs(self) -> None:
        """Draw which VCs are free and have credits: without speculation all, except those that packets wait for."""
        every = (1 << self._params.vcs) - 1
        self.credited = [every] * self._params.ports
        self.free = [every] * self._params.ports
        if self._params.speculates:
            self.credited = [self._random.getrandbits(self._params.vcs) | 1 for _ in self.credited]
            self.free = [self._random.getrandbits(self._params.vcs) for _ in self.free]
        self.waiting: dict[tuple[int, int], tuple[int, int]] = {}
        many = self._params.vcs > 1 and self._random.random() < 0.3
        for i, outs in enumerate(self._outs):
            for v, out in enumerate(outs):
                owns = self._owns[i][v] or not self._params.speculates
                if many and out >= 0 and owns and self._random.random() < 0.3:
                    w = self._random.randrange(1, self._params.vcs)
                    self.waiting[i, v] = out, w
                    self.credited[out] &= ~(1 << w)
                    self.free[out] &= ~(1 << w)

    def _speculates(self, i: int, v: int) -> bool | None:
        """Return whether an input VC requests speculatively; None if it would, but no VC could take its flit."""
        out = self._outs[i][v]
        if not self._params.speculates or self._owns[i][v] or out < 0:
            return False
        if self._params.prediction and out in self._held:
            # For a bypass, a held output that a head requests counts as requested, which the allocator does not decide.
            return None
        return True if self.free[out] & self.credited[out] else None

    def _want(self, i: int) -> int:
        """Return an output that an input port can want, one-hot, or 0."""
        out = self._random.choice([-1, *formats.outputs(self._params, i)])
        return 1 << out if out >= 0 else 0

    def drive(self, density: float) -> Values:
        """Return requests; each VC requests with probability `density`. `want` of a silent VC is random."""
        inputs: Values = {}
        self._draw_vcs()
        for i, outs in enumerate(self._outs):
            inputs[f"request_{i}"] = inputs[f"drain_{i}"] = 0
            if self._params.speculates:
                inputs[f"speculates_{i}"] = 0
            tails = sum((self._random.random() < 0.3) << v for v in range(self._params.vcs))
            inputs[f"tail_{i}"] = -(tails & 1) & (1 << self._params.vcs) - 1 if self._params.prediction else tails
            for v, out in enumerate(outs):
                inputs[f"want_{i}_{v}"] = 1 << out if out >= 0 else 0
                speculates = self._speculates(i, v)
                if (i, v) not in self.waiting and speculates is not None and self._random.random() < density:
                    if speculates:
                        inputs[f"speculates_{i}"] |= 1 << v
                    inputs[f"request_{i}"] |= 1 << v
                    inputs[f"drain_{i}"] |= (out < 0) << v
                elif self._random.random() < 0.5:
                    inputs[f"want_{i}_{v}"] = self._want(i)
        if self._params.prediction:
            self._pass(inputs)
        self._given = inputs
        return dict(inputs)

    def _pass(self, inputs: Values) -> None:
        """Bypass flits of ports without a request to outputs without one; the owners of other outputs are random."""
        asked = {out for out, _ in self._asking(inputs)}
        owners = {o: self._random.choice(formats.inputs(self._params, o)) for o in range(self._params.ports)}
        inputs["passed"] = 0
        for i, outs in enumerate(self._outs):
            inputs[f"passing_{i}"] = 0
            v = self._random.randrange(self._params.vcs)
            out = outs[v]
            connected = out not in self._held or self._held[out] == (i, v)
            if inputs[f"request_{i}"] or out < 0 or out in asked or not connected or inputs["passed"] >> out & 1:
                continue
            inputs[f"passing_{i}"] = 1 << v
            inputs["passed"] |= 1 << out
            owners[out] = i
        for o, i in owners.items():
            inputs[f"owner_{o}"] = formats.inputs(self._params, o).index(i)

    def _asking(self, inputs: Values) -> list[tuple[int, tuple[int, int]]]:
        """Return the requested outputs and the requesting input VCs, without outputs held by another VC."""
        return [
            (out, (i, v))
            for i, outs in enumerate(self._outs)
            for v, out in enumerate(outs)
            if out >= 0
            and inputs[f"request_{i}"] >> v & 1
            and (not self._params.hold_packets or self._held.get(out, (i, v)) == (i, v))
        ]

    def observe(self, seen: Values, cover: Coverage) -> None:
        """Take the grants of the cycle before: packets end, new ones begin. Count events."""
        given, held = self._given, self._held
        wanted = [
            out
            for i, outs in enumerate(self._outs)
            for v, out in enumerate(outs)
            if out >= 0 and given[f"request_{i}"] >> v & 1
        ]
        if self._params.vcs > 1:
            idle = [out for out, _ in self._asking(given) if not seen["sent"] >> out & 1]
            cover.hit("wanted output takes nothing", idle)
            waited = {out for out, _ in self.waiting.values()}
            cover.hit("an owner without a credit, of an output asked for", waited & set(wanted))
        drains = 0
        blocked = refused = False
        self._held = {}
        for i, outs in enumerate(self._outs):
            chosen, granted = seen[f"chosen_vc_{i}"], seen["granted"] >> i & 1
            asks = given[f"request_{i}"]
            speculating = given.get(f"speculates_{i}", 0)
            # Some heads whose request was in vain own a VC from now on.
            self._owns[i] = [
                owns or (speculating >> v & 1 == 1 and self._random.random() < 0.3)
                for v, owns in enumerate(self._owns[i])
            ]
            blocked |= bool(asks) and not granted
            refused |= any(asks >> v & 1 and held.get(out, (i, v)) != (i, v) for v, out in enumerate(outs))
            if passing := given.get(f"passing_{i}", 0):
                chosen = passing.bit_length() - 1
                cover.hit("passed where held", outs[chosen] in held)
            elif not granted:
                continue
            out = outs[chosen]
            drains += out < 0
            if self._params.speculates and not passing:
                self._observe_speculation(i, chosen, cover)
            ends = given[f"tail_{i}"] >> chosen & 1
            self._owns[i][chosen] = not ends
            if self._params.u_turn:
                cover.hit("u-turn", out == i)
            if ends:
                outs[chosen] = self._destination(i)
            elif out >= 0:
                self._held[out] = (i, chosen)
        if self._params.prediction:
            cover.hit("several passed", given["passed"].bit_count() > 1)
        cover.hit("drain", drains)
        cover.hit("several drains", drains > 1)
        cover.hit("all inputs granted", seen["granted"] == (1 << self._params.ports) - 1)
        cover.hit("choice not granted", blocked)
        if self._params.ports > 2 or self._params.u_turn:
            cover.hit("several inputs to one output", len(wanted) > len(set(wanted)))
        if self._params.hold_packets:
            kept = {out for out, holder in held.items() if given[f"request_{holder[0]}"] >> holder[1] & 1}
            cover.hit("held", kept)
            cover.hit("hold lost", held.keys() - kept)
            cover.hit("held output refused", refused)

    def _observe_speculation(self, i: int, chosen: int, cover: Coverage) -> None:
        """Count events for VC `chosen` of port `i`, which leaves."""
        given, out = self._given, self._outs[i][chosen]
        sure = not given[f"speculates_{i}"] >> chosen & 1
        cover.hit("granted on speculation", not sure)
        others = [
            (p, v)
            for p, outs in enumerate(self._outs)
            for v, wanted in enumerate(outs)
            if wanted == out >= 0 and given[f"speculates_{p}"] >> v & 1
        ]
        if self._params.vcs > 1:
            cover.hit("sure before speculation in a port", sure and any(p == i for p, _ in others))
        if self._params.speculation == "behind" and (self._params.ports > 2 or self._params.u_turn):
            cover.hit("sure before speculation at an output", sure and any(p != i for p, _ in others))
