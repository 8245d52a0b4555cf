"""Power of a switch in the study of combinations, by hand."""

import pandas as pd
import pytest

from sim.papers.beyond_combination import with_energy


def test_power_is_of_switch_links_and_lookups():
    """0.004 flits and 0.001 packets per node and ns, over 5 switches each: 5 million lookups per second and switch."""
    asked = {"accepted": 0.004, "hops": 5.0, "latency": 100.0}
    frame = pd.DataFrame([
        asked | {"name": "none", "lpi": 0.0, "hit_rate": None},
        asked | {"name": "cache", "lpi": 0.0, "hit_rate": 0.9},
        asked | {"name": "low-power idle", "lpi": 0.5, "hit_rate": None},
    ])  # fmt: skip
    found = with_energy(frame).set_index("name")
    links = 4 * 1.02
    cam = 5e6 * 42e-9
    assert found["watts"]["none"] == pytest.approx(17.80 + links + cam + 0.036)
    caches = 5e6 * 0.039e-9 + 5 * 0.013
    assert found["watts"]["cache"] == pytest.approx(17.80 + links + caches + 0.1 * cam + 0.036)
    assert found["watts"]["low-power idle"] == pytest.approx(17.80 + 4 * 0.56 + cam + 0.036)
    # A node and its switch for each million packets per second.
    assert found["microjoule"]["none"] == pytest.approx(found["watts"]["none"])
    assert found["product"]["none"] == pytest.approx(100 * found["watts"]["none"])
