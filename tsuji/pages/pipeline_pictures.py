"""`python -m tsuji.pages.pipeline_pictures`: draw the pipeline and its stages for docs/explanation/pipeline.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tsuji.pages.diagram import Diagram

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pipeline"


def overview() -> Diagram:
    """Return the whole pipeline, from an input link to an output link."""
    d = Diagram("The pipeline of the switch, from an input link to an output link", 860, 370)
    d.text(10, 117, "link in")
    d.arrow((10, 124), (120, 124))
    d.arrow((90, 124), (90, 32), (300, 32), dashed=True)
    d.box(300, 10, 210, 44, "predictor and bypass\nof an idle port: 1 cycle", "good")
    d.arrow((510, 32), (820, 32), (820, 120), dashed=True)
    d.box(120, 84, 120, 80, "VC buffer\na queue for\neach VC", "store")
    d.arrow((240, 100), (545, 100), text="requests", at=(300, 95))
    d.frame(535, 64, 250, 130, "VA, SA, ST: one cycle")
    d.box(545, 90, 65, 90, "VA\nVC", "logic")
    d.box(620, 90, 70, 90, "SA\ncrossbar", "logic")
    d.box(700, 90, 75, 90, "crossbar\nand output\nunit", "logic")
    d.arrow((610, 135), (620, 135))
    d.arrow((690, 135), (700, 135))
    d.arrow((775, 124), (855, 124))
    d.text(800, 142, "link out")
    d.frame(70, 200, 440, 160, "RC: route computation, one for each input port")
    d.arrow((60, 124), (60, 240), (80, 240), text="header", at=(14, 182))
    d.box(80, 222, 90, 36, "CRC hash", "logic")
    d.arrow((170, 240), (210, 240))
    d.box(210, 222, 100, 36, "route cache", "store")
    d.arrow((310, 240), (390, 240), text="hit", at=(330, 235))
    d.box(390, 222, 100, 36, "route queue", "store")
    d.arrow((440, 222), (440, 150), (545, 150), text="route", at=(446, 168))
    d.arrow((260, 258), (260, 300), text="miss", at=(266, 284))
    d.box(210, 300, 100, 36, "miss unit", "store")
    d.arrow((310, 310), (460, 310), (460, 258), text="route", at=(380, 304))
    d.arrow((310, 326), (580, 326), text="tag", at=(530, 320))
    d.box(580, 296, 110, 48, "CAM\none for all ports", "shared")
    d.arrow((635, 344), (635, 366), (260, 366), (260, 336))
    d.arrow((60, 240), (60, 275), (415, 275), (415, 258), text="computed, or linear table", at=(75, 290))
    return d


def timing() -> Diagram:
    """Return which stage a head passes in which cycle, by where its route comes from."""
    d = Diagram("Stages of a head by cycle", 860, 250)
    left, step = 190, 94
    for number, name in enumerate(["c", "c+1", "c+2", "c+3", "…", "c+27", "c+28"]):
        d.text(left + step * (number + 0.5), 20, f"cycle {name}" if name != "…" else name, "middle", pale=True)
    link, allocate, cam = ("link", "head"), ("VA SA ST", "logic"), ("CAM", "shared")
    rows = {
        "predicted right": [("RC, bypass", "good"), link],
        "computed, or linear table": [("RC", "store"), allocate, link],
        "cache hit": [("CRC hash", "logic"), ("cache", "store"), allocate, link],
        "cache miss": [("CRC hash", "logic"), ("cache", "store"), cam, cam, ("…", "shared"), allocate, link],
        "body flit": [("buffer write", "store"), ("SA ST", "logic"), ("link", "body")],
    }
    for number, (name, cells) in enumerate(rows.items()):
        d.row(34 + 42 * number, name, cells, left, step)
    return d


def buffer() -> Diagram:
    """Return an input port's buffer."""
    d = Diagram("Buffer of an input port", 860, 270)
    d.text(10, 95, "link in: vc, tail, data")
    d.arrow((10, 102), (150, 102))
    d.frame(225, 20, 275, 205, "one memory: one write port, one read port")
    d.box(150, 84, 60, 36, "by VC", "logic")
    for number in range(3):
        y = 50 + 58 * number
        d.arrow((210, 102), (218, 102), (218, y + 18), (240, y + 18))
        for place, kind in enumerate(
            (["", "tail", "body", "head"], ["", "", "", "head"], ["", "head", "tail", "body"])[number]
        ):
            d.box(240 + 45 * place, y, 45, 36, kind, kind or "plain")
        d.text(430, y + 22, f"VC {number}")
        d.arrow((470, y + 18), (530, y + 18), (530, 108), (550, 108))
    d.box(550, 90, 80, 36, "read", "logic")
    d.arrow((630, 108), (840, 108), text="at most one flit per cycle", at=(650, 102))
    d.arrow(
        (590, 126),
        (590, 245),
        (10, 245),
        text="credit, backwards on the link in: the VC of each flit that left",
        at=(20, 262),
    )
    return d


