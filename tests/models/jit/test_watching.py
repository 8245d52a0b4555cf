"""Steps of a compilation: known in advance, counted once, the same from other processes."""

import pytest

from models.jit import watching

Seen = list[tuple[str, int, int]]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    """What listeners are told."""
    found: Seen = []
    monkeypatch.setattr(watching, "_listeners", [lambda *step: found.append(step)])
    return found


def test_a_share_is_known_from_the_start(seen: Seen) -> None:
    watching.begin("run")
    watching.expect({"run", "f", "g"})
    for name in ("f", "f", "run"):  # a second process translates `f`, too
        watching.part_done(name)
    assert seen == [("run", 0, 0), ("run", 2, 9), ("run", 2, 9), ("run", 4, 9)]


def test_what_the_compiler_removed_is_done_with_its_object(seen: Seen) -> None:
    watching.begin("run")
    watching.expect({"run", "f"})
    watching.object_done({"run", "f"})
    assert seen[-1] == ("run", 6, 6)


def test_functions_that_are_not_expected_do_not_count(seen: Seen) -> None:
    watching.begin("run")
    watching.expect({"run"})
    watching.part_done("other")
    assert seen[-1] == ("run", 0, 3)


def test_a_forked_process_tells_only_the_first_one(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(watching, "_elsewhere", [])
    watching.begin("run")
    before = list(seen)
    watching.report_to(sent.append)
    watching.part_done("f")
    watching.object_done({"f"})
    assert sent == ["f"]
    assert seen == before
