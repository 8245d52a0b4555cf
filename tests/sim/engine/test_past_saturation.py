"""Why accepted traffic falls past saturation: docs/explanation/past_saturation.md."""

import numpy as np
import pytest

from benchmarks.past_saturation import CLASSES, sent


@pytest.mark.parametrize("ring_classes", CLASSES)
def test_all_are_alike_below_and_less_is_accepted_past_saturation(ring_classes):
    below, past = (sent([8], load, ring_classes=ring_classes) for load in (0.2, 1.0))
    assert below.min() > 0.85 * below.mean()
    assert past.mean() < below.mean() or ring_classes == "fixed"
    assert past.min() < 0.01 < 0.5 < past.max()


def test_a_share_is_halved_at_each_merge():
    """Along the row of dateline classes that ends at node 4."""
    end = sent([8], 1.0)[[4, 3, 2, 1]]
    assert end[0] > 0.5
    assert np.all((end[1:] / end[:-1] > 0.4) & (end[1:] / end[:-1] < 0.7))
