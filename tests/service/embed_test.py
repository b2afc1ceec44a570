"""A page of another site with our stage in it, in headless Chromium: docs/kiosk.html as it stands."""

import http.server
import os
import threading
import time
import unittest
from pathlib import Path

from browser import Browser
from posewire_test import Client, Server
from view_test import View

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = Path(os.environ.get("POSEWIRE_PICTURES") or
                Path(__file__).resolve().parents[2] / "build" / "view")
AVATAR = "document.querySelector('posewire-avatar')"
LINE = "document.getElementById('line').textContent"
# What the element has told, by the names of its events.
LISTEN = f"""(() => {{
  window.heard = [];
  for (const name of ["ready", "shown", "state", "requeststart", "requestend", "gesturestart",
                      "gestureend", "sound", "error"]) {{
    {AVATAR}.addEventListener(name, ({{ detail }}) => heard.push([name, detail]));
  }}
}})()"""


class Site(http.server.ThreadingHTTPServer):
    """Somebody else's site, at http://localhost: to a browser another one than 127.0.0.1."""

    def __init__(self, pages):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = pages.get(self.path, "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass
        super().__init__(("127.0.0.1", 0), Handler)
        self.origin = f"http://localhost:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class EmbedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.pages = {}
        cls.site = Site(cls.pages)
        cls.graph = Server("anim_graph", "--graph", "default")
        cls.client = Client(cls.graph.address)
        cls.source = Server("a2f_source", "serve", "--to", cls.graph.address, "--stream-id", "kiosk")
        cls.view = View(cls.graph.address, "--stream-id", "kiosk", "--stream-id", "other",
                        "--say-to", cls.source.address, "--http-allow-origin", cls.site.origin)
        cls.home = f"http://127.0.0.1:{cls.view.http_port}"
        cls.pages["/kiosk.html"] = (DOCS / "kiosk.html").read_text().replace(
            "http://127.0.0.1:8080", cls.home)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.client.close()
        codes = [server.stop() for server in (cls.view, cls.source, cls.graph)]
        cls.site.shutdown()
        cls.site.server_close()
        assert codes == [0, 0, 0], codes

    def open(self, page="/kiosk.html", origin=None):
        tab = self.browser.open((origin or self.site.origin) + page)
        tab.size(700, 700)
        tab.until(f"Boolean({AVATAR})")
        tab.evaluate(LISTEN)
        return tab

    def heard(self, tab, name):
        return [detail for event, detail in tab.evaluate("heard") if event == name]

    def test_the_kiosk_says_a_text_interrupts_it_and_hears_the_end(self):
        self.assertLessEqual(self.pages["/kiosk.html"].count("\n"), 40)
        tab = self.open()
        tab.evaluate(f"{AVATAR}.ready")
        tab.evaluate("document.getElementById('ask').click()", gesture=True)
        tab.until(f"{LINE} === 'Speaking.'")
        tab.until("heard.some(([name]) => name === 'requeststart')")
        tab.until("heard.some(([name, detail]) => name === 'sound' && detail.on)")
        tab.picture(PICTURES / "kiosk.png")
        tab.until(f"{LINE} === 'Ask me again at any time.'")
        ended = self.heard(tab, "requestend")
        self.assertEqual([(e["stream"], e["interrupted"]) for e in ended], [("kiosk", False)])
        tab.evaluate("document.getElementById('ask').click()", gesture=True)
        tab.until(f"{LINE} === 'Speaking.'")
        tab.until("heard.filter(([name]) => name === 'requeststart').length === 2")
        began = time.monotonic()
        tab.evaluate("document.getElementById('enough').click()", gesture=True)
        tab.until(f"{LINE} === 'As you like.'")
        self.assertLess(time.monotonic() - began, 2)
        self.assertTrue(self.heard(tab, "requestend")[1]["interrupted"])
        self.assertEqual(tab.faults, [])

    def test_texts_that_wait_are_dropped_and_their_end_is_told(self):
        tab = self.open()
        ends = tab.evaluate(f"""(async () => {{
            const avatar = {AVATAR};
            const first = await avatar.say("This is a text of some length, to be interrupted.");
            const second = await avatar.say("This one waits.");
            const dropped = second.ended;
            await avatar.interrupt();
            return [second.ahead, await first.ended, await dropped];
          }})()""", gesture=True)
        self.assertEqual(ends[0], 1)
        self.assertTrue(ends[1]["interrupted"])
        self.assertEqual((ends[2]["interrupted"], ends[2]["why"]),
                         (True, "it was dropped before it began"))

    def test_it_gestures_and_sets_variables(self):
        tab = self.open()
        tab.evaluate(f"{AVATAR}.gesture('nod')")
        tab.until("heard.some(([name, detail]) => name === 'gesturestart' && detail.gesture === 'nod')")
        tab.until("heard.some(([name, detail]) => name === 'gestureend' && detail.gesture === 'nod')")
        tab.evaluate(f"{AVATAR}.set('posture_state', 'Listening')")
        values = {v.name: v.value for v in
                  self.client.control("ListVariables", stream_id="kiosk").variables}
        self.assertEqual(values["posture_state"], "Listening")
        error = tab.evaluate(f"{AVATAR}.gesture('no_such').catch((error) => error.message)")
        self.assertIn("no_such", error)
        error = tab.evaluate(f"{AVATAR}.say('\u2603').catch((error) => error.message)")
        self.assertIn("nothing in it can be spoken", error)

    def test_an_element_acts_on_its_stream_alone(self):
        tab = self.open()
        tab.evaluate(f"{AVATAR}.ready")
        tab.evaluate(f"{AVATAR}.setAttribute('stream', 'kiosc')")
        for ask in ("say('Hello')", "gesture('nod')", "interrupt()", "set('look_state', 'none')"):
            error = tab.evaluate(f"{AVATAR}.{ask}.catch((error) => error.message)")
            self.assertEqual(error, "no stream kiosc is shown here; shown are: kiosk, other", ask)
        self.assertIn("no stream kiosc", self.heard(tab, "error")[0]["message"])

    def test_the_kiosk_shows_why_it_could_not_interrupt(self):
        tab = self.open()
        tab.evaluate(f"{AVATAR}.ready")
        tab.evaluate(f"{AVATAR}.setAttribute('stream', 'kiosc')")
        tab.evaluate("document.getElementById('enough').click()", gesture=True)
        tab.until(f"{LINE} === 'no stream kiosc is shown here; shown are: kiosk, other'")
        self.assertEqual(tab.faults, [])

    def test_it_may_be_moved_in_its_page_and_is_told_when_it_is_seen(self):
        tab = self.open()
        tab.evaluate(f"document.body.prepend({AVATAR})")
        tab.evaluate(f"{AVATAR}.gesture('nod')")
        tab.until("heard.some(([name]) => name === 'shown')")
        tab.until("heard.some(([name, detail]) => name === 'gesturestart' && detail.gesture === 'nod')")
        error = tab.evaluate(f"""(() => {{
            const avatar = {AVATAR};
            avatar.remove();
            return avatar.say("Hello").catch((error) => error.message);
          }})()""")
        self.assertEqual(error, "the avatar is not in the page")
        self.assertEqual(tab.faults, [])

    def test_an_address_that_is_none_or_where_nobody_is_says_so(self):
        tab = self.open()
        for src, said in (("127.0.0.1:8080", 'src is "127.0.0.1:8080"; give an address such as'),
                          ("http://127.0.0.1:1", "nothing answers at http://127.0.0.1:1")):
            tab.evaluate(f"heard.length = 0; {AVATAR}.setAttribute('src', '{src}')")
            tab.until("heard.some(([name]) => name === 'error')", 20)
            self.assertIn(said, self.heard(tab, "error")[0]["message"])
            self.assertIn(said, tab.evaluate(f"{AVATAR}.ready.catch((error) => error.message)"))

    def test_a_bare_stage_shows_one_stream_and_no_tools(self):
        tab = self.browser.open(f"{self.home}/?stage&stream=kiosk&camera=face&background=336699&muted")
        tab.size(500, 400)
        tab.until("window.posewire && posewire.probe().avatars.filter((a) => a.model).length === 2", 30)
        self.assertEqual(tab.evaluate("posewire.shown.map((a) => a.name)"), ["kiosk"])
        for part in ("header", "#panel", ".views", ".time"):
            self.assertEqual(tab.evaluate(
                f"getComputedStyle(document.querySelector('{part}')).display"), "none", part)
        tab.until("posewire.stage.flight === null")
        self.assertEqual(tab.evaluate("posewire.stage.preset"), "face")
        corner = tab.evaluate("""(() => {
            const { stage } = posewire, gl = stage.renderer.getContext(), out = new Uint8Array(4);
            stage.render();
            gl.readPixels(2, 2, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
            return [...out];
          })()""")
        for got, wanted in zip(corner, (0x33, 0x66, 0x99)):
            self.assertAlmostEqual(got, wanted, delta=3)
        tab.evaluate("dispatchEvent(new PointerEvent('pointerdown'))", gesture=True)
        self.assertFalse(tab.evaluate("posewire.speaker.running && !posewire.speaker.muted"))
        tab.picture(PICTURES / "bare.png")
        self.assertEqual(tab.faults, [])

    def test_a_page_of_another_origin_may_not(self):
        stranger = Site(self.pages)
        try:
            tab = self.open(origin=stranger.origin)
            tab.until("heard.some(([name]) => name === 'error')", 20)
            message = self.heard(tab, "error")[0]["message"]
            self.assertIn(f"--http-allow-origin {stranger.origin}", message)
            self.assertIn(self.home, message)
            self.assertEqual(self.heard(tab, "ready"), [])
            self.assertEqual(tab.evaluate(f"{AVATAR}.say('Hello').catch((e) => e.message)"), message)
            self.assertTrue(any("frame-ancestors" in fault for fault in tab.faults), tab.faults)
        finally:
            stranger.shutdown()
            stranger.server_close()

    def test_whoever_opened_it_is_not_the_page_around_it(self):
        tab = self.browser.open(f"{self.home}/?stage&stream=kiosk")
        tab.until("window.posewire && posewire.connected", 30)
        self.assertFalse(tab.evaluate("""new Promise((done) => {
            const { port1, port2 } = new MessageChannel();
            postMessage("posewire", "*", [port2]);
            setTimeout(() => done(Boolean(posewire.embedded.port)), 200);
          })"""))


if __name__ == "__main__":
    unittest.main()
