"""Input unit: one port in RTL within a switch of the golden model, under random traffic on all ports.

Compared in every cycle: requests, drains and outputs of all VCs, speculative and misspeculated requests, the selected
flit and its output VC, tails, credits, CAM requests, counter events, `flushing`. Not compared: the output of a VC
without a request, the flit if no VC is selected, the tail bit of an empty VC, the output VC of a dropped flit, invalid
payloads. Prediction, low-power idle and look-ahead are compared in the benches of predictor, bypass and links, and of
whole switches, where their other ends are.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.surroundings import Surroundings
from cocotb_tests.cases.shared import Case, position_word
from cocotb_tests.switch.watch import can_drop
from cocotb_tests.unit.buffer.input_unit.neighbourhood import Neighbourhood, Outputs
from hdl.allocate.vc_allocator import routes_allow_all
from models.params import SwitchParams
from models.state.registers import IDLE
from models.state.route_word import route_followed


def _bins(params: SwitchParams) -> list[str]:
    bins = ["sent", "requested, not granted", "body waits for a credit", "head waits for a VC", "full"]
    bins += ["reset with flits inside"]
    bins += ["several VCs request"] if params.vcs > 1 else []
    bins += ["drained"] if can_drop(params) else []
    bins += ["sent on speculation", "head and tail sent on speculation"] if params.speculates else []
    bins += ["gets no VC", "gets a VC, not granted"] if params.speculates else []
    bins += ["stored whole behind another"] if params.buffering == "static" and params.depth > 1 else []
    bins += ["asked", "answered"] if params.has_cam else []
    bins += ["not granted by the CAM"] if params.has_cam and params.ports > 2 else []  # of two ports, seldom both miss
    bins += ["merged"] if params.has_cam and params.slots > 1 else []
    bins += ["hit", "miss", "evicted", "flush as a miss waits"] if params.has_cache else []
    return bins


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Random traffic; the other units of the switch decide."""
    bench = Bench(dut, "traffic")
    params = SwitchParams(**bench.parameters["switch"])
    port, position = bench.parameters["port"], tuple(bench.parameters["position"])
    surroundings = Surroundings(params, bench.random, first=port)
    unit = Neighbourhood(params, port, position, routes_allow_all(params), bench.random)
    place = {"rc_position": position_word(Case(params, position))} if position else {}
    bins = _bins(params)
    bench.coverage.require(bins)
    expected: Outputs = {}

    def drive(cycle: int, seen: Values) -> Values:
        nonlocal expected
        given = surroundings.drive(unit.sent)
        vcs = [(int(vc.count), bool(vc.active), bool(route_followed(int(vc.route)))) for vc in unit.state.vc[0, port]]
        waiting = params.has_cam and unit.state.miss[0, port].phase != IDLE
        held_back = unit.held_back()
        inputs, expected = unit.step(given)
        happened = _happened(params, vcs, inputs, expected)
        happened["reset with flits inside"] = given.get("rst") and any(count for count, _, _ in vcs)
        happened["flush as a miss waits"] = waiting and given.get("flush")
        happened["stored whole behind another"] = held_back
        for name in bins:
            bench.coverage.hit(name, happened[name])
        return inputs | place

    await bench.start()
    await bench.random_traffic(drive, lambda inputs: expected | {"tails": unit.tails})


def _happened(
    params: SwitchParams, vcs: list[tuple[int, bool, bool]], inputs: Values, expected: Outputs
) -> dict[str, object]:
    """Return the events of a cycle; `vcs` has each VC's flits, whether it is active, and whether its route is ready."""
    asks, drain = expected["request"] or 0, expected["drain"] or 0
    chosen = inputs["granted"] << inputs["chosen_vc"]
    blocked = [active for v, (count, active, ready) in enumerate(vcs) if count and ready and not asks >> v & 1]
    speculates, misspeculated, claims = (
        expected.get("speculates") or 0,
        expected.get("misspeculated") or 0,
        inputs.get("claims", 0),
    )
    tail = Flit.read(params, (expected["body"] or 0) << params.vc_bits).tail
    return {
        "sent": chosen & asks & ~drain,
        "drained": chosen & drain,
        "requested, not granted": asks and not chosen,
        "several VCs request": asks & (asks - 1),
        "body waits for a credit": True in blocked,
        "head waits for a VC": False in blocked,
        "sent on speculation": chosen & speculates,
        "head and tail sent on speculation": chosen & speculates and tail,
        "gets no VC": misspeculated & ~claims,
        "gets a VC, not granted": speculates & claims & ~misspeculated & ~chosen,
        "full": any(count == params.depth for count, _, _ in vcs),
        "asked": inputs.get("rc_granted"),
        "answered": inputs.get("rc_answer_valid"),
        "not granted by the CAM": expected.get("rc_request_valid") and not inputs["rc_granted"],
        "merged": expected.get("rc_merged"),
        "hit": expected.get("rc_hit"),
        "miss": expected.get("rc_miss"),
        "evicted": expected.get("rc_evicted"),
    }
