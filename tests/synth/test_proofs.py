"""The fast proofs, their mutants, and the page that lists all properties."""

from collections import Counter
from pathlib import Path

import pytest
from amaranth.hdl import Fragment

from hdl.allocate.arbiter import MatrixArbiter
from hdl.switch import Switch
from models.errors import TsujiError
from models.params import SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property
from synth.formal.prove import prove, refute
from synth.formal.registry import find, properties

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "proofs.md"
FAST = [item for item in properties() if item.fast]


@pytest.mark.parametrize("item", FAST, ids=lambda item: item.name)
def test_holds(item: Property) -> None:
    outcome = prove(item)
    assert outcome.verdict == "proved", f"{item.claim}: see {outcome.trace}"


@pytest.mark.parametrize("item", FAST[::6], ids=lambda item: item.name)  # `make prove` takes all
def test_mutant_falls(item: Property) -> None:
    assert refute(item).verdict == "refuted", f"{item.mutant.new!r} does not make it false: {item.claim}"


def _at_most_two(proof: Proof) -> None:
    who = proof.any_constant("who", 4)
    proof.claim(who < 3)


def test_a_false_claim_is_refuted() -> None:
    outcome = prove(Property("test: false", "", _at_most_two, Fault("", "", "")))
    assert outcome.verdict == "refuted"
    assert outcome.trace is not None
    assert outcome.trace.exists()


def test_every_mutant_follows_its_source() -> None:
    for item in properties():
        source = (ROOT / item.mutant.file).read_text(encoding="utf-8")
        assert source.count(item.mutant.old) == 1, item.name


def test_a_mutant_that_does_not_is_told() -> None:
    item = Property("test: gone", "", _at_most_two, Fault("hdl/allocate/arbiter.py", "no such text", ""))
    with pytest.raises(
        TsujiError, match=r"mutant 'test: gone': hdl/allocate/arbiter.py has 0 of 'no such text', not 1"
    ):
        refute(item)


def test_names() -> None:
    names = Counter(item.name for item in properties())
    assert set(names.values()) == {1}
    assert find(FAST[0].name) is FAST[0]
    with pytest.raises(TsujiError, match="nobody: no such property; there are arbiter"):
        find("nobody")


def test_a_register_that_is_not_there() -> None:
    proof = Proof()
    inside = proof.inside(MatrixArbiter(2))
    with pytest.raises(KeyError, match="nothing: 0 registers are called so in the component"):
        inside.register("nothing")
    Fragment.get(proof.m, None)  # or Amaranth warns that it was made for nothing


def test_a_part_of_what_is_closed() -> None:
    proof = Proof()
    inside = proof.inside(Switch(SwitchParams()), memories=["input_unit_0.vc_buffer.flits"])
    assert inside.part("input_unit_0.vc_buffer").nonempty.shape().width == 2
    assert inside.register("nonempty", "input_unit_0.vc_buffer").shape().width == 2
    with pytest.raises(KeyError, match=r"input_unit_1.vc_buffer: only parts of what holds a memory"):
        inside.part("input_unit_1.vc_buffer")
    Fragment.get(proof.m, None)


def test_the_page_lists_every_property() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert rows == [f"| `{item.name}` | {item.claim} | {item.bound} |" for item in properties()]
