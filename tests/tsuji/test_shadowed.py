"""Other packages with our names are refused at once; nothing is built beside the source."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = "import models.errors as e\ntry:\n    import tsuji\nexcept e.TsujiError as error:\n    print(error)\n"


def python(*arguments, directory, path=(), **environment):
    paths = os.pathsep.join(map(str, [*path, ROOT]))
    env = {**os.environ, "PYTHONPATH": paths, **environment}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, check=False)


def package(folder, name):
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text("VALUE = 1\n")
    return folder


def console_script(folder):
    """Return a file as pip writes it for the command."""
    script = folder / "bin" / "tsuji"
    script.parent.mkdir()
    script.write_text("import sys\nfrom tsuji.cli import main\nsys.exit(main())\n")
    return script


@pytest.mark.parametrize("name", ["hdl", "sim", "synth", "cocotb_tests"])
def test_import_names_a_package_of_another(tmp_path, name):
    other = package(tmp_path / "site-packages", name)
    done = python("-c", LIBRARY, directory=tmp_path, path=[other])
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"{name}: another package of this name, {other / name}, hides tsuji's own, {ROOT / name}; ")
    assert f"PYTHONPATH={ROOT}" in line


def test_the_package_that_errors_are_in_may_be_hidden_too(tmp_path):
    other = package(tmp_path / "site-packages", "models")
    (other / "models" / "errors.py").write_text("VALUE = 1\n")
    done = python("-c", "import tsuji", directory=tmp_path, path=[other])
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("models.errors.TsujiError: models: another package of this name, ")


def test_module_in_the_working_directory_is_told_to_leave(tmp_path):
    (tmp_path / "sim.py").write_text("VALUE = 1\n")
    done = python("-c", LIBRARY, directory=tmp_path)
    assert done.stdout.startswith(f"sim: another package of this name, {tmp_path / 'sim.py'}, hides ")
    assert done.stdout.endswith(f"start Python in another folder than {tmp_path}\n")


def test_each_hidden_package_is_named(tmp_path):
    other = package(package(tmp_path / "site-packages", "sim"), "hdl")
    lines = python("-c", LIBRARY, directory=tmp_path, path=[other]).stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["hdl", "sim"]


def test_commands_end_with_one_message_and_code_2(tmp_path):
    other = package(tmp_path / "site-packages", "models")
    runs = [[console_script(tmp_path), "--help"]]
    runs += [["-m", module, "--help"] for module in ("cocotb_tests.soak", "synth.formal", "benchmarks")]
    for arguments in runs:
        done = python(*arguments, directory=tmp_path, path=[other])
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        assert done.stderr.startswith(f"error: models: another package of this name, {other / 'models'}, hides")
        assert done.stderr.count("\n") == 1


def test_nothing_is_said_where_nothing_is_hidden(tmp_path):
    (tmp_path / "sim").mkdir()  # no package
    done = python(console_script(tmp_path), "--version", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_builds_and_caches_are_in_the_working_directory_or_the_users_cache(tmp_path):
    program = (
        "from models.jit.disk_cache import folder\n"
        "from cocotb_tests.runner.verilator import BUILD\n"
        "from cocotb_tests.runner.report import REPORTS\n"
        "from synth.formal.prove import FOLDER\n"
        "print(folder(), BUILD, REPORTS, FOLDER, sep='\\n')\n"
    )
    work = tmp_path / "work"
    work.mkdir()
    without = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = python("-c", program, directory=work, **without)
    assert done.returncode == 0, done.stderr
    code, build, reports, proofs = map(Path, done.stdout.split())
    assert code.is_relative_to(tmp_path / "cache" / "tsuji" / "code")
    assert [build, reports, proofs] == [work / "build", work / "build" / "cosim", work / "build" / "proofs"]
