"""The site builds strictly, its links lead somewhere, it fetches nothing, and every page can be reached."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from tsuji.pages.hook import GENERATED

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PROSE = 160
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src"}


class Page(HTMLParser):
    """Links, anchors and what is loaded, of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if found.get(LOADED.get(tag, "")):
            self.loaded.append(found[LOADED[tag]])


def unanswered(site):
    """Return links and files that lead nowhere, and what is loaded from elsewhere, of a built site."""
    # The theme's page for a web server's 404, which no page of ours leads to, has links from the root of a server.
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    wrong = []
    for path, page in pages.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                wrong += [f"{path.name}: loads {link}"] * (link in page.loaded and parts.scheme != "data")
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            to = to / "index.html" if to.is_dir() else to
            if not to.is_file():
                wrong.append(f"{path.name}: {link}")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].anchors:
                wrong.append(f"{path.name}: {link}: no such anchor")
    return wrong


def test_the_site_builds_strictly_and_its_links_lead_somewhere(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(tmp_path.rglob("*.html"))) > len(PAGES)
    assert not unanswered(tmp_path.resolve())


def test_what_leads_nowhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#x"></a><a href="#y"></a><img src="https://c/d.png"><p id="z">')
    (tmp_path / "b.html").write_text('<p id="x"><a href="a.html#z"></a><a href="e.html"></a>')
    found = unanswered(tmp_path.resolve())
    assert sorted(found) == ["a.html: #y: no such anchor", "a.html: loads https://c/d.png", "b.html: e.html"]


def named(nav):
    """Return the pages that a navigation names."""
    if isinstance(nav, str):
        return {nav}
    parts = nav.values() if isinstance(nav, dict) else nav
    return {page for part in parts for page in named(part)}


def test_every_page_is_in_the_navigation():
    # Its tags of Python are for the theme's icons, not for us.
    text = re.sub(r"!!\S+ ", "", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    pages = {path.relative_to(DOCS).as_posix() for path in PAGES}
    assert named(yaml.safe_load(text)["nav"]) == pages | set(GENERATED)


@pytest.mark.parametrize(
    "page",
    [path for path in PAGES if path.parent.name != "results"],
    ids=lambda path: path.relative_to(DOCS).as_posix(),
)
def test_lines_of_prose_are_short(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    long = [line for line in text.splitlines() if len(line) > PROSE and not line.startswith(("|", "    ", "!["))]
    assert not long, f"{len(long)} lines of more than {PROSE} characters, the first: {long[0]}"
