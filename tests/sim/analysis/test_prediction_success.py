"""Success of predictions: closed form against every route, and against the paper's numbers."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.analysis.prediction_success import Cube, closed_form, enumerated, printed_ss, success, totals

CUBES = [(2, 2, 1), (3, 2, 1), (4, 2, 1), (5, 2, 2), (4, 2, 3), (2, 3, 1), (3, 3, 2), (4, 1, 1)]


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize(("k", "n", "p"), CUBES)
def test_closed_form_counts_every_route(k, n, p, torus):
    cube = Cube(k, n, p, torus)
    np.testing.assert_allclose(closed_form(cube).passing, enumerated(cube).passing)
    for predictor in ("SS", "SS local", "LP"):
        assert success(cube, closed_form(cube), predictor) == pytest.approx(success(cube, enumerated(cube), predictor))


def test_numbers_of_the_paper():
    mesh = Cube(4, 2, torus=False)
    assert totals(closed_form(mesh)) == {"channels": 640, "straight": 256}
    assert success(mesh, closed_form(mesh), "SS").channels == 0.4
    assert round(printed_ss(mesh), 4) == 0.4727
    assert round(success(mesh, closed_form(mesh), "SS").hops, 4) == 0.2909
    large, small = Cube(32, 2), Cube(5, 2)
    assert round(printed_ss(large), 3) == 0.861
    assert round(printed_ss(small), 3) == 0.357
    assert round(success(large, closed_form(large), "SS").hops, 3) == 0.827
    assert round(success(small, closed_form(small), "SS").hops, 3) == 0.238


@pytest.mark.parametrize(("k", "torus", "value"), [(4, False, 416 / 880), (5, True, 0.3571), (7, True, 0.4861)])
def test_the_printed_formula_predicts_at_local_ports_too(k, torus, value):
    """On the 4-ary 2-mesh 256 pairs go straight on and 160 leave a local port as predicted, of 640 + 240."""
    cube = Cube(k, 2, torus=torus)
    assert round(printed_ss(cube), 4) == round(value, 4)
    assert success(cube, enumerated(cube), "SS local").hops == pytest.approx(printed_ss(cube))


def test_ties_by_parity_are_those_of_the_switch():
    """The path of each pair in our routing tables, counted at the input ports that it passes."""
    from sim.routing.dimension_order import DimensionOrder
    from sim.topology.torus import grid

    torus = grid((4, 4), wrap=True)
    out = DimensionOrder().tables(torus, 2).out
    counts = np.zeros((16, 5, 5))
    for source in range(16):
        for destination in range(16):
            if source == destination:
                continue
            at, port = source, 4
            while True:
                leave = int(out[at, destination])
                counts[at, port if port == 4 else port ^ 1, min(leave, 4)] += 1
                if leave == 4:
                    break
                at, port = int(torus.peer_switch[at, leave]), int(torus.peer_port[at, leave])
    walked = enumerated(Cube(4, 2), "parity").passing
    for switch in range(16):
        # Dimension 0 of the torus is the coordinate that runs fastest.
        parity = (switch % 4 % 2) * 2 + switch // 4 % 2
        np.testing.assert_allclose(counts[switch], walked[parity])
    assert not np.allclose(walked[0], enumerated(Cube(4, 2)).passing[0])


def test_success_is_between_0_and_1_and_rises():
    last = 0.0
    for k in (8, 16, 32, 64):
        cube = Cube(k, 2)
        both = [success(cube, closed_form(cube), predictor) for predictor in ("SS", "LP")]
        assert all(0 < value < 1 for one in both for value in one)
        assert both[0].hops > last
        last = both[0].hops


def test_refusals():
    with pytest.raises(TsujiError, match="k = 1"):
        Cube(1, 2)
    with pytest.raises(TsujiError, match="p = 0"):
        Cube(4, 2, 0)
