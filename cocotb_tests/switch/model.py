"""Golden model of a switch with its route table, with the port names of `hdl.top`."""

from __future__ import annotations

from cocotb_tests.bfm.golden import wake_hint_word
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Values
from models import formats
from models.batched.limits import can_batch
from models.params import SwitchParams, hint_hops
from models.route.reservation import reserve_granted, reserve_output, reserve_vc, reserve_word
from models.top import PortInput, Top, TopInput

Outputs = dict[str, int | None]


class TopModel:
    """Model of one simulation; the table keeps its contents over resets, also those between tests.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch.
    position : tuple of int
        Coordinates of the switch, with computed routes.

    Attributes
    ----------
    top : Top
        The model.
    in_batch : Top or None
        The same switch in a batch, if it can be batched: its outputs must be the same.
    """

    _last: TopModel | None = None

    def __init__(self, params: SwitchParams, position: tuple[int, ...] = ()) -> None:
        self.params = params
        self.top = Top(params, position)
        self.in_batch = Top(params, position, batched=True) if can_batch(params) else None
        if TopModel._last is not None:
            for top in filter(None, (self.top, self.in_batch)):
                for name in ("table_route", "table_tag", "table_choices", "compared"):
                    getattr(top.state, name)[:] = getattr(TopModel._last.top.state, name)
        TopModel._last = self

    def __call__(self, inputs: Values) -> Outputs:
        """One cycle."""
        outputs = self.outputs()
        taken = self._inputs(inputs)
        self.top.step(taken)
        if self.in_batch is not None:
            self.in_batch.step(taken)
            assert self.in_batch.outputs() == self.top.outputs(), "in a batch it does something else"
        return outputs

    def outputs(self) -> Outputs:
        """Return the outputs of the current cycle; invalid payloads are None."""
        params, top = self.params, self.top.outputs()
        outputs: Outputs = {}
        for p, (flit, credit) in enumerate(zip(top.flits, top.credits, strict=True)):
            outputs[f"link_out_{p}_flit_valid"] = int(flit is not None)
            outputs[f"link_out_{p}_flit_payload"] = Flit(*flit).word(params) if flit else None
            outputs[f"link_in_{p}_credit_valid"] = int(credit is not None)
            outputs[f"link_in_{p}_credit_payload"] = credit
        if params.has_cache:
            outputs["flushing"] = int(top.flushing)
        if params.counter_width:
            outputs["counter_data"] = top.counter
        if top.open:
            outputs["open"] = sum(bits << w * params.ports for w, bits in enumerate(top.open))
        for p, hint in enumerate(top.hints[: params.first_local] if hint_hops(params.lpi) else ()):
            outputs[f"hint_out_{p}_valid"] = int(hint is not None)
            outputs[f"hint_out_{p}_payload"] = wake_hint_word(params, *hint) if hint else None
        for p in range(len(params.radix) if params.selects else params.ports) if params.reserves else ():
            outputs |= self._told(top.reserving[p], p)
        return outputs

    def _inputs(self, inputs: Values) -> TopInput:
        params = self.params
        ports = []
        for p in range(params.ports):
            port = PortInput()
            if inputs[f"link_in_{p}_flit_valid"]:
                flit = Flit.read(params, inputs[f"link_in_{p}_flit_payload"])
                port.flit = flit.vc, flit.tail, flit.data
            if inputs[f"link_out_{p}_credit_valid"]:
                port.credit = inputs[f"link_out_{p}_credit_payload"]
            if inputs.get(f"hint_in_{p}_valid"):
                fields = formats.unpack(formats.wake_hint(params), inputs[f"hint_in_{p}_payload"])
                port.hint = fields.get("hops", 0), fields["destination"]
            ports.append(port)
        program = None
        if inputs.get("program_valid"):
            program = formats.unpack(formats.program(params), inputs["program_payload"])
        counter = inputs.get("counter_port", 0), inputs.get("counter_number", 0)
        switch = TopInput(ports, bool(inputs["rst"]), bool(inputs.get("flush")), program, counter)
        if params.lookahead and params.crossbar is None:
            switch.ahead = tuple(
                inputs[f"ahead_{d}"] >> w * size & ((1 << size) - 1)
                for d, size in enumerate(params.radix)
                for w in range(params.vcs)
            )
        if params.reserves:
            switch.reserving = tuple(self._heard(inputs, p) for p in range(params.ports))
        return switch

    def _heard(self, inputs: Values, p: int) -> int:
        """Return the reservation word at a port's inputs."""
        params = self.params
        kind = "answer" if params.selects else "reserve"
        if not inputs.get(f"{kind}_{p}_valid"):
            return 0
        layout = formats.reserve_answer(params) if params.selects else formats.reserve_request(params, params.ports)
        values = formats.unpack(layout, inputs[f"{kind}_{p}_payload"])
        return int(reserve_word(values.get("granted", 0), values["vc"], values.get("output", 0)))

    def _told(self, word: int, p: int) -> Outputs:
        """Return the port values that carry a reservation word."""
        kind = "reserve" if self.params.selects else "answer"
        other = reserve_output(word) if self.params.selects else reserve_granted(word)
        payload = int(reserve_vc(word)) | int(other) << self.params.vc_bits
        return {f"{kind}_{p}_valid": word & 1, f"{kind}_{p}_payload": payload if word else None}
