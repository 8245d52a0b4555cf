"""Progress of replays: what is done never exceeds the total, and each network has a stage of its own."""

from sim.lib.progress import listening
from sim.schedule.job import Job
from sim.schedule.ti.trace import TiTrace
from sim.workload import executor, network_executor
from sim.workload.replay import replay
from tests.sim.workload.networks import config


def test_each_network_begins_at_nothing(tmp_path, monkeypatch):
    """A trace is read again on the ideal network: bytes read before do not count."""
    monkeypatch.setattr(executor, "TELL_SECONDS", -1.0)
    for rank in range(8):
        lines = [f"{rank} init", *[f"{rank} barrier"] * 200, f"{rank} finalize", ""]
        (tmp_path / f"rank{rank}.txt").write_text("\n".join(lines))
    told = []
    with listening(lambda *each: told.append(each)):
        replay([Job(TiTrace(tmp_path))], config())
    for stage in ("replaying", "replaying on the ideal network"):
        mine = [(done, total) for name, done, total in told if name == stage]
        assert mine, stage
        assert all(0 <= done <= total for done, total in mine)
        assert mine[-1][0] == mine[-1][1] > 0


def test_a_trace_that_is_read_at_once_is_not_done_at_once(tmp_path, monkeypatch):
    """All-to-alls of few lines are many messages: their share grows with the operations that are done."""
    monkeypatch.setattr(executor, "TELL_SECONDS", -1.0)
    monkeypatch.setattr(network_executor, "CHUNK", 500)
    for rank in range(8):
        lines = [f"{rank} init", *[f"{rank} alltoall 4096 4096 0 0"] * 12, f"{rank} finalize", ""]
        (tmp_path / f"rank{rank}.txt").write_text("\n".join(lines))
    told = []
    with listening(lambda *each: told.append(each)):
        replay([Job(TiTrace(tmp_path))], config(), slow_down=False)
    shares = [done / total for name, done, total in told if name == "replaying"]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len({round(10 * share) for share in shares}) > 8, "it goes through most tenths"