def route() -> Diagram:
    """Return route computation with cache and CAM."""
    d = Diagram("Route computation: cache, miss unit and CAM", 860, 380)
    d.text(20, 60, "header: tag")
    d.arrow((20, 68), (110, 68))
    d.box(110, 50, 90, 36, "CRC hash", "logic")
    d.arrow((200, 68), (250, 68), text="set", at=(212, 62))
    d.frame(240, 18, 330, 180, "route cache of the port")
    for number in range(4):
        d.box(260, 45 + 34 * number, 60, 26, "tag", "store")
        d.box(320, 45 + 34 * number, 70, 26, "route", "store")
        d.text(400, 62 + 34 * number, f"way {number}", pale=True)
    d.arrow((65, 68), (65, 215), (480, 215), (480, 150), text="tag", at=(70, 210))
    d.box(450, 80, 60, 70, "= ?\nall ways\nat once", "logic")
    d.arrow((440, 115), (450, 115))
    d.arrow((510, 100), (660, 100), text="hit: route", at=(580, 94))
    d.box(660, 70, 120, 60, "route queue\na route for each\npacket, in order", "store")
    d.arrow((780, 100), (845, 100), text="to VA", at=(800, 94))
    d.arrow((500, 150), (500, 255), text="miss", at=(506, 240))
    d.box(430, 255, 140, 56, "miss unit\none lookup under way;\nothers wait, merged", "store")
    d.arrow((570, 270), (640, 270), text="tag", at=(590, 264))
    d.box(640, 250, 90, 60, "arbiter\namong ports", "shared")
    d.arrow((730, 280), (760, 280))
    d.box(760, 250, 85, 60, "CAM\n25 cycles", "shared")
    d.arrow((800, 310), (800, 350), (500, 350), (500, 311), text="answer", at=(640, 345))
    d.arrow(
        (550, 255), (550, 180), (720, 180), (720, 130), text="walk: a route for every packet that waits", at=(560, 175)
    )
    d.arrow((430, 290), (290, 290), (290, 185), text="fill", at=(360, 284))
    d.text(20, 330, "Computed routes and linear tables need none of")
    d.text(20, 345, "this: tag and position give the route in the")
    d.text(20, 360, "header's cycle.")
    return d


def predict() -> Diagram:
    """Return prediction and bypass."""
    d = Diagram("Prediction of an output, bypass, and squash", 820, 300)
    d.text(20, 60, "head on the link")
    d.arrow((20, 68), (330, 68))
    d.box(120, 130, 120, 50, "predictor\nnames output o", "store")
    d.arrow((240, 155), (330, 155))
    d.box(330, 130, 140, 50, "owner of o\nlowest port that\nnames it", "logic")
    d.box(330, 45, 140, 50, "port and output\nare idle?", "logic")
    d.arrow((400, 130), (400, 95))
    d.arrow((470, 70), (560, 70), text="yes: bypass", at=(480, 62))
    d.box(560, 45, 110, 50, "register of\noutput o", "store")
    d.arrow((670, 70), (800, 70), text="link out, c+1", at=(700, 62))
    d.arrow((60, 68), (60, 240), (330, 240), text="tag", at=(66, 200))
    d.box(330, 215, 140, 50, "RC\nthe real route", "logic")
    d.arrow((470, 240), (560, 240))
    d.box(560, 215, 110, 50, "leads to o?", "logic")
    d.arrow((600, 215), (600, 95), text="yes: commit", at=(606, 170))
    d.arrow((670, 240), (800, 240), text="no: squash", at=(690, 232))
    d.text(690, 258, "the head is stored,")
    d.text(690, 273, "and takes the pipeline")
    d.arrow(
        (400, 265),
        (400, 285),
        (180, 285),
        (180, 180),
        text="update: what the packet really took",
        at=(186, 280),
        dashed=True,
    )
    return d


