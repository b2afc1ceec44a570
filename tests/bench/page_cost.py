"""What a picture of the page costs without a GPU, by an avatar's file and by its refined surface.

    ./bench page [--seconds 6] [--rounds 4]

CPU time of all processes of Chromium over the pictures that are drawn meanwhile, at full resolution
(1068 x 790), for one avatar's bust, alone and next to another avatar, by file and by surface in turns. Avatars are
idle. What a busy machine does to the numbers, the ratios mostly leave out.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "service"))
sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402
from posewire_test import Client, Server  # noqa: E402
from view_test import View  # noqa: E402

STREAMS = ("anna", "ben")


def cpu_s(root):
    """Of a process and all below it, those that have ended left out."""
    parents, times = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1])
        times[int(entry)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    below, todo = {root}, True
    while todo:
        more = {p for p, parent in parents.items() if parent in below and p not in below}
        below |= more
        todo = bool(more)
    return sum(times.get(p, 0) for p in below)


def cost_ms(browser, view, surface, seconds):
    tab = browser.open(f"http://127.0.0.1:{view.http_port}/?camera=bust")
    tab.size(1068, 790)
    tab.until("window.posewire && posewire.avatars.length && posewire.avatars.every((a) => a.model)", 60)
    if surface:
        tab.until("posewire.avatars.every((a) => a.model.surface)", 60)
    tab.evaluate("posewire.stage.keepUp = () => {}; posewire.stage.setLevel(0)")
    time.sleep(2)  # shaders, and the camera's flight
    frames = "posewire.stage.renderer.info.render.frame"
    drawn, spent = tab.evaluate(frames), cpu_s(browser.chromium.process.pid)
    time.sleep(seconds)
    spent = cpu_s(browser.chromium.process.pid) - spent
    drawn = tab.evaluate(frames) - drawn
    tab.evaluate("window.close()")
    tab.do("Page.navigate", url="about:blank")
    return 1000 * spent / max(1, drawn)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    graph = Server("anim_graph")
    browser = Browser()
    print(f"{'avatars':8}{'file ms':>9}{'surface ms':>12}{'ratio':>7}")
    for count in (1, 2):
        streams = [word for s in STREAMS[:count] for word in ("--stream-id", s)]
        views = [View(graph.address, *streams), View(graph.address, *streams, "--subdivide")]
        found = ([], [])
        for _ in range(options.rounds):
            for k, view in enumerate(views):
                found[k].append(cost_ms(browser, view, k == 1, options.seconds))
        ratio = statistics.median(s / f for f, s in zip(*found))
        print(f"{count:<8}{statistics.median(found[0]):9.1f}{statistics.median(found[1]):12.1f}{ratio:7.2f}")
        for view in views:
            view.stop()
    browser.close()
    graph.stop()


if __name__ == "__main__":
    main()
