"""The conclusion of `beyond.hints`, from two short runs of each kind."""

from sim.papers.beyond_hints import DIAMETER, PAPER_SLEEP, uniform


def run(t_lt_ns, hints):
    (row,) = uniform(t_lt_ns, hints, seed=1, periods=2)
    return row


def test_hints_hide_most_of_the_wake_time_unless_links_sleep_at_once():
    without, hinted = (run(PAPER_SLEEP, hints) for hints in (0, DIAMETER))
    assert hinted["waited_us"] < without["waited_us"] / 2
    assert hinted["latency_us"] < without["latency_us"] / 2
    assert without["mean_w"] < hinted["mean_w"] < 1.01 * without["mean_w"]
    assert without["hint_wakes"] == 0 < 0.9 * hinted["hint_wakes"] < hinted["hint_wakes_used"]
    without, hinted = (run(0.0, hints) for hints in (0, DIAMETER))
    assert hinted["latency_us"] > 1.2 * without["latency_us"]
