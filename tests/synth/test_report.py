import io

from rich.console import Console

from synth.ecp5 import Area, Result
from synth.report import table


def _printed(result):
    console = Console(file=io.StringIO(), width=120)
    console.print(table([result]))
    return console.file.getvalue()


def test_the_clock_is_the_median_of_the_seeds_beside_the_best():
    result = Result("plain", Area(lut4=10), {1: 60.0, 2: 70.0, 3: 61.0, 4: 64.5})
    assert "│ 62.8 │" in " ".join(_printed(result).split())
    assert "│ 70.0 │" in " ".join(_printed(result).split())
    written = result.as_json()
    assert (written["fmax_median_mhz"], written["fmax_mhz"]) == (62.75, 70.0)


def test_without_a_placement_there_is_no_clock():
    result = Result("plain", Area(lut4=10))
    assert "│ – │ – │ 0 │" in " ".join(_printed(result).split())
    assert result.as_json()["fmax_median_mhz"] is None
