"""The page in a real browser with software rendering: on a desk and a phone, by pointer and by keyboard."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from sim.papers.framework.parts import Parts
from sim.papers.framework.report import write_report
from sim.papers.framework.runner import run
from sim.plot.page import write_page
from sim.plot.recorded import read_recorded
from sim.plot.view_figures import FIGURES
from tests.sim.papers.framework.test_frame import OPTIONS, study
from tests.sim.plot.power_files import BASE_W, link_w, write_power

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SOFTWARE = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
COLUMNS = [figure.column for figure in FIGURES.values()]
SECONDS = 240  # on a busy machine rendering is slow
CUBE = ["topology.radix=[3, 3, 3]"]
DESK, PHONE = (900, 640), (390, 844)
NETWORKS = {
    "tree": ["topology.kind=fat_tree", "topology.arity=2", "topology.levels=3"],
    "dragonfly": ["topology.kind=dragonfly"],
    "hypercube": ["topology.kind=hypercube", "topology.dimensions=3"],
    "hyper-crossbar": ["topology.kind=hyper_crossbar", "topology.radix=[3, 3]"],
    "Slim Fly": ["topology.kind=slim_fly"],
}


def browser_of(driver):
    """Return the browser that TSUJI_BROWSER names, else one on PATH, else playwright's own; None if there is none."""
    if named := os.environ.get("TSUJI_BROWSER"):
        return shutil.which(named) or named
    own = driver.chromium.executable_path
    return next(filter(None, map(shutil.which, BROWSERS)), own if Path(own).exists() else None)


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        path = browser_of(driver)
        if path is None:
            pytest.skip(
                f"no browser: none of {', '.join(BROWSERS)} is on PATH, and `playwright install chromium` was not run"
            )
        running = driver.chromium.launch(executable_path=path, args=SOFTWARE, timeout=1000 * SECONDS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Return a function that opens the page of a record of six chunks; it returns page and error messages."""
    contexts = []

    def opening(settings=CUBE, size=DESK, change=None):
        found = read_recorded(write_power(tmp_path / "ring.parquet", settings, 6), COLUMNS, COLUMNS)
        if change is not None:
            change(found)
        write_page(found, list(FIGURES.values()), tmp_path / "page.html")
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * SECONDS)
        complaints = []
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.goto((tmp_path / "page.html").as_uri())
        page.evaluate("view.ready")
        return page, complaints

    yield opening
    for context in contexts:
        context.close()


@pytest.fixture
def opened(open_page):
    """Return the page of a 3×3×3 torus, loaded without a network, and its error messages."""
    return open_page()


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


@pytest.mark.parametrize("name", NETWORKS)
def test_other_networks_are_shown_too(open_page, name):
    page, complaints = open_page(NETWORKS[name])

    told = over(page, 0)
    assert told.startswith("switch 0 (")
    assert "power: " in told
    first = drawn(page)
    slide(page, 5)
    assert drawn(page) != first
    assert complaints == []


def inside(page, selector):
    """Return the box of an element, which must be within the width of the page and not scroll sideways."""
    box = page.locator(selector).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]
    assert page.locator(selector).evaluate("each => each.scrollWidth <= each.clientWidth")
    return box


@pytest.mark.parametrize("name", ["torus", "dragonfly"])
def test_a_phone_shows_the_legend_below_the_network(open_page, name):
    page, complaints = open_page(NETWORKS.get(name, CUBE), PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    stage, footer, legend = (inside(page, selector) for selector in ("#stage", "footer", "aside"))
    assert stage["width"] == PHONE[0]
    assert stage["height"] >= 0.4 * PHONE[1]
    assert stage["y"] + stage["height"] <= footer["y"]
    assert footer["y"] + footer["height"] <= legend["y"]
    assert inside(page, "#time")["width"] > PHONE[0] / 2
    for selector in ("header", "#scales", "#about", "#play", "#now", "#most", "#sum", "#chart"):
        inside(page, selector)
    assert over(page, 0).startswith("switch 0 (")
    assert complaints == []


def test_on_a_desk_the_legend_is_beside_the_network(opened):
    page, _ = opened
    stage, legend = inside(page, "#stage"), inside(page, "aside")
    assert stage["x"] + stage["width"] <= legend["x"]
    assert page.evaluate("document.documentElement.scrollHeight") == DESK[1]


def test_the_keyboard_alone_reaches_everything(opened):
    page, complaints = opened
    reached = []
    for _ in range(5):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"INPUT", "CANVAS", "play", "time"} <= set(reached)
    page.locator("#time").focus()
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#now") == "10 to 20 µs"
    page.keyboard.press("End")
    assert page.inner_text("#now") == "50 to 55 µs"
    page.locator("#play").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Play").wait_for()
    page.get_by_label("power", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.getElementById('scales').innerText.includes('utilisation')")
    assert complaints == []


def test_the_keyboard_turns_the_network_and_points_at_switches(opened):
    page, complaints = opened
    views = [drawn(page)]
    page.locator("#stage canvas").focus()
    page.keyboard.press("PageDown")
    assert page.inner_text("#tip").startswith("switch 0 (0, 0, 0)\nrank 26\npower: ")
    page.keyboard.press("PageUp")
    assert page.inner_text("#tip").startswith("switch 26 (2, 2, 2)\n")
    for key in ("ArrowLeft", "ArrowUp", "+"):
        page.keyboard.press(key)
        views.append(drawn(page))
    assert len(set(views)) == 4
    assert complaints == []


def test_a_screen_reader_is_told_what_the_pictures_show(opened):
    page, _ = opened
    network = page.get_by_role("img", name="ring.py on 3×3×3 torus")
    assert network.get_attribute("aria-label") == (
        "ring.py on 3×3×3 torus: 27 switches and the links between them, coloured by power, 0 to 10 µs; "
        "network: 630.9 W"
    )
    chart = page.get_by_role("img", name="power over time, sum over switches: ")
    assert chart.get_attribute("aria-label").endswith(" W to 630.9 W")
    slide(page, 3)
    assert "30 to 40 µs" in network.get_attribute("aria-label")
    assert page.locator("#time").get_attribute("aria-valuetext").startswith("30 to 40 µs, network: ")
    unlabelled = page.locator("canvas").evaluate_all(
        "all => all.filter(each => !each.closest('[role=img][aria-label], [aria-hidden=true]')).length"
    )
    assert unlabelled == 0


def legend(page):
    """Return the labels of the legend's scales, of switches and links."""
    return [page.locator(".scale").nth(number).locator("li").all_inner_texts() for number in (0, 1)]


def test_a_constant_quantity_has_one_colour_and_one_label(open_page):
    def still(found):
        for values in (found.links, found.switches):
            values["mean_w"][:] = 3.0
            values["lpi_share"][:] = 0.0

    page, complaints = open_page(change=still)
    assert legend(page) == [["3 W"], ["3 W"]]
    assert page.locator("#axis span").all_inner_texts() == ["0 W", "81 W"]
    assert "gradient" not in page.locator(".scale i").first.get_attribute("style")
    assert page.locator("#chart").get_attribute("aria-label").endswith("constant, 81 W")
    assert "power: 3 W" in over(page, 20)
    page.get_by_label("share of time in low-power idle").check()
    page.wait_for_function("document.getElementById('scales').innerText.includes('idle')")
    assert legend(page) == [["0 %"], ["0 %"]]
    assert complaints == []


def test_labels_of_a_narrow_scale_differ(open_page):
    def narrow(found):
        for values in (found.links, found.switches):
            values["mean_w"][:] = 1000 + 0.2 * values["lpi_share"]

    page, _ = open_page(change=narrow)
    for labels in legend(page):
        assert len(set(labels)) == 5


def test_the_curve_of_the_network_says_where_its_axis_begins(opened):
    page, _ = opened
    said = page.inner_text("#sum")
    least = page.locator("#axis span").first.inner_text()
    assert said == f"sum over switches, the axis begins at {least}, not at 0"
    page.get_by_label("utilisation").check()
    page.wait_for_function("document.getElementById('scales').innerText.includes('utilisation')")
    assert page.inner_text("#sum") == "mean of links"
    assert page.locator("#axis span").first.inner_text() == "0 %"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_report_of_papers_fits_a_phone(browser, tmp_path, monkeypatch, width):
    monkeypatch.setattr("sim.papers.framework.study.code_digest", lambda *_: "c1")
    wanted, parts = [(study(range(8), f"test.squares{number}"), OPTIONS) for number in range(3)], Parts(tmp_path)
    run(wanted, parts)
    write_report(wanted, parts, tmp_path, "tsuji papers run test")
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("img:not([alt])").count() == 0
    table = page.get_by_role("group", name="Table of test.squares0", exact=True)
    assert table.evaluate("each => each.scrollWidth <= each.clientWidth") == (width > 640)
    table.focus()
    page.keyboard.press("ArrowRight")
    page.close()
