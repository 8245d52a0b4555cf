"""The packets whose flits ask the switch allocator for their outputs."""

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
        Ports and VCs.
    source : random.Random
        Random choices.
    """

    def __init__(self, params: SwitchParams, source: random.Random) -> None:
        self._params, self._random = params, source
        self._given: Values = {}
        self._held: dict[int, tuple[int, int]] = {}  # output: input VC that holds it
        self.reset()

    def reset(self) -> None:
        """Forget all packets."""
        ports, vcs = range(self._params.ports), range(self._params.vcs)
        self._held = {}
        self._favourite = 0
        self._outs = [[self._destination(i) for _ in vcs] for i in ports]  # −1: drained

    def _destination(self, i: int) -> int:
        outs = formats.outputs(self._params, i)
        if self._random.random() < 0.05:
            self._favourite = self._random.randrange(self._params.ports)
        if self._random.random() < 0.1:
            return -1
        if self._favourite in outs and self._random.random() < 0.5:
            return self._favourite
        return self._random.choice(outs)

    def _want(self, i: int) -> int:
        """Return an output that an input port can want, one-hot, or 0."""
        out = self._random.choice([-1, *formats.outputs(self._params, i)])
        return 1 << out if out >= 0 else 0

    def drive(self, density: float) -> Values:
        """Return requests; each VC asks with a probability of `density`. What a silent VC wants may be anything."""
        inputs: Values = {}
        for i, outs in enumerate(self._outs):
            inputs[f"request_{i}"] = inputs[f"drain_{i}"] = 0
            inputs[f"tail_{i}"] = int(self._random.random() < 0.3)
            for v, out in enumerate(outs):
                inputs[f"want_{i}_{v}"] = 1 << out if out >= 0 else 0
                if self._random.random() < density:
                    inputs[f"request_{i}"] |= 1 << v
                    inputs[f"drain_{i}"] |= (out < 0) << v
                elif self._random.random() < 0.5:
                    inputs[f"want_{i}_{v}"] = self._want(i)
        if self._params.prediction:
            self._pass(inputs)
        self._given = inputs
        return dict(inputs)

    def _pass(self, inputs: Values) -> None:
        """Let flits of ports without a request pass to outputs without one; who owns the others may be anybody."""
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
        """Return the outputs that are requested, and by which input VC, without what is held by another."""
        return [
            (out, (i, v))
            for i, outs in enumerate(self._outs)
            for v, out in enumerate(outs)
            if out >= 0
            and inputs[f"request_{i}"] >> v & 1
            and (not self._params.hold_packets or self._held.get(out, (i, v)) == (i, v))
        ]

    def observe(self, seen: Values, cover: Coverage) -> None:
        """Take the grants of the cycle before: packets end, new ones begin; count what happened."""
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
        drains = 0
        blocked = refused = False
        self._held = {}
        for i, outs in enumerate(self._outs):
            chosen, granted = seen[f"chosen_vc_{i}"], seen["granted"] >> i & 1
            asks = given[f"request_{i}"]
            blocked |= bool(asks) and not granted
            refused |= any(asks >> v & 1 and held.get(out, (i, v)) != (i, v) for v, out in enumerate(outs))
            if passing := given.get(f"passing_{i}", 0):
                chosen = passing.bit_length() - 1
                cover.hit("passed where held", outs[chosen] in held)
            elif not granted:
                continue
            out = outs[chosen]
            drains += out < 0
            if self._params.u_turn:
                cover.hit("u-turn", out == i)
            if given[f"tail_{i}"]:
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
