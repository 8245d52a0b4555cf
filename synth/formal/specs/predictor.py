"""Properties of predictors: at most one output is predicted, the one that follows from the history of the port."""

from __future__ import annotations

from functools import partial
from typing import Any

from amaranth.asserts import AnyConst
from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl.lib.logic import encode
from hdl.predict.predictor import Predictor
from models.params import PredictionParams, SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _one_output(proof: Proof, predictor: Any) -> None:
    """Claim that at most one output is predicted, if each packet wants one output."""
    proof.assume(_is_one(predictor.want))
    proof.claim((predictor.named == 0) | _is_one(predictor.named))


def _is_one(bits: Value) -> Value:
    return (bits != 0) & ((bits & (bits - 1)) == 0)


def _straight(proof: Proof, params: SwitchParams) -> None:
    for port in range(params.ports):
        predictor = proof.inside(Predictor(params, port), name=f"predictor_{port}").ports
        opposite = port + 1 if port % 2 == 0 else port - 1
        proof.claim(predictor.named == (1 << opposite if port < params.straight_ports else 0))


def _straight_or_local(proof: Proof, params: SwitchParams) -> None:
    """Claim what static predictors name, those of local ports the side of dimension 0 with more switches."""
    for port in range(params.ports):
        predictor = proof.inside(Predictor(params, port), name=f"predictor_{port}").ports
        if port < params.straight_ports:
            proof.claim(predictor.named == 1 << (port + 1 if port % 2 == 0 else port - 1))
            continue
        place, bits = predictor.position[: params.coordinate_bits[0]], params.coordinate_bits[0] + 1
        in_plus, in_minus = (params.radix[0] - 1 - place)[:bits], place
        proof.assume(place < params.radix[0])
        proof.claim(predictor.named == Mux(in_plus >= in_minus, 0b01, 0b10))


def _latest(proof: Proof, params: SwitchParams) -> None:
    predictor = proof.inside(Predictor(params, 0)).ports
    _one_output(proof, predictor)
    latest = Signal(params.ports)
    with proof.m.If(predictor.update):
        proof.m.d.sync += latest.eq(predictor.want)
    proof.claim(predictor.named == latest)


def _history(proof: Proof, params: SwitchParams) -> None:
    """Claim the prediction after any one history: none, or the output that followed this history last time."""
    m, bits = proof.m, params.port_bits
    order = params.context_bits // bits
    inside = proof.inside(Predictor(params, 0), memories=["outs"])
    predictor = inside.ports
    _one_output(proof, predictor)
    out = encode(list(predictor.want), bits)
    # The latest outputs, newest first; the output that followed the marked history when it occurred last.
    latest = [Signal(bits, name=f"latest_{k}") for k in range(order)]
    marked = Signal(bits * order)
    m.d.comb += marked.eq(AnyConst(len(marked)))
    followed = Signal()
    follower = Signal(range(params.ports))
    is_marked = Cat(latest) == marked
    with m.If(predictor.update):
        for newer, older in zip([out, *latest], latest, strict=False):
            m.d.sync += older.eq(newer)
        with m.If(is_marked):
            m.d.sync += [followed.eq(1), follower.eq(out)]
    with m.If(is_marked):
        proof.claim(predictor.named == Mux(followed, C(1, params.ports) << follower, 0))
    proof.invariant(follower < params.ports)
    proof.invariant(inside.register("context") == Cat(latest))
    proof.invariant(inside.register("known").bit_select(marked, 1) == followed)
    with m.If(followed):
        proof.invariant(inside.row(m, "outs", marked) == follower)


_FILE = "hdl/predict/predictor.py"

PROPERTIES = [
    Property(
        "predictor: straight on",
        "every network port predicts the opposite port of its dimension, local ports predict none (5 ports)",
        partial(_straight, params=SwitchParams(prediction=PredictionParams(kind="static"))),
        Fault(_FILE, "1 << (port ^ 1)", "1 << (port + 1)"),
        mutant_depth=1,
        fast=False,
    ),
    Property(
        "predictor: local",
        "the predictor of a local port of a mesh names the direction of dimension 0 in which more switches lie, + of "
        "equals; others the opposite port (5 × 3 switches)",
        partial(
            _straight_or_local,
            params=SwitchParams(
                routing="dimension_order",
                radix=(5, 3),
                prediction=PredictionParams(kind="static", local="longer_x"),
            ),
        ),
        Fault(_FILE, "x <= (params.radix[0] - 1) // 2", "x < (params.radix[0] - 1) // 2"),
        mutant_depth=1,
        fast=False,
    ),
    Property(
        "predictor: latest",
        "the output of the latest route is predicted and no other, none before the first route (5 ports)",
        partial(_latest, params=SwitchParams(prediction=PredictionParams())),
        Fault(_FILE, "m.d.sync += self.named.eq(self.want)", "m.d.sync += self.named.eq(self.named | self.want)"),
        fast=False,
    ),
    Property(
        "predictor: history",
        "the output is predicted that followed the last occurrence of the last two outputs, none if there is none, "
        "and at most one (5 ports)",
        partial(_history, params=SwitchParams(prediction=PredictionParams(kind="history"))),
        Fault(_FILE, "known.bit_select(context, 1).eq(1)", "known.bit_select(context[1:], 1).eq(1)"),
    ),
]
