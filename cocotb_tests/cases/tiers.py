"""Test tiers: which parameter sets of a bench `make test` runs, and which only `make campaign`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def tiered(cases: Iterable[Any], usual: Collection[Any]) -> list[Any]:
    """Return parameter sets for `pytest.mark.parametrize`; those not in `usual` are marked `campaign`.

    Parameters
    ----------
    cases : iterable
        All parameter sets; a tuple has one value for each argument.
    usual : collection
        The default and the corner cases, which together exercise everything that a component does.

    Raises
    ------
    ValueError
        If a member of `usual` is not among the cases.
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
