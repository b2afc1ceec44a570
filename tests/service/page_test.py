"""What a person does on the page of renderer_sink view, and reads there, in headless Chromium."""

import os
import unittest
from pathlib import Path

from browser import Browser
from posewire_test import Server
from view_test import View

PICTURES = Path(os.environ.get("POSEWIRE_PICTURES") or
                Path(__file__).resolve().parents[2] / "build" / "view")
LONG = "This is a text that goes on for much longer than anybody wants to wait for its end."
REQUESTS = "document.getElementById('requests').textContent"
LOG = "document.getElementById('log').textContent"


class HandsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.graph = Server("anim_graph")
        cls.source = Server("a2f_source", "serve", "--to", cls.graph.address, "--stream-id", "anna")
        cls.view = View(cls.graph.address, "--stream-id", "anna", "--stream-id", "ben",
                        "--avatar", "ben=man", "--say-to", cls.source.address)
        cls.browser = Browser()
        cls.tab = cls.browser.open(f"http://127.0.0.1:{cls.view.http_port}/")
        cls.tab.size(1280, 800)
        cls.tab.until("window.posewire && posewire.probe().avatars.filter((a) => a.at).length === 2",
                      30)
        cls.tab.until("posewire.avatars.every((avatar) => avatar.model)")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        for server in (cls.view, cls.source, cls.graph):
            server.stop()

    def picture(self, name):
        self.tab.picture(PICTURES / f"{name}.png")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.tab.do("Input.dispatchKeyEvent", type=kind, key=key, code=code, text=key,
                        windowsVirtualKeyCode=ord(key))

    def mouse(self, kind, x, y, buttons=1):
        self.tab.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons,
                    clickCount=1)

    def test_1_several_are_seen_whole_and_named(self):
        self.tab.until("posewire.stage.preset === 'body' && posewire.stage.flight === null")
        self.tab.until("document.querySelectorAll('#labels span').length === 2")
        self.assertEqual(self.tab.evaluate(
            "[...document.querySelectorAll('#labels span')].map((s) => s.textContent)"),
            ["anna", "ben"])
        self.picture("two")

    def test_1_two_are_seen_together_from_near(self):
        self.tab.evaluate("document.getElementById('together').click()")
        self.tab.until("posewire.stage.preset === 'together' && posewire.stage.flight === null")
        places = self.tab.evaluate("""posewire.shown.map((avatar) => {
            const { x, y } = avatar.eyesAt().project(posewire.stage.camera);
            return [x, y];
          })""")
        self.assertLess(places[0][0], -0.2)
        self.assertGreater(places[1][0], 0.2)
        for x, y in places:
            self.assertLess(abs(x), 0.8, "a head is cut off")
            self.assertAlmostEqual(y, 1 / 3, delta=0.2)
        self.picture("together")
        self.tab.evaluate("posewire.look('body')")

    def test_1_one_is_seen_as_a_bust(self):
        tab = self.browser.open(f"http://127.0.0.1:{self.view.http_port}/?stream=ben&stage")
        tab.size(1280, 800)
        tab.until("window.posewire && posewire.shown.length === 1 && posewire.stage.flight === null",
                  30)
        self.assertEqual(tab.evaluate("posewire.stage.preset"), "bust")
        tab.do("Page.close")
        self.tab.do("Page.bringToFront")

    def test_2_a_click_keeps_the_camera_and_a_drag_takes_it(self):
        self.tab.evaluate("posewire.look('bust')")
        self.tab.until("posewire.stage.flight === null")
        self.mouse("mousePressed", 400, 400)
        self.mouse("mouseReleased", 400, 400, 0)
        self.assertEqual(self.tab.evaluate("posewire.stage.preset"), "bust")
        self.mouse("mousePressed", 400, 400)
        self.mouse("mouseMoved", 440, 400)
        self.mouse("mouseReleased", 440, 400, 0)
        self.assertIsNone(self.tab.evaluate("posewire.stage.preset"))
        self.assertIsNone(self.tab.evaluate("document.querySelector('[data-look].on')"))

    def test_2_the_space_bar_pauses_wherever_the_focus_is(self):
        for focus in ("theme", "scene", "scrub", "tab-face", "skeleton"):
            self.tab.evaluate(f"document.getElementById('{focus}').focus()")
            theme = self.tab.evaluate("document.documentElement.dataset.theme")
            self.press(" ", "Space")
            self.assertIsNotNone(self.tab.evaluate("posewire.avatar.pausedAt"), focus)
            self.assertEqual(self.tab.evaluate("document.documentElement.dataset.theme"), theme)
            self.tab.evaluate("document.getElementById('live').click()")
        self.assertFalse(self.tab.evaluate("posewire.overlay.skeleton"))

    def test_3_the_voice_fits_who_is_shown_until_one_is_chosen(self):
        voice = "document.getElementById('say-voice')"
        self.tab.until(f"{voice}.options.length === 3")
        self.assertIn("a woman", self.tab.evaluate(f"{voice}.selectedOptions[0].textContent"))
        self.tab.evaluate("posewire.choose(1)")
        self.assertIn("a man", self.tab.evaluate(f"{voice}.selectedOptions[0].textContent"))
        self.tab.evaluate(f"{voice}.value = 'slt'; {voice}.dispatchEvent(new Event('change'))")
        self.tab.evaluate("posewire.choose(0); posewire.choose(1)")
        self.assertEqual(self.tab.evaluate(f"{voice}.value"), "slt")
        self.tab.evaluate("posewire.choose(0)")

    def test_4_requests_have_their_text_and_what_waits_can_be_removed(self):
        self.tab.evaluate("document.getElementById('tab-control').click()")
        say = "posewire.speech.speak({!r})"
        self.tab.evaluate(say.format(LONG))
        self.tab.evaluate(say.format("The second."))
        self.tab.evaluate(say.format("The third."))
        self.tab.until(f"{REQUESTS}.includes('This is a text') && {REQUESTS}.includes('playing')")
        self.tab.until(f"{REQUESTS}.includes('The third.')")
        self.picture("requests")
        self.tab.evaluate("""[...document.querySelectorAll('#requests li')].find((row) =>
            row.textContent.includes('The second.')).querySelector('button').click()""")
        self.tab.until(f"!{REQUESTS}.includes('The second.') && {REQUESTS}.includes('The third.')")
        self.tab.evaluate("document.querySelector('#requests button').click()")
        self.tab.until(f"{REQUESTS}.includes('The third.') && {REQUESTS}.includes('playing') && "
                       f"!{REQUESTS}.includes('This is a text')", 3)
        self.tab.until(f"{LOG}.includes('request started \u00b7 \u201cThe third.\u201d')", 20)
        self.assertNotIn("page-", self.tab.evaluate(LOG))
        self.tab.evaluate("document.getElementById('say-stop').click()")
        self.tab.until(f"{REQUESTS}.startsWith('Nothing is being said')", 6)

    def test_5_the_scrubber_says_how_far_back(self):
        self.tab.until("document.querySelectorAll('#scale span').length >= 3")
        marks = self.tab.evaluate("""[...document.querySelectorAll('#scale span')]
            .map((mark) => mark.getBoundingClientRect()).map(({ left, right }) => [left, right])""")
        self.assertTrue(all(a[1] < b[0] for a, b in zip(marks, marks[1:])), marks)
        self.assertEqual(self.tab.evaluate(
            "[...document.querySelectorAll('#scale span')].pop().textContent"), "now")

    def test_6_nothing_wraps_on_a_phone(self):
        self.tab.size(390, 844, 2, True)
        self.tab.until("innerWidth === 390")
        for row in (".bar", ".views", ".time", ".tabs"):
            lines = self.tab.evaluate(f"""(() => {{
                const middles = [...document.querySelector('{row}').children]
                  .map((child) => child.getBoundingClientRect()).filter((box) => box.height > 0)
                  .map((box) => (box.top + box.bottom) / 2);
                return Math.max(...middles) - Math.min(...middles);
              }})()""")
            self.assertLess(lines, 14, row)
        tall = self.tab.evaluate("""[...document.querySelectorAll('button')].filter((button) =>
            button.checkVisibility() && button.textContent.trim() &&
            button.getBoundingClientRect().height > 46).map((button) => button.textContent)""")
        self.assertEqual(tall, [])
        self.picture("phone_two")
        self.tab.size(1280, 800)

    def test_7_a_server_that_is_away_is_told_in_short(self):
        port, address = self.graph.port, self.graph.address
        self.graph.process.kill()
        self.graph.process.wait()
        banner = "document.getElementById('banner')"
        self.tab.until(f"!{banner}.hidden")
        self.assertEqual(self.tab.evaluate(f"{banner}.textContent"),
                         f"anim_graph at {address} is not there; trying again")
        self.tab.until("document.getElementById('when').textContent === 'no signal'")
        self.tab.evaluate("document.querySelector('#gestures button').click()")
        self.tab.until(f"{LOG}.includes('SetGesture')")
        self.assertEqual(
            self.tab.evaluate("document.getElementById('control-note').textContent"), "")
        self.picture("away")
        self.graph.stop()
        type(self).graph = Server("anim_graph", "--listen", f"127.0.0.1:{port}")
        self.tab.until(f"{banner}.hidden", 20)
        self.tab.until("document.getElementById('when').textContent === 'live'")
        self.assertEqual([f for f in self.tab.faults if "503" not in f], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
