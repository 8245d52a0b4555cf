"""Property of the registers: a cause of an interrupt is kept until it is cleared, and interrupts if it is enabled."""

from __future__ import annotations

from amaranth.hdl import Signal

from hdl.bus.registers import Registers
from models.params import SwitchParams
from models.register_map import WORD_BYTES
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _keeps(proof: Proof, params: SwitchParams) -> None:
    """Claim it for the errors of any one stream."""
    m = proof.m
    component = Registers(params, streams=params.ports)
    inside = proof.inside(component, replaced=["port"])
    ports, bus = inside.ports, inside.replaced["port"]
    where = component.register_map.find("stream_error")
    assert where is not None
    stream = proof.any_constant("stream", params.ports)
    here = bus.writes & (bus.write_word == where.address // WORD_BYTES)
    cleared, happens = Signal(), Signal()
    one = (bus.write_data & bus.write_mask).bit_select(stream, 1)
    m.d.comb += [cleared.eq(here & one), happens.eq(ports.stream_error.bit_select(stream, 1))]

    expected = Signal()
    m.d.sync += expected.eq(happens | (expected & ~cleared))
    kept = inside.register("stream_error_stream_error")
    proof.claim(kept.bit_select(stream, 1) == expected)
    interrupts = Signal()
    m.d.sync += interrupts.eq(expected & inside.register("interrupt_enable_stream_error"))
    proof.claim(~interrupts | ports.irq)


PROPERTIES = [
    Property(
        "registers: no cause of an interrupt is lost",
        "the bit of a stream is 1 from the cycle after an error until 1 is written to it in a cycle without another; "
        "while it is 1 and enabled, irq is 1 one cycle later (2 streams)",
        lambda proof: _keeps(proof, SwitchParams(ports=2, vcs=1, depth=2, data_width=16)),
        Fault(
            "hdl/bus/registers.py",
            "Mux(written, data & mask, 0)) | happens)",
            "Mux(written, data & mask, 0) & ~happens))",
        ),
    ),
]
