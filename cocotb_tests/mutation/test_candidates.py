import pytest

from cocotb_tests.mutation.candidates import candidates


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = a + b * 2", ["x = (a - (b * 2))", "x = a + (b + 2)", "x = a + b * 3", "x = a + b * 1"]),
        ("x = a - b", ["x = (a + b)", "x = (b - a)"]),
        ("x = a << b", ["x = (a >> b)", "x = (b << a)"]),
        ("x = a % b", ["x = (a // b)", "x = (b % a)"]),
        ("x = a & b | c", ["x = ((a & b) & c)", "x = (a | b) | c"]),
        ("x = a < b", ["x = (a <= b)"]),
        ("x = a == b", ["x = (a != b)"]),
        ("x = a and not b", ["x = (a or (not b))", "x = a and (b)"]),
        ("x = ~a", ["x = (a)"]),
        ("x = True", ["x = False"]),
        ("x = 0", ["x = 1"]),
        ("x = b if a else c", ["x = b if (not (a)) else c"]),
        ("if a:\n    f()", ["if (not (a)):\n    f()", "if a:\n    pass"]),
        ("x += y", ["pass"]),
    ],
)
def test_changes(old: str, new: list[str]) -> None:
    assert [each.applied(old) for each in candidates("x.py", old)] == new


def test_what_does_not_matter_when_the_program_runs_stays() -> None:
    source = '"""Text."""\nimport a\n\ndef f(x: "int | None" = None) -> "A | B":\n    raise ValueError(f"{x - 1}")\n'
    assert candidates("x.py", source) == []


def test_places_are_right_behind_wide_characters() -> None:
    (change,) = candidates("x.py", 'y = "×"; x = a < b  # <\n')
    assert change.applied('y = "×"; x = a < b  # <\n') == 'y = "×"; x = (a <= b)  # <\n'
    assert str(change) == "x.py:1: a < b -> (a <= b)"
