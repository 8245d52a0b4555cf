"""Result files: links are followed, devices and pipes written to, `-` is standard output, checked before the run."""

import json
import os
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import get_type_hints

import pytest

from models.errors import TsujiError
from sim.files.output_file import STDOUT, check_folder, check_output, write_output
from tsuji.cli import command_line

MESH = str(Path(__file__).parents[2] / "examples" / "mesh2x3.toml")
QUICK = ["--set", "measure.measure_periods=2", "--set", "measure.period=50", "--set", "measure.warmup_periods=1"]


def tsuji(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", "from tsuji.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_a_link_is_followed(tmp_path):
    target = tmp_path / "real.json"
    link = tmp_path / "link.json"
    link.symlink_to(target)
    for content in "first", "second":
        write_output(link, content)
        assert link.is_symlink()
        assert target.read_text() == content


def test_permissions_stay(tmp_path):
    path = tmp_path / "private.json"
    path.write_text("")
    path.chmod(0o600)
    write_output(path, "{}")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_to_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    check_output(path)
    write_output(path, "through the pipe")
    reader.join()
    assert read == ["through the pipe"]
    assert path.is_fifo()


def test_a_device_is_written_to_and_stays():
    check_output(Path("/dev/null"), "--json")
    write_output(Path("/dev/null"), "nothing")
    assert Path("/dev/null").is_char_device()


def test_a_full_device_is_refused_first(tmp_path):
    link = tmp_path / "link.parquet"
    link.symlink_to("/dev/full")
    for path in Path("/dev/full"), link:
        with pytest.raises(TsujiError, match=f"--json {path}: cannot be written: No space left on device"):
            check_output(path, "--json")


@contextmanager
def full_disk():
    """Let no file grow; Python ignores the signal that comes with it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_found_first(tmp_path):
    with full_disk(), pytest.raises(TsujiError, match=f"--json .*: File too large, by a test in {tmp_path}"):
        check_output(tmp_path / "new" / "result.json", "--json")
    assert not list(tmp_path.iterdir())


def test_a_result_that_cannot_be_written_is_kept_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(TsujiError, match=r"/dev/full: cannot be written: No space.*; it is kept in (.*)") as error:
        write_output(Path("/dev/full"), "hours of work")
    kept = Path(str(error.value).rpartition(" in ")[2])
    assert kept.parent == tmp_path
    assert kept.read_text() == "hours of work"
    with full_disk(), pytest.raises(TsujiError, match=f"; nor can it be kept in {tmp_path}: File too large"):
        write_output(Path("/dev/full"), "hours of work")


def test_a_result_for_a_full_standard_output_is_kept_elsewhere(tmp_path):
    command = [sys.executable, "-c", "from tsuji.cli import main; main()", "run", MESH, *QUICK, "--json", "-"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    line = done.stderr.splitlines()[-1]
    assert line.startswith("error: -: cannot be written: No space left on device; it is kept in ")
    kept = Path(line.rpartition(" in ")[2])
    assert json.loads(kept.read_text())["version"]
    kept.unlink()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["run", MESH, "--power-file", "p.parquet"], "p.switches.parquet: is a folder"),
        (["sweep", MESH, "--over", "traffic.load=0.1,0.2", "--dir", "file"], "--dir file: cannot be written"),
        (["saturate", MESH, "--dir", "file"], "--dir file: cannot be written"),
        (["papers", "run", "beyond.hints", "--out", "file"], "--out file: cannot be written: file is not a folder"),
    ],
)
def test_second_files_and_folders_are_checked_first(tmp_path, arguments, why):
    (tmp_path / "file").write_text("")
    (tmp_path / "p.switches.parquet").mkdir()
    done = tsuji(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {why}")
    assert len(list(tmp_path.iterdir())) == 2


def test_nothing_is_left_where_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path.parent))
    path.write_text("old")
    monkeypatch.setattr("sim.files.output_file.os.chmod", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(TsujiError, match=r"result\.json: cannot be written: full"):
        write_output(path, "new")
    assert [each.name for each in tmp_path.iterdir()] == ["result.json"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "why"),
    [(".", "is a folder"), ("file/below.json", "file is not a folder"), ("loop", "cannot be written")],
)
def test_what_cannot_be_written_is_refused_first(tmp_path, name, why):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(TsujiError, match=f"--json .*{why}"):
        check_output(tmp_path / name, "--json")


def test_standard_output_is_the_document_alone(tmp_path):
    done = tsuji("run", MESH, *QUICK, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["version"]
    assert "packet" in done.stderr  # the human-readable table
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("command", [["run"], ["sweep", "--over", "traffic.load=0.1,0.2"], ["saturate"], ["curve"]])
def test_checked_before_the_simulation(tmp_path, command):
    done = tsuji(command[0], MESH, *command[1:], "--json", tmp_path, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is a folder" in done.stderr
    assert not list(tmp_path.iterdir())


def test_only_one_file_is_standard_output(tmp_path):
    done = tsuji("run", MESH, "--json", "-", "--csv", "-", cwd=tmp_path)
    assert done.returncode == 2
    assert "only one file can be written there" in done.stderr
    assert Path("-") == STDOUT


GOAL = str(Path(MESH).parent / "goal" / "ring_allreduce.goal")
PING_PONG = str(Path(MESH).parent / "mpi" / "ping_pong.py")
WRITES = ["FILE", "FILE.parquet", "FILE.html", "FOLDER"]  # how `--help` shows an option that writes


def test_every_option_that_writes_is_checked_first():
    """A callback refuses before the command begins."""
    found = 0
    for command in command_line().registered_commands:
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            option = getattr(hint, "__metadata__", [None])[0]
            if getattr(option, "metavar", None) in WRITES and option.help.startswith(
                ("Write", "Draw", "Where to", "Go")
            ):
                assert option.callback, f"{command.callback.__name__}: {name}"
                found += 1
    assert found > 25


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--json", "{}"], "--json {}: is a folder"),
        (["--csv", "{}"], "--csv {}: is a folder"),
        (["--links", "{}/links.csv"], "--links {}/links.csv: must end in .parquet"),
        (["--links", "-"], "--links -: must end in .parquet"),
    ],
)
@pytest.mark.parametrize("command", [["replay", GOAL], ["mpi", PING_PONG, "--ranks", "2"]])
def test_workloads_check_their_files_first(tmp_path, command, arguments, why):
    arguments = [each.replace("{}", str(tmp_path)) for each in arguments]
    done = tsuji(*command, MESH, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert why.replace("{}", str(tmp_path)) in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [["replay", GOAL], ["mpi", PING_PONG, "--ranks", "2"]])
def test_workloads_write_to_standard_output(tmp_path, command):
    ideal = ["--ideal", "L=2500,o=1500,g=1000,G=6,O=0,S=65535"]
    done = tsuji(*command, *ideal, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["version"]
    assert "run time" in done.stderr


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("file", "is not a folder"),
        ("dangling", "a link to a missing target"),
        ("a" * 300, "too long"),
        ("a\0", "null"),
    ],
)
def test_folders_that_cannot_be_written_are_refused_first(tmp_path, name, why):
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    with pytest.raises(TsujiError, match=rf"--record .*cannot be written: .*(?i:{why})"):
        check_folder(tmp_path / name, "--record NAME")
    check_folder(tmp_path / "new" / "below", "--record NAME")


def test_a_trace_is_not_recorded_in_the_place_of_a_file(tmp_path):
    (tmp_path / "there").write_text("")
    done = tsuji(
        "mpi", PING_PONG, "--ranks", "2", "--ideal", "L=1,o=1,g=1,G=1,O=0,S=1", "--record", "there", cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr == "error: --record there: cannot be written: there is not a folder\n"


def test_names_of_what_is_open_already(tmp_path):
    """/dev/fd/N of a pipe has no path of its own; /dev/stdout is `-`, so that a table is not mixed with it."""
    read, write = os.pipe()
    check_output(Path(f"/dev/fd/{write}"))
    write_output(Path(f"/dev/fd/{write}"), "through")
    os.close(write)
    with os.fdopen(read) as file:
        assert file.read() == "through"
    done = tsuji("run", MESH, *QUICK, "--json", "/dev/stdout", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["version"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--keep", "{}"], "--keep {}: must end in .csv"),
        (["--keep", "{}/kept.csv", "--seed", "2"], "--seed 2: with --keep"),
    ],
)
def test_bases_are_kept_in_a_table(tmp_path, arguments, why):
    done = tsuji("bases", "3", *(each.replace("{}", str(tmp_path)) for each in arguments), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert why.replace("{}", str(tmp_path)) in done.stderr
