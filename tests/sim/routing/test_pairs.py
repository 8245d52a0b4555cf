"""Every pair of topology and routing in docs/reference/routing.md runs under load; all other pairs are refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load, load_network
from sim.packets import Delivered
from sim.routing.base import ALGORITHMS
from sim.routing.minimal import longest_way
from sim.simulation import build
from sim.topology.family import FAMILIES
from sim.traffic.stream import Stream

ROOT = Path(__file__).parents[3]
TABLE = (
    (ROOT / "docs" / "reference" / "routing.md").read_text(encoding="utf-8").split("## VCs needed")[1].split("\n\n")[2]
)

# Networks for each row of the table, and the words by which a cell names them.
NETWORKS = {
    "torus": {"torus radix=[4,4]": "", "torus radix=[3,3]": "rings up to 3"},
    "mesh": {"mesh radix=[4,3]": ""},
    "hypercube of n bits": {"hypercube dimensions=4": "not folded", "hypercube dimensions=4 folded=true": "folded"},
    "hyper-crossbar of n dimensions": {"hyper_crossbar radix=[3,3]": ""},
    "k-ary n-tree": {"fat_tree arity=2 levels=3": ""},
    "HyperX of n dimensions": {"hyperx radix=[4,3] locals=2": ""},
    "dragonfly": {"dragonfly group_switches=4 global_links=1": ""},
    "Slim Fly": {"slim_fly q=3 locals=1": ""},
    "random regular, any graph": {
        "random_regular switches=16 degree=3": "",
        f"graph file={ROOT}/examples/petersen.txt locals=2": "",
    },
}
NOTES = {"¹": ("routing.vc_classes=none",), "²": ("routing.vc_classes=none", "routing.spread=lowest")}
# Routings that are no base of others, and not adaptive.
SPREAD = {"random_up": ("routing.kind=random_up", "routing.paths=4"), "o1turn": ("routing.kind=o1turn",)}
ESCAPE, STEP = "adaptive.kind=escape", "adaptive.kind=step"
# `up_down` is an escape only with these.
STORED = ("switch.buffering=static", "switch.max_packet=4", "switch.u_turn=true")
OFFERED = 400  # cycles with traffic


@dataclass(frozen=True)
class Pair:
    """A network, its routing, and the VCs that the routing needs; 0: it is refused."""

    network: str
    settings: tuple[str, ...]
    vcs: int

    def load(self, vcs):
        kind, *keys = self.network.split(" ")
        given = [f"topology.kind={kind}", *(f"topology.{key}" for key in keys), *self.settings, f"switch.vcs={vcs}"]
        fixed = ["switch.depth=4", "cache.entries=256", "traffic.load=2", "run.stall_cycles=500"]
        return load(None, [*given, *fixed])

    def __str__(self):
        settings = (setting.partition("=")[2] for setting in self.settings)
        return f"{self.network.replace(str(ROOT), '')}, {' '.join(settings)}, {self.vcs} VCs"


def rows():
    """Yield the name of each row of the table and its cells by column."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines()]
    for name, *cells in lines[2:]:
        yield name, dict(zip(lines[0][1:], cells, strict=True))


