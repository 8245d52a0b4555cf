"""Message classes of a configuration: what they are, what they take from [traffic], and what is refused."""

import re

import pytest

from models.errors import TsujiError
from models.params.config_file import Table
from sim.config import load
from sim.config.read import read
from sim.traffic.transpose import Transpose
from sim.traffic.uniform import Uniform

TEXT = """
[topology]
kind = "mesh"
radix = [4, 4]
[switch]
vcs = 4
[traffic]
load = 0.3
arrivals = "poisson"
[[traffic.classes]]
name = "control"
packet_size = 1
vcs = [0, 0]
[[traffic.classes]]
share = 2
packet_sizes = [3, 7]
pattern = "transpose"
"""


def configured(folder, text=TEXT, *overrides):
    path = folder / "net.toml"
    path.write_text(text)
    return load(path, overrides)


def test_a_class_has_its_keys_and_those_of_the_section(tmp_path):
    control, other = configured(tmp_path).classes
    assert (control.keys.name, control.keys.vcs, control.sizes.all) == ("control", (0, 0), (1,))
    assert (other.keys.name, other.keys.vcs, other.sizes.all) == ("1", None, (3, 7))
    assert (control.load, other.load) == (pytest.approx(0.1), pytest.approx(0.2))
    assert isinstance(control.pattern, Uniform)
    assert isinstance(other.pattern, Transpose)
    assert {control.arrivals.kind, other.arrivals.kind} == {"poisson"}


def test_the_document_describes_the_same_classes(tmp_path):
    config = configured(tmp_path)
    assert read(Table(config.document())).classes == config.classes
    assert "pattern" not in config.document()["traffic"]


def test_without_the_array_there_is_one_class_of_traffic(tmp_path):
    config = configured(tmp_path, TEXT.split("[[")[0])
    assert config.classes == ()
    assert [each.load for each in config.traffic] == [0.3]
    assert config.routes is config.routing


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("packet_size = 1", "packet_size = 0", r"net.toml:12: traffic.classes.0.packet_size = 0: Input should be"),
        (
            "packet_size = 1",
            "packet_length = 1",
            r"net.toml:12: traffic.classes.0.packet_length = 1: unknown key; allowed: arrivals, name",
        ),
        ("packet_size = 1", "window = 1", r"net.toml:12: traffic.classes.0.window = 1: unknown key"),
        ("packet_size = 1", "reply_size = 1", r"traffic.classes.0.reply_size = 1: unknown key"),
        ("[0, 0]", "[3, 2]", r"net.toml:13: traffic.classes.0.vcs = \[3, 2\]: must be the first and the last VC"),
        ("[0, 0]", "[0, 4]", r"traffic.classes.0.vcs = \[0, 4\]: must be the first and the last of VCs 0 to 3"),
        ("[0, 0]", "[0]", r"net.toml:13: traffic.classes.0.vcs"),
        ("share = 2", "share = 0", r"net.toml:15: traffic.classes.1.share = 0: Input should be greater than 0"),
        ("share = 2", 'name = "control"', r"traffic.classes: two classes have the name 'control'"),
        ('"transpose"', '"transposed"', r"net.toml:17: traffic.classes.1.pattern = 'transposed': must be one of"),
        (
            "share = 2",
            "hotspots = [1]",
            r'traffic.classes.1.hotspots = \[1\]: only traffic.classes.1.pattern = "hotspot"',
        ),
        ("share = 2", "burst_duty = 0.5", r"traffic.classes.1.burst_duty = 0.5: only"),
        (
            "load = 0.3",
            "packet_size = 4",
            r"net.toml:8: traffic.packet_size = 4: every class has its own; leave it out",
        ),
        ("load = 0.3", "reply_size = 4", r"traffic.reply_size = 4: does not go with traffic.classes"),
        (
            "vcs = 4",
            'vcs = 4\nrouting = "dimension_order"',
            r'"dimension_order": does not go with traffic.classes: message',
        ),
        ("[switch]", "[adaptive]\n[switch]", r"\[adaptive\]: does not go with traffic.classes"),
        ("[switch]", "[workload]\n[switch]", r"\[workload\]: does not go with traffic.classes"),
        ("[switch]", '[measure]\nmode = "batch"\nbatch_size = 2\n[switch]', r'measure.mode = "batch": does not go'),
        ("[switch]", '[routing]\nkind = "ugal"\n[switch]', r'routing.kind = "ugal": does not go with traffic.classes'),
        ('arrivals = "poisson"', 'draws = "hash"', r'traffic.draws = "hash": does not go with traffic.classes'),
        (
            "load = 0.3",
            "load = 9.0\narrivals = 'bernoulli' #",
            r"traffic.load = 3: bernoulli arrivals of packets of 1 flits",
        ),
    ],
)
def test_what_is_refused_is_named(tmp_path, old, new, message):
    text = TEXT.replace('arrivals = "poisson"\n', "") if "arrivals" in new else TEXT
    with pytest.raises(TsujiError, match=message):
        configured(tmp_path, text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("3", "traffic.classes = 3: must be tables"),
        ("[1]", r"traffic.classes = \[1\]: must be tables"),
        ("[]", "traffic.classes: 0 classes; must be 1 to 16"),
        ("[{packet_size=0}]", "traffic.classes.0.packet_size = 0: Input"),
    ],
)
def test_an_override_replaces_the_array(tmp_path, value, message):
    override = f"traffic.classes={value}"
    with pytest.raises(TsujiError, match=f"^{re.escape(f'--set {override}')}: {message}"):
        configured(tmp_path, TEXT, override)


def test_vcs_of_a_class_must_suffice_for_the_routes(tmp_path):
    text = TEXT.replace('"mesh"', '"torus"')
    with pytest.raises(TsujiError, match=r"traffic.classes.0.vcs = \[0, 0\]: .*2"):
        configured(tmp_path, text)
    assert configured(tmp_path, text.replace("[0, 0]", "[0, 1]")).classes[0].keys.vcs == (0, 1)
