"""The wires of split payloads, with a component that has a switch's ports and nothing inside."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator, SimulatorContext

from hdl.interface import members, switch_ports
from hdl.port_table import port_rows
from hdl.split_payloads import SplitPayloads
from hdl.switch_module import SwitchModule
from models import formats
from models.params import SwitchParams

PARAMS = SwitchParams(ports=2, vcs=4, depth=4, data_width=16)


class Ports(wiring.Component):  # type: ignore[misc]
    """Sends each flit to the next port."""

    def __init__(self) -> None:
        super().__init__(members(switch_ports(PARAMS, table=True)))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.link_out[1].flit.payload.eq(self.link_in[0].flit.payload)
        m.d.comb += self.link_out[0].flit.valid.eq(self.link_in[1].flit.valid)
        return m


def test_fields_are_packed_as_the_layouts_say() -> None:
    packed = Ports()
    rows, parts = (port_rows(SwitchModule(PARAMS, split=parts)) for parts in (False, True))
    split = SplitPayloads(packed, rows, parts)

    async def bench(sim: SimulatorContext) -> None:
        sim.set(split.link_in_0_flit_vc, 2)
        sim.set(split.link_in_0_flit_tail, 1)
        sim.set(split.link_in_0_flit_data, 0xABCD)
        sim.set(split.link_in_1_flit_valid, 1)
        sim.set(split.program_tag, 0x1234)
        sim.set(split.program_vc_last, 3)
        await sim.delay(1e-9)
        word = formats.pack(formats.flit(PARAMS), {"vc": 2, "tail": 1, "data": 0xABCD})
        assert word == 0xABCD << 3 | 1 << 2 | 2
        assert sim.get(packed.link_in[0].flit.payload.as_value()) == word
        assert sim.get(packed.program.payload.as_value()) == 3 << 20 | 0x1234
        assert sim.get(split.link_out_1_flit_data) == 0xABCD
        assert sim.get(split.link_out_1_flit_vc) == 2
        assert sim.get(split.link_out_0_flit_valid) == 1
        assert sim.get(split.link_out_1_flit_valid) == 0

    simulator = Simulator(split)
    simulator.add_testbench(bench)
    simulator.run()
