"""What is installed says that it is typed."""

import tomllib
from pathlib import Path

from setuptools import Distribution, find_packages
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent


def test_every_installed_package_has_its_marker_of_types(monkeypatch):
    """A type checker reads the annotations of a package only if `py.typed` is installed beside them (PEP 561)."""
    monkeypatch.chdir(ROOT)
    table = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packages = find_packages(include=table["packages"]["find"]["include"])
    data = {"" if name == "*" else name: files for name, files in table["package-data"].items()}  # as it reads "*"
    command = build_py(Distribution({"packages": packages, "package_data": data}))
    command.ensure_finalized()
    marked = {package for package, _, _, files in command.data_files if "py.typed" in files}
    assert marked == {package for package in packages if "." not in package}
    assert {"tsuji", "sim", "models"} <= marked
