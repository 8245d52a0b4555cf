"""Golden model of a whole switch, seen from the ports of one input unit.

The model advances by the steps of `models.switch`, with inputs like those of `hdl.top`. The inputs and outputs of the
input unit in a cycle are read from the state between these steps.
"""

from __future__ import annotations

import random

import numpy as np

from cocotb_tests.bfm.golden import fields, port_answer, power_up, program, signed, unsigned
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Partly
from models import formats
from models.allocate.arbiter import pointer_of
from models.allocate.switch_allocator import DRAIN, NONE, requested_vc
from models.allocate.vc_allocator import choose_head_vc
from models.allocate.vc_stage import vcs_asked
from models.buffer.head_delay import end_delays, head_waits
from models.formats import Counter
from models.params import SwitchParams
from models.reset import reset
from models.route.route_cache import cache_flushing
from models.state.registers import ASK, WAIT
from models.state.route_word import route_drop, route_out
from models.state.vc_set import contains, vcs_within
from models.switch import accept_credit, accept_flit, list_moves, route_step
from models.transfer.output_unit import askable, claimable

Values = dict[str, int]
Outputs = dict[str, int | None]


class Neighbourhood:
    """A switch in which `port` is the input unit under test.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch.
    port : int
        Number of the input port.
    position : tuple of int
        Coordinates of the switch, with computed routes.
    shared : bool
        Whether one VC allocator per output serves all input units, so that they see its result rather than its inputs.
    source : random.Random
        Random numbers for inputs that do not matter in a cycle.

    Attributes
    ----------
    state : SwitchState
        The registers.
    sent : dict of str to int
        Signals that the whole switch put on its links, visible in the current cycle.
    tails : Partly
        VCs whose first flit was a tail in the cycle of the last step; not compared where there was none.
    """

    def __init__(
        self, params: SwitchParams, port: int, position: tuple[int, ...], shared: bool, source: random.Random
    ) -> None:
        self.state = power_up(params)
        self._params, self._port, self._shared, self._random = params, port, shared, source
        if position:
            self.state.position[0] = position
        self._cycle = 0
        self._flits: list[Flit] = []  # by handle
        self._credit: int | None = None
        self._tails = 0  # VCs whose tail left in the cycle before
        self.sent: Values = {}
        self.tails = Partly(0, 0)

    def step(self, given: Values) -> tuple[Values, Outputs]:
        """Advance by a cycle with inputs of the whole switch; return the inputs and outputs of the input unit."""
        params, st, here = self._params, self.state, self._port
        if params.head_delay:
            end_delays(st, 0, self._cycle)
        inputs = self._status()
        outputs: Outputs = {"link_credit_valid": int(self._credit is not None), "link_credit_payload": self._credit}
        requests = self._requests(outputs)
        flushing = params.has_cache and cache_flushing(st, 0, self._cycle)

        answered = params.has_cam and st.miss[0, here].phase == WAIT and st.miss[0, here].answer_at == self._cycle
        if params.has_cam:
            inputs |= {"rc_answer_valid": int(answered), "rc_answer": self._answer(bool(answered))}
        before = st.counters[0, here].copy()

        fronts = [int(st.flits[0, here, v, st.vc[0, here, v].read]) for v in range(params.vcs)]
        self.tails = Partly(
            sum((flit & 1) << v for v, flit in enumerate(fronts)), int(vcs_within(st, st.filled, 0, here))
        )
        st.input[0].choice = -1
        moves = st.sent[: list_moves(st, 0, self._cycle)]
        if params.vc_stage:
            inputs |= self._claims()
        if params.speculates:
            self._speculate(inputs, requests, outputs)
        inputs |= self._grant(moves, requests, fronts, outputs)
        self._send(moves)
        for p in range(params.ports):
            self._arrive(p, given)
        inputs |= {f"link_flit_{part}": given.get(f"link_in_{here}_flit_{part}", 0) for part in ("valid", "payload")}
        if params.has_cam:
            route_step(st, 0, self._cycle, bool(given.get("flush")))
            self._ask(inputs, outputs, st.counters[0, here] - before)
        if params.linear:
            inputs |= {"rc_program_valid": given.get("program_valid", 0), "rc_entry": given.get("program_payload", 0)}
        if given.get("program_valid"):
            program(params, st, given["program_payload"])
        if params.has_cache:
            inputs["rc_flush"] = given.get("flush", 0)
            outputs["rc_flushing"] = int(flushing)
        if given.get("rst"):
            inputs["rst"] = 1
            reset(st, 0, self._cycle)
            self._credit = None
            self.sent = {}
        self._cycle += 1
        return inputs, outputs

    def held_back(self) -> bool:
        """Return whether a head could request, if it had not come to the front behind another packet.

        Call before the cycle that follows the other packet's tail, so that the head was not refused yet. Only with
        static buffering, and VCs that are claimed together with the crossbar.
        """
        st, here = self.state, self._port
        before, self._tails = self._tails, 0
        found = False
        for v in range(self._params.vcs):
            vc = st.vc[0, here, v]
            if not (before >> v & 1 and vc.count and vc.blocked):
                continue
            asks = requested_vc(st, 0, here, v, 0, 0)
            vc.blocked = 0
            found |= asks == NONE and requested_vc(st, 0, here, v, 0, 0) >= 0
            vc.blocked = 1
        return found

    def _status(self) -> Values:
        """Return the status outputs of the output units in this cycle."""
        inputs: Values = {}
        for o, output in enumerate(self.state.output[0]):
            available = int(claimable(self.state, 0, o))
            inputs[f"has_credit_{o}"] = int(output.credited)
            if self._params.vc_stage:
                inputs[f"available_{o}"] = int(askable(self.state, 0, o))
            elif self._shared:
                candidate = int(choose_head_vc(available, int(output.vc_order)))
                inputs["any"] = inputs.get("any", 0) | int(candidate != 0) << o
                inputs[f"candidate_{o}"] = max(candidate.bit_length() - 1, 0)
            else:
                pointer = int(pointer_of(int(output.vc_order), self._params.vcs))
                inputs |= {f"available_{o}": available, f"pointer_{o}": pointer}
            if self._params.selects:
                inputs |= {f"credits_{o}_{w}": int(n) for w, n in enumerate(self.state.credits[0, o])}
        return inputs

    def _requests(self, outputs: Outputs) -> list[int]:
        """Fill in requests for the crossbar and their outputs; return each VC's request in the model's form."""
        st, here = self.state, self._port
        nonempty = int(vcs_within(st, st.filled, 0, here))
        requests = [
            int(requested_vc(st, 0, here, v, 0, 0)) if nonempty >> v & 1 else NONE for v in range(self._params.vcs)
        ]
        outputs["request"] = sum(1 << v for v, w in enumerate(requests) if w != NONE)
        outputs["drain"] = sum(1 << v for v, w in enumerate(requests) if w == DRAIN)
        asked = [0] * self._params.vcs
        if self._params.vc_stage:
            for v in range(self._params.vcs):
                if contains(st, st.heads, 0, here, v) and not head_waits(st, 0, here, v):
                    asked[v] = int(vcs_asked(st, 0, here, v))
                outputs[f"ask_{v}"] = asked[v]
        for v, w in enumerate(requests):
            wanted = 1 << route_out(int(st.vc[0, here, v].route)) if w >= 0 or asked[v] else 0
            outputs[f"want_{v}"] = wanted if w != NONE or asked[v] else None
        return requests

    def _claims(self) -> Values:
        """Return which heads are allocated an output VC, and which; random numbers for the others."""
        st, here, vcs = self.state, self._port, range(self._params.vcs)
        inputs = {"claims": 0} | {f"claimed_vc_{v}": self._random.randrange(self._params.vcs) for v in vcs}
        for word in st.asking[: int(st.switch[0].claims)]:
            i, v = int(word) >> 32, int(word) >> 24 & 255
            if i == here:
                inputs["claims"] |= 1 << v
                inputs[f"claimed_vc_{v}"] = int(st.vc[0, here, v].out_vc)
        return inputs

    def _speculate(self, inputs: Values, requests: list[int], outputs: Outputs) -> None:
        """Fill in the requests of heads without a VC, given their allocation; heads without a credit misspeculate."""
        speculates = int(vcs_within(self.state, self.state.speculating, 0, self._port))
        misspeculated = 0
        for v in range(self._params.vcs):
            if speculates >> v & 1:
                o, w = (outputs[f"want_{v}"] or 0).bit_length() - 1, inputs[f"claimed_vc_{v}"]
                pays = inputs["claims"] >> v & inputs[f"has_credit_{o}"] >> w & 1
                requests[v] = w if pays else NONE
                misspeculated |= (not pays) << v
        outputs |= {
            "request": (outputs["request"] or 0) | speculates,
            "speculates": speculates,
            "misspeculated": misspeculated,
        }

    def _grant(self, moves: np.ndarray, requests: list[int], fronts: list[int], outputs: Outputs) -> Values:
        """Fill in the outputs for the VC that is selected for the crossbar; return the selection."""
        params = self._params
        mine = [int(move.vc) for move in moves if int(move.port) == self._port]
        granted = bool(mine)
        self._tails = sum(1 << v for v in mine if fronts[v] & 1)
        chosen = int(self.state.input[0, self._port].choice)
        if params.matching:
            chosen = mine[0] if granted else -1
        outputs["body"] = outputs["vc"] = None
        if chosen >= 0:
            flit = fronts[chosen]
            outputs["body"] = self._flits[flit >> 1].word(params) >> params.vc_bits  # all fields but the VC
            outputs["vc"] = requests[chosen] if requests[chosen] >= 0 else None
        else:
            chosen = self._random.randrange(params.vcs)
        self._credit = chosen if granted else None
        return {"chosen_vc": chosen, "granted": int(granted)}

    def _send(self, moves: np.ndarray) -> None:
        """Put the moves on the links of the switch."""
        self.sent = {}
        for move in moves:
            self.sent |= {f"link_in_{move.port}_credit_valid": 1, f"link_in_{move.port}_credit_payload": int(move.vc)}
            if move.out >= 0:
                flit = Flit(int(move.out_vc), int(move.flit) & 1, self._flits[int(move.flit) >> 1].data)
                self.sent |= {f"link_out_{move.out}_flit_valid": 1}
                self.sent |= {f"link_out_{move.out}_flit_payload": flit.word(self._params)}

    def _arrive(self, p: int, given: Values) -> None:
        """Pass the flit and credit on the links of port `p` to the switch."""
        if given.get(f"link_in_{p}_flit_valid"):
            flit = Flit.read(self._params, given[f"link_in_{p}_flit_payload"])
            handle = len(self._flits)
            self._flits.append(flit)
            low = signed(flit.data & ((1 << 64) - 1))
            accept_flit(self.state, 0, p, flit.vc, handle << 1 | flit.tail, low, self._cycle)
        if given.get(f"link_out_{p}_credit_valid"):
            accept_credit(self.state, 0, p, given[f"link_out_{p}_credit_payload"])

    def _answer(self, valid: bool) -> int:
        """Return the CAM's answer as a port sees it; random without one."""
        layout = port_answer(self._params)
        if not valid:
            return self._random.getrandbits(formats.width(layout))
        word = int(self.state.miss[0, self._port].answer)
        return formats.pack(layout, {"found": 1 - route_drop(word), **fields(self._params, word)})

    def _ask(self, inputs: Values, outputs: Outputs, events: np.ndarray) -> None:
        """Fill in the requests and events of the route unit in this cycle."""
        unit = self.state.miss[0, self._port]
        granted = int(events[Counter.CAM_REQUESTS])
        asking = granted or unit.phase == ASK
        inputs["rc_granted"] = granted
        outputs["rc_request_valid"] = int(asking)
        outputs["rc_request_tag"] = unsigned(unit.active_tag, self._params.tag_width) if asking else None
        outputs["rc_merged"] = int(events[Counter.CAM_MERGED])
        if self._params.has_cache:
            outputs["rc_hit"] = int(events[Counter.CACHE_HITS])
            outputs["rc_miss"] = int(events[Counter.CACHE_MISSES])
            outputs["rc_evicted"] = int(events[Counter.EVICTIONS])
