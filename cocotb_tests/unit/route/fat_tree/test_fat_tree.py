from typing import Any

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.fat_tree import FatTree
from models.params import AdaptiveParams, SwitchParams

CASES: dict[str, dict[str, Any]] = {
    "2-ary 2-tree": {"ports": 4, "radix": (2, 2)},
    "3-ary 3-tree": {"ports": 6, "radix": (3, 3, 3)},
    "4-ary 3-tree, escape": {"ports": 8, "radix": (4,) * 3, "adaptive": AdaptiveParams(escape_vcs=1)},
    "5-ary 2-tree, escape": {"ports": 10, "radix": (5, 5), "adaptive": AdaptiveParams(escape_vcs=2)},
    "2-ary 6-tree": {"ports": 4, "radix": (2,) * 6, "vcs": 1},
    "19-ary 4-tree": {"ports": 38, "radix": (19,) * 4, "tag_width": 20},
}
USUAL = ("2-ary 2-tree", "3-ary 3-tree", "4-ary 3-tree, escape", "5-ary 2-tree, escape")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_fat_tree(case: str) -> None:
    given: dict[str, Any] = {"vcs": 3, "routing": "fat_tree"}
    params = SwitchParams(**given | CASES[case])
    run_bench(FatTree(params), "cocotb_tests.unit.route.fat_tree.bench", case, params.model_dump(), cycles=4000)