def allocate() -> Diagram:
    """Return VC and switch allocation."""
    d = Diagram("VC allocation and switch allocation", 860, 330)
    for port in range(2):
        y = 30 + 150 * port
        d.frame(20, y - 12, 390, 140, f"input port {port}")
        for vc in range(2):
            d.box(35, y + 15 + 52 * vc, 105, 40, f"VC {vc}\nroute: out", "store")
            d.arrow((140, y + 35 + 52 * vc), (165, y + 35 + 52 * vc))
            d.box(165, y + 15 + 52 * vc, 105, 40, "VA: a head\nfinds a free VC", "logic")
            d.arrow((270, y + 35 + 52 * vc), (300, y + 35 + 52 * vc), (300, y + 60), (315, y + 60))
        d.box(315, y + 35, 80, 50, "SA 1\none VC", "logic")
        for output in range(2):
            d.arrow(
                (395, y + 60),
                (470 + 25 * port, y + 60),
                (470 + 25 * port, 88 + 150 * output + 16 * port),
                (560, 88 + 150 * output + 16 * port),
            )
    for output in range(2):
        y = 60 + 150 * output
        d.box(560, y, 90, 66, "SA 2\none input\nport", "logic")
        d.arrow((650, y + 33), (690, y + 33))
        d.box(690, y - 15, 110, 92, f"output {output}\nfree VCs\ncredits of each\nregister", "store")
        d.arrow((800, y + 33), (850, y + 33))
        d.arrow(
            (690, y + 68),
            (670, y + 68),
            (670, y + 84),
            (530, y + 84),
            dashed=True,
            text="available: free, and credits",
            at=(500, y + 100),
        )
    return d


def output() -> Diagram:
    """Return an output: crossbar, output unit, low-power idle."""
    d = Diagram("Switch traversal, output unit, and low-power idle of the link", 860, 330)
    d.box(30, 60, 110, 90, "crossbar\na multiplexer\nfor each output", "logic")
    for number in range(3):
        d.arrow((0, 80 + 25 * number), (30, 80 + 25 * number))
    d.arrow((140, 105), (200, 105), text="flit", at=(150, 98))
    d.frame(190, 22, 320, 140, "output unit")
    d.box(200, 85, 110, 40, "flit register", "store")
    d.box(350, 45, 140, 40, "credits\nfor each VC, up to depth", "store")
    d.box(350, 105, 140, 40, "owners\nVCs that packets hold", "store")
    d.arrow((255, 125), (255, 185), (560, 185), (560, 105), (640, 105), text="link out", at=(580, 98))
    d.arrow((640, 65), (490, 65), text="credit comes back", at=(520, 58))
    d.box(640, 45, 150, 80, "link\nlatency: register stages\nfor flits and credits", "plain")
    d.text(30, 215, "Low-power idle of the link, where it is configured: flits are sent in ACT only.", pale=True)
    states = [("ACT", "good"), ("SLEEP", "bad"), ("LPI", "store"), ("WAKE", "bad")]
    for number, (name, fill) in enumerate(states):
        d.box(60 + 200 * number, 240, 90, 36, name, fill)
    for number, text in enumerate(["idle for T_lt", "after T_ls", "a flit wants it"]):
        d.arrow((150 + 200 * number, 258), (260 + 200 * number, 258), text=text, at=(156 + 200 * number, 250))
    d.arrow((705, 276), (705, 310), (105, 310), (105, 276), text="after T_lw", at=(380, 305))
    return d


PICTURES: dict[str, Callable[[], Diagram]] = {
    "overview": overview,
    "timing": timing,
    "buffer": buffer,
    "route": route,
    "predict": predict,
    "allocate": allocate,
    "output": output,
}


def main() -> None:
    """Draw every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(picture().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
