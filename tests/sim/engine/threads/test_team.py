"""Threads that run functions at the same time."""

import threading

import pytest

from sim.engine.threads.team import Team
from sim.lib.interruption import Terminated


def test_functions_run_at_the_same_time():
    """Each waits for all others."""
    together, done = threading.Barrier(3), []

    def meet(number):
        together.wait(timeout=60)
        done.append(number)

    Team(3).run([lambda n=n: meet(n) for n in range(3)], lambda: None)
    assert sorted(done) == [0, 1, 2]


@pytest.mark.parametrize("which", [0, 1])
def test_an_error_is_told_to_the_others_and_raised(which):
    told = threading.Event()

    def work(number):
        if number == which:
            raise ZeroDivisionError
        assert told.wait(timeout=60)

    with pytest.raises(ZeroDivisionError):
        Team(2).run([lambda n=n: work(n) for n in range(2)], told.set)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), Terminated(15)])
def test_an_interruption_is_raised_after_all_have_ended(interruption, monkeypatch):
    from sim.engine.threads import team

    waits, ended = [], threading.Event()

    def interrupted(others):
        waits.append(others)
        if len(waits) == 1:
            raise interruption
        ended.set()
        for each in others:
            each.exception(timeout=60)

    monkeypatch.setattr(team, "wait", interrupted)
    with pytest.raises(type(interruption)):
        Team(2).run([lambda: None, lambda: ended.wait(60)], lambda: None)
    assert ended.is_set()


def test_an_interruption_while_threads_begin_is_told_to_those_that_run(monkeypatch):
    """They would wait for the others, which never begin, and the process would not end."""
    told, team = threading.Event(), Team(3)
    submit = team._pool.submit

    def interrupted(*work):
        monkeypatch.setattr(team._pool, "submit", raise_interruption)
        return submit(*work)

    def raise_interruption(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(team._pool, "submit", interrupted)
    ended = []
    work = [lambda: None, lambda: ended.append(told.wait(timeout=60)), lambda: None]
    with pytest.raises(KeyboardInterrupt):
        team.run(work, told.set)
    assert ended == [True]