def alternatives(cell: str, words: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a cell: to which networks a part applies ("" for all), and its text."""
    for part in cell.split("; "):
        where, _, promise = part.rpartition(": ")
        assert where in words or where.startswith("`") or where == "computed", f"{cell}: what is {where}?"
        yield where, promise


def routes(cells, words, word, longest):
    """Return the VCs of each routing by tables on one network: settings of [routing] → VCs, 0 if it is refused."""
    found: dict[tuple[str, ...], int] = {}
    for kind in ("dimension_order", "minimal", "up_down"):
        for where, promise in alternatives(cells[f"`{kind}`"], words):
            if where in words and where not in ("", word):
                continue
            number, *notes = promise.split(" ")
            vcs = {"–": 0, "D": longest}[number] if number in "–D" else int(number)
            named = where.strip("`") if where.startswith("`") else kind
            key = (f"routing.kind={named}", *(setting for note in notes for setting in NOTES[note]))
            key = SPREAD.get(named, key)
            found[key] = min(vcs, found.get(key, vcs))
    return found


def adaptive(cells, bases, longest):
    """Yield settings and VCs of adaptive routing on one network."""
    ((where, promise),) = alternatives(cells['adaptive, `"escape"`'], {""})
    assert promise == "1 more"
    for (kind,), vcs in bases.items():
        allowed = vcs and (not where or f"`{kind.partition('=')[2]}`" in where)
        yield (kind, ESCAPE, *(STORED if "up_down" in kind else ())), vcs + 1 if allowed else 0
    ((where, promise),) = alternatives(cells['adaptive, `"step"`'], {""})
    if where == "computed":
        assert promise == "n"
        yield ("switch.routing=hyper_crossbar", STEP), longest // 2
    for (kind,), vcs in bases.items():
        if kind in ("routing.kind=dimension_order", "routing.kind=minimal"):
            yield (kind, STEP), {"D": longest, "n": 0, "– ³": 0}[promise] if vcs else 0


def pairs():
    """Yield every pair that the table mentions."""
    for name, cells in rows():
        words = {"", *NETWORKS[name].values()}
        for network, word in NETWORKS[name].items():
            kind, *keys = network.split(" ")
            family = load_network(None, [f"topology.kind={kind}", *(f"topology.{key}" for key in keys)]).family
            longest = longest_way(family.build())
            found = routes(cells, words, word, longest)
            bases = {key: vcs for key, vcs in found.items() if len(key) == 1}
            found |= {(*key, ESCAPE): 0 for key in found if key in SPREAD.values()}
            bases = {key: vcs for key, vcs in bases.items() if key not in SPREAD.values()}
            assert cells["`valiant`, `ugal`"] == "twice the base"
            for each in ("valiant", "ugal"):
                for (base,), vcs in bases.items():
                    found[f"routing.kind={each}", base.replace("kind", "base")] = 2 * vcs
                found[f"routing.kind={each}", ESCAPE] = 0
            found |= adaptive(cells, bases, longest)
            yield from (Pair(network, settings, vcs) for settings, vcs in found.items())


PAIRS = list(pairs())


def test_the_table_has_every_family_and_every_routing():
    assert [name for name, _ in rows()] == list(NETWORKS)
    # One switch has no links, and so no routes to choose (tests/sim/topology/test_single_switch.py).
    assert {pair.network.split(" ")[0] for pair in PAIRS} == set(FAMILIES.names()) - {"single_switch"}
    settings = {setting for pair in PAIRS if pair.vcs for setting in pair.settings}
    # Routes of a file need as many VCs as it names (tests/sim/routing/test_file.py).
    assert {f"routing.kind={kind}" for kind in ALGORITHMS.names() if kind != "file"} <= settings
    assert {ESCAPE, STEP} <= settings


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.vcs], ids=str)
def test_a_pair_runs_under_load(pair):
    """Twice the load that nodes can send, then nothing: all packets arrive, and every credit is back."""
    config = pair.load(pair.vcs)
    network = build(config)  # checks that the routes are free of deadlock
    topology = network.topology
    assert topology.switches <= 20
    credits = network._engine.switches.credits.copy()
    stream = Stream(topology, config.pattern, config.arrivals, config.sizes, config.load.load, seed=1)
    packets = stream.until(OFFERED)
    network.offer(packets)
    parts = [network.advance(OFFERED)]
    assert network.in_flight > 0.4 * len(packets)
    while not network.idle() and network.cycle < 50 * OFFERED:
        parts.append(network.advance(OFFERED))
    got = Delivered.join(parts)
    network.advance(OFFERED)
    assert network.idle()
    assert network.dropped == 0
    for ends in ("source", "destination", "birth"):
        assert sorted(getattr(got, ends)) == sorted(getattr(packets, ends))
    assert (network._engine.switches.credits == credits).all()
    sent = network.flits_sent().sum(axis=2)
    to_nodes = sent[topology.node_switch, topology.node_port]
    assert (to_nodes == np.bincount(packets.destination, packets.size, topology.nodes)).all()
    assert sent.sum() - to_nodes.sum() == network.flit_hops == (got.size * (got.hops - 1)).sum()


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.vcs > 1], ids=str)
def test_a_pair_is_refused_with_fewer_vcs(pair):
    with pytest.raises(TsujiError, match=r"VCs|vcs = |at least 2"):
        build(pair.load(pair.vcs - 1))


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair.vcs], ids=str)
def test_what_the_table_does_not_promise_is_refused(pair):
    with pytest.raises(TsujiError, match=r"(routing|adaptive)\.kind = |these routes can deadlock"):
        build(pair.load(16))
