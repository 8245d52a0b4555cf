"""The page in a real browser with software rendering: it loads, the slider changes colours, hovering shows details."""

from __future__ import annotations

import os
import shutil

import pytest

from sim.plot.page import write_page
from sim.plot.recorded import read_recorded
from sim.plot.view_figures import FIGURES
from tests.sim.plot.power_files import BASE_W, link_w, write_power

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'tsuji[browser]'")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = os.environ.get("TSUJI_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
SOFTWARE = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
COLUMNS = [figure.column for figure in FIGURES.values()]
SECONDS = 240  # on a busy machine rendering is slow

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(BROWSERS)} is on PATH")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=BROWSER, args=SOFTWARE, timeout=1000 * SECONDS)
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Return a page of a 3×3×3 torus with six chunks, loaded without a network, and its error messages."""
    path = write_power(tmp_path / "ring.parquet", ["topology.radix=[3, 3, 3]"], 6)
    write_page(read_recorded(path, COLUMNS, COLUMNS), list(FIGURES.values()), tmp_path / "page.html")
    context = browser.new_context(viewport={"width": 900, "height": 640}, offline=True)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("view.ready")
    yield page, complaints
    context.close()


def drawn(page):
    """Return the pixels of the network as a PNG."""
    page.mouse.move(1, 1)
    return page.locator("#stage").screenshot()


def slide(page, frame):
    page.locator("#time").evaluate(f"s => {{ s.value = {frame}; s.dispatchEvent(new Event('input')); }}")


def over(page, switch):
    """Point at a switch, and return the text that the page shows."""
    x, y = page.evaluate(f"view.placeOf({switch})")[:2]
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.wait_for_function("document.getElementById('tip').style.visibility === 'visible'")
    return page.inner_text("#tip")


def test_it_loads_without_a_network_and_without_errors(opened):
    page, complaints = opened
    assert page.title() == "ring.py on 3×3×3 torus"
    assert page.locator("#stage canvas").count() == 1
    assert page.inner_text("#now") == "0 to 10 µs"
    assert complaints == []


def test_the_slider_changes_colours_and_time(opened):
    page, complaints = opened
    first = drawn(page)
    slide(page, 3)
    assert page.inner_text("#now") == "30 to 40 µs"
    other = drawn(page)
    assert other != first
    slide(page, 0)
    assert drawn(page) == first
    assert complaints == []


def test_hover_tells_of_a_switch_at_its_time(opened):
    page, _ = opened
    corner = 20  # the one in front
    for frame in (0, 3):
        slide(page, frame)
        watts = BASE_W + link_w(frame, 162)[6 * corner : 6 * corner + 6].sum()
        lines = over(page, corner).splitlines()
        assert lines[:2] == ["switch 20 (2, 0, 2)", "rank 6"]
        told = float(lines[2].removeprefix("power: ").removesuffix(" W"))
        assert told == pytest.approx(watts, abs=0.05)


def test_hover_tells_of_a_link(opened):
    page, _ = opened
    (ax, ay, _), (bx, by, _) = (page.evaluate(f"view.placeOf({switch})") for switch in (20, 19))
    x, y = ax + (bx - ax) / 3, ay + (by - ay) / 3
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.wait_for_function("document.getElementById('tip').style.visibility === 'visible'")
    assert page.inner_text("#tip").startswith("link from switch 20 to 19\nport 1, −x\npower: ")


def test_another_figure_has_other_colours_scales_and_values(opened):
    page, complaints = opened
    first = drawn(page)
    page.get_by_label("share of time in low-power idle").check()
    page.wait_for_function("document.getElementById('scales').innerText.includes('idle')")
    assert drawn(page) != first
    assert "power: " not in over(page, 20)
    assert "share of time in low-power idle: " in over(page, 20)
    assert complaints == []


def test_play_goes_on_to_the_end(opened):
    page, _ = opened
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("document.getElementById('time').value === '5'")
    page.get_by_role("button", name="Play").wait_for()
    assert page.inner_text("#now") == "50 to 55 µs"
