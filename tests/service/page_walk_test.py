"""An avatar that walks about stays in the picture of renderer_sink view, in headless Chromium."""

import os
import unittest
from pathlib import Path

from browser import Browser
from posewire_test import Client, Server
from view_test import View

ROOT = Path(__file__).resolve().parents[2]
PICTURES = Path(os.environ.get("POSEWIRE_PICTURES") or ROOT / "build" / "view")
GRAPH = ROOT / "data" / "graphs" / "examples" / "walk_to.graph.txtpb"
# How far its face is from the middle of the picture, as parts of its half width and height.
FACE = """(() => {
    const { camera } = posewire.stage, at = posewire.avatars[0].headAt().project(camera);
    return [at.x, at.y, at.z];
  })()"""


class PageWalkTest(unittest.TestCase):
    def test_the_camera_goes_along(self):
        PICTURES.mkdir(parents=True, exist_ok=True)
        graph = Server("anim_graph", "--graph", str(GRAPH))
        self.addCleanup(graph.stop)
        view = View(graph.address, "--stream-id", "anna")
        self.addCleanup(view.stop)
        browser = Browser()
        self.addCleanup(browser.close)
        tab = browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.size(1280, 800)
        tab.until("window.posewire && posewire.probe().avatars.filter((a) => a.at).length === 1", 30)
        tab.until("posewire.avatars[0].model && posewire.stage.flight === null")
        self.assertEqual(tab.evaluate("posewire.avatars[0].gone.length() < 0.1"), True)
        Client(graph.address).control("SetVariable", stream_id="anna", name="place", value="right")
        # All the way there its face is in the picture.
        worst = 0
        while tab.evaluate("Math.hypot(posewire.avatars[0].gone.x + 1.8, "
                           "posewire.avatars[0].gone.z - 1.2)") > 0.2:
            x, y, z = tab.evaluate(FACE)
            self.assertLess(z, 1)
            worst = max(worst, abs(x), abs(y))
        self.assertLess(worst, 0.9)
        tab.picture(PICTURES / "walked.png")
        shadow = tab.evaluate("(({ x, z }) => [x, z])(posewire.avatars[0].shadow.position)")
        self.assertAlmostEqual(shadow[0], -1.8, delta=0.25)
        self.assertAlmostEqual(shadow[1], 1.2, delta=0.25)
        # A preset finds it where it is.
        for look in ("face", "body"):
            tab.evaluate(f"posewire.look('{look}')")
            tab.until("posewire.stage.flight === null")
            x, _, _ = tab.evaluate(FACE)
            self.assertLess(abs(x), 0.35)
        tab.picture(PICTURES / "walked_body.png")


if __name__ == "__main__":
    unittest.main()
