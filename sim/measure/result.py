"""Results: figures with the configuration that produced them, as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sim.files.output_file import write_output
from sim.lib.html_table import html_table
from sim.measure.batch_figures import BatchFigures
from sim.measure.cache_figures import CacheFigures
from sim.measure.class_figures import ClassFigures
from sim.measure.figures import Figures, Phases
from sim.measure.histogram import Histogram
from sim.measure.link_power_figures import LinkFigures
from sim.measure.node_figures import FairnessFigures, NodeFigures
from sim.measure.prediction_figures import PredictionFigures
from sim.measure.statistics import Summary
from sim.measure.utilisation import Utilisation, UtilisationFigures
from sim.power.account import PowerFigures

if TYPE_CHECKING:
    import pandas as pd

if TYPE_CHECKING:
    pass


class Documented(Protocol):
    """A result that can be written as JSON."""

    def document(self) -> dict[str, Any]:
        """Return the result as plain values."""


@dataclass(frozen=True)
class Result:
    """Result of one simulation.

    Attributes
    ----------
    config : dict
        Sections of the configuration, every default written out.
    figures : Figures
        Measured figures.
    version : str
        Version of tsuji.
    utilisation : Utilisation or None
        Utilisation of every link over time, if `measure.utilisation_interval` is set; not part of the document.
    """

    config: dict[str, dict[str, Any]]
    figures: Figures
    version: str = field(default_factory=lambda: version("tsuji"))
    utilisation: Utilisation | None = field(default=None, compare=False)

    def document(self) -> dict[str, Any]:
        """Return the result as plain values: `config`, `version`, and every figure by name."""
        figures = self.figures._asdict()
        plain = {name: value._asdict() if hasattr(value, "_asdict") else value for name, value in figures.items()}
        plain["classes"] = {name: each.document() for name, each in self.figures.classes.items()}
        return {"config": self.config, "version": self.version, **plain}

    def frame(self) -> pd.DataFrame:
        """Return a table of one row, as `tsuji.frame`: figures, then the keys of the configuration."""
        from sim.measure.table import sorted_frame

        return sorted_frame([self])

    def __repr__(self) -> str:
        """Return what ran, and the main figures, on one line."""
        return f"Result({self._title}: {self.figures!r})"

    def _repr_html_(self) -> str:
        """Return the main figures as a table, for notebooks."""
        return html_table(self._title, self.figures.main())

    @property
    def _title(self) -> str:
        """The network and its traffic."""
        topology, traffic = self.config["topology"], self.config["traffic"]
        size = topology.get("radix") or topology.get("dimensions") or ""
        pattern = traffic.get("pattern") or f"{len(traffic['classes'])} message classes"
        return f"{topology['kind']} {size}, {pattern}, load {traffic['load']:g}".replace(" ,", ",")

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Result:
        """Return the result of a `document`."""
        values = {name: document[name] for name in Figures._fields}
        for name, kind in _NESTED.items():
            if values[name] is not None:
                values[name] = kind(**values[name])
        values["classes"] = {name: ClassFigures.from_document(each) for name, each in values["classes"].items()}
        return cls(document["config"], Figures(**values), document["version"])


_NESTED: dict[str, Any] = {
    "packet_latency": Summary,
    "network_latency": Summary,
    "request_latency": Summary,
    "reply_latency": Summary,
    "round_trip": Summary,
    "batch": BatchFigures,
    "fairness": FairnessFigures,
    "utilisation": UtilisationFigures,
    "cache": CacheFigures,
    "links": LinkFigures,
    "prediction": PredictionFigures,
    "power": PowerFigures,
    "phases": Phases,
    "packet_histogram": Histogram,
    "network_histogram": Histogram,
    "nodes": NodeFigures,
}


def write_json(document: Mapping[str, Any], path: Path) -> None:
    """Write a document as JSON, atomically.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    text = _on_one_line(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
    write_output(path, text)


def _on_one_line(text: str) -> str:
    """Return indented JSON with each list of plain values on one line; no value contains a line break."""
    return re.sub(
        r"\[\n[^\[\]{}]*\n *\]", lambda found: re.sub(r"\n *", " ", found[0]).replace("[ ", "[", 1)[:-2] + "]", text
    )
