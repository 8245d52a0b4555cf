import pytest

from models.errors import TsujiError
from synth.ecp5 import Area, area, pads, place
from synth.ports import Port, read_ports

COUNTER = """\
module counter(clk, rst, step, value);
  input clk;
  wire clk;
  input rst;
  input [7:0] step;
  output [7:0] value;
  reg [7:0] value;
  always @(posedge clk)
    value <= rst ? 8'h00 : value + step;
endmodule
"""


def test_ports():
    assert read_ports(COUNTER, "counter") == [
        Port("clk", 1, True),
        Port("rst", 1, True),
        Port("step", 8, True),
        Port("value", 8, False),
    ]


def test_no_such_module():
    with pytest.raises(TsujiError, match="module timer: is not in the Verilog text"):
        read_ports(COUNTER, "timer")


def test_eq():
    assert Area(lut4=100, ccu2c=10, dpr16x4=3).eq == 138


def test_area(tmp_path):
    cells = area(COUNTER, "counter", tmp_path)
    assert cells.ff == 8
    assert cells.ccu2c == 4
    assert cells.dp16kd == cells.dpr16x4 == 0


def test_place(tmp_path):
    told = []
    clocks, path = place(COUNTER, "counter", tmp_path, [1, 2], lambda seed, mhz: told.append((seed, mhz)))
    assert sorted(clocks) == [1, 2]
    assert all(100 < mhz < 1000 for mhz in clocks.values())
    assert sorted(told) == sorted(clocks.items())
    assert any("setup" in step for step in path)
    assert (tmp_path / "nextpnr_2.log").stat().st_size > 1000


def test_pads_register_every_port():
    text = pads(read_ports(COUNTER, "counter"), "counter")
    assert "reg [8:0] given;" in text
    assert "reg [7:0] kept;" in text
    assert [port.name for port in read_ports(COUNTER + text, "counter") if port.name not in text] == []
