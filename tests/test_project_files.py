"""What surrounds the code: citation, templates, hooks, editors' settings and hosted CI say what the project does."""

import configparser
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pre_commit.clientlib import load_config

from tests.commit_subjects import LONGEST

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
TEMPLATES = {path.stem: path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_citation_is_of_this_version() -> None:
    """Keys of the Citation File Format 1.2, which has these four required ones and allows no unknown key."""
    citation = yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf-8"), yaml.BaseLoader)
    assert citation["cff-version"] == "1.2.0"
    required, optional = {"cff-version", "message", "title", "authors"}, {"abstract", "date-released", "keywords"}
    assert required <= citation.keys() <= required | optional | {"license", "type", "version"}
    assert citation["type"] == "software"
    assert citation["title"] == PROJECT["name"]
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]
    released = re.search(rf"^## \[{re.escape(PROJECT['version'])}\] - (\S+)$", changelog(), re.MULTILINE)
    assert released
    assert citation["date-released"] == released[1]


def changelog() -> str:
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_issue_templates_are_forms() -> None:
    assert TEMPLATES.keys() == {"bug", "feature"}
    for path in TEMPLATES.values():
        form = read(path)
        assert form.keys() == {"name", "description", "labels", "body"}, path
        for field in form["body"]:
            assert field["type"] in ("input", "textarea", "checkboxes"), path
            assert field.keys() <= {"type", "id", "attributes", "validations"}, path
            assert field["attributes"]["label"], path
        names = [field["id"] for field in form["body"]]
        assert len(set(names)) == len(names), path


def test_a_bug_comes_with_what_repeats_it() -> None:
    required = {field["id"] for field in read(TEMPLATES["bug"])["body"] if field.get("validations", {}).get("required")}
    assert {"version", "configuration", "command", "output"} <= required


def test_hooks_are_those_of_make_lint() -> None:
    config = load_config(ROOT / ".pre-commit-config.yaml")  # which refuses what pre-commit does not know
    hooks = {hook["id"]: hook for repository in config["repos"] for hook in repository["hooks"]}
    commands = [
        hook["entry"].replace(" --force-exclude", "") for hook in hooks.values() if "commit-msg" not in hook["stages"]
    ]
    linted = re.findall(
        r"^\t\$\(BIN\)/(.*?)( \.)?$", MAKEFILE.partition("\nlint:")[2].partition("\n\n")[0], re.MULTILINE
    )
    assert commands == [f".venv/bin/{command}" for command, _ in linted]
    assert hooks["subject"]["entry"] == ".venv/bin/python -m tests.commit_subjects"


def test_editors_know_the_length_of_lines() -> None:
    text = (ROOT / ".editorconfig").read_text(encoding="utf-8")
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(f"[top]\n{text}")
    assert parser["top"]["root"] == "true"
    assert parser["*.{py,pyi}"]["max_line_length"] == str(SETTINGS["tool"]["ruff"]["line-length"])
    assert parser["*"]["end_of_line"] == "lf"


def test_hosted_ci_tests_once_by_each_python_and_once_without_avx_512() -> None:
    job = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["test"]
    matrix = job["strategy"]["matrix"]["include"]
    assert [(each["python"], each["processor"]) for each in matrix] == [
        ("3.11", "as it is"),
        ("3.13", "as it is"),
        ("3.13", "without AVX-512"),
    ]
    steps = job["steps"]
    assert [step["run"] for step in steps if step.get("run", "").startswith("make")] == ["make test"]
    (switch,) = (step for step in steps if step.get("if") == f"matrix.processor == '{matrix[-1]['processor']}'")
    assert steps.index(switch) < next(n for n, step in enumerate(steps) if step.get("run") == "make test")
    told = dict(re.findall(r'echo "(\w+)=(\S+)" >> "\$GITHUB_ENV"', switch["run"]))
    assert told.keys() == {"NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
    assert told["NUMBA_CPU_NAME"] == "x86-64-v3"  # the level below that of AVX-512
    assert "avx512" not in told["NUMBA_CPU_FEATURES"]


def test_hosted_ci_looks_at_the_pages_in_a_browser() -> None:
    job = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["pages"]
    (tests,) = (step for step in job["steps"] if "pytest" in step.get("run", ""))
    assert "tests/sim/plot" in tests["run"]
    browser = tests["env"]["TSUJI_BROWSER"]
    assert any(
        f"apt-get install --yes --no-install-recommends {browser}" in step.get("run", "") for step in job["steps"]
    )


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", ".github/pull_request_template.md"])
def test_the_length_of_subjects_is_said(page: str) -> None:
    assert f"at most {LONGEST} characters" in (ROOT / page).read_text(encoding="utf-8")


def test_there_is_a_rule_of_deprecation() -> None:
    rule = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Deprecation\n")[2]
    for word in ("DeprecationWarning", "minor version", "CHANGELOG.md", "replacement"):
        assert word in rule.partition("\n## ")[0], word
