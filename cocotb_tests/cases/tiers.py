"""Which parameter sets of a bench `make test` takes, and which only `make campaign`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def tiered(cases: Iterable[Any], usual: Collection[Any]) -> list[Any]:
    """Return parameter sets for `pytest.mark.parametrize`, those that are not usual marked `campaign`.

    Parameters
    ----------
    cases : iterable
        All of them; a tuple is one value for each argument.
    usual : collection
        The default and the corners: whatever a component does is compared in one of these at least.

    Raises
    ------
    ValueError
        If one of `usual` is none of the cases.
    """
    cases = list(cases)
    unknown = [case for case in usual if case not in cases]
    if unknown:
        raise ValueError(f"no such cases: {unknown}")
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=[] if case in usual else pytest.mark.campaign
        )
        for case in cases
    ]
