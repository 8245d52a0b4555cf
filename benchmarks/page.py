"""`python -m benchmarks.page FILE.html`: time per step of the slider in a browser with software rendering.

A step ends when its picture has been drawn (a pixel is read back) and the browser has shown a frame. CPU time is that
of all processes of the browser, which is more reliable than wall-clock time on a busy machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from pathlib import Path

import psutil

STEPS = 40
LOAD_SECONDS = 240  # seconds at most: software rendering compiles the shaders
SOFTWARE = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
STEP = """async number => {
  const slider = document.getElementById('time'), began = performance.now(), pixel = new Uint8Array(4);
  slider.value = number;
  slider.dispatchEvent(new Event('input'));
  document.querySelector('#stage canvas').getContext('webgl2').readPixels(0, 0, 1, 1, 6408, 5121, pixel);
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - began;
}"""


def cpu_s() -> float:
    """Return the CPU seconds of the browser, whose processes are children of this one."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            total += sum(process.cpu_times()[:2])
        except psutil.Error:
            continue
    return total


def main(page: Path, browser: str) -> dict[str, float]:
    """Measure; print and return milliseconds."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=browser, args=SOFTWARE)
        shown = running.new_page(viewport={"width": 1280, "height": 860})
        shown.set_default_timeout(1000 * LOAD_SECONDS)
        shown.goto(page.absolute().as_uri())
        shown.evaluate("view.ready")
        frames = 1 + int(shown.locator("#time").get_attribute("max") or 0)
        shown.evaluate(STEP, frames - 1)
        spent = cpu_s()
        times = [shown.evaluate(STEP, frame * frames // STEPS) for frame in range(STEPS)]
        spent = cpu_s() - spent
        running.close()
    found = {
        "least_ms": min(times),
        "median_ms": statistics.median(times),
        "most_ms": max(times),
        "cpu_ms": 1000 * spent / STEPS,
    }
    size = page.stat().st_size / 1e6
    print(f"{page}: {size:.2f} MB, {frames} frames; ms a step: {', '.join(f'{k} {v:.0f}' for k, v in found.items())}")
    return found


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    arguments.add_argument("page", type=Path, metavar="FILE.html")
    arguments.add_argument("--browser", default=shutil.which("chromium"), help="executable")
    given = arguments.parse_args()
    main(given.page, given.browser)
