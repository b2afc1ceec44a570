"""Things of a stream's scene, put there over the control API: in the page, and in a live film."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from browser import Browser
from control_test import Events
from live_film import pictures_taken_by_ffmpeg_of
from own_props_test import png
from posewire_test import BIN, Client, Server, until
from view_test import PICTURES, View

ROOT = Path(__file__).resolve().parents[2]
GRAPH = str(ROOT / "data/graphs/examples/props.graph.txtpb")
STREAM = "s1"
CUP = {"name": "cup", "position": {"x": -0.1, "y": 0.74, "z": 0.4}, "shape": "cup",
       "sites": [{"name": "side", "position": {"y": 0.05}, "any_side": True},
                 {"name": "rim", "position": {"y": 0.1, "z": -0.035}}, {"name": "bottom"}]}
TABLE = {"name": "table", "position": {"z": 0.55}, "shape": "table",
         "sites": [{"name": "spot", "position": {"x": -0.1, "y": 0.74, "z": -0.15}}]}
READY = "Boolean(window.posewire && posewire.avatars[0]?.model)"
# What is drawn of a thing: where it is, its corners from there, and the colour of its points.
DRAWN = """(name) => {
  const group = posewire.stage.things.groups.get(`0 ${name}`);
  let mesh = null;
  group?.traverse((object) => { if (object.isMesh) mesh = object; });
  if (!mesh) return null;
  mesh.geometry.computeBoundingBox();
  const { min, max } = mesh.geometry.boundingBox, { color } = mesh.geometry.attributes;
  return { at: group.getWorldPosition(group.position.clone()).toArray(), low: min.toArray(),
    high: max.toArray(), color: [color.getX(0), color.getY(0), color.getZ(0)] };
}"""


class Scene(unittest.TestCase):
    def setUp(self):
        self.graph = Server("anim_graph", "--graph", GRAPH)
        self.addCleanup(self.graph.stop)
        self.client = Client(self.graph.address)
        self.addCleanup(self.client.close)

    def control(self, method, **fields):
        return self.client.control(method, stream_id=STREAM, **fields)

    def put(self, prop):
        self.control("SetProp", prop=prop)

    def send(self, hand, where):
        self.control("SetVariable", name=hand, value=where)


class PagePropsTest(Scene):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        super().setUp()
        self.view = View(self.graph.address, "--stream-id", STREAM)
        self.addCleanup(self.view.stop)

    def open(self):
        tab = self.browser.open(f"http://127.0.0.1:{self.view.http_port}/")
        self.addCleanup(lambda: tab.do("Page.close"))
        tab.size(900, 700)
        tab.until(READY, 30)
        tab.evaluate("posewire.look('body')")
        return tab

    def drawn(self, tab, name):
        return tab.until(f"({DRAWN})({json.dumps(name)})")

    def assertNear(self, a, b, by):
        self.assertLess(max(abs(x - y) for x, y in zip(a, b)), by, (a, b))

    def test_things_stand_where_they_are_put_and_go_when_they_are_removed(self):
        tab = self.open()
        self.put(TABLE)
        self.put(CUP)
        self.put({"name": "parcel", "position": {"x": 0.6, "y": 1, "z": 0.2}, "shape": "no such shape",
                  "size": {"x": 0.2, "y": 0.3, "z": 0.4}})
        cup = self.drawn(tab, "cup")
        self.assertNear(cup["at"], (-0.1, 0.74, 0.4), 1e-3)
        self.assertNear(cup["low"][1:2] + cup["high"][1:2], (0, 0.1), 1e-3)  # its usual height
        self.assertNear(cup["color"], [v / 255 for v in (205, 86, 52)], 0.01)
        table = self.drawn(tab, "table")
        self.assertNear(table["color"], [v / 255 for v in (118, 74, 42)], 0.01)
        parcel = self.drawn(tab, "parcel")
        self.assertNear(parcel["at"], (0.6, 1, 0.2), 1e-3)
        self.assertNear(parcel["low"], (-0.1, -0.15, -0.2), 1e-3)
        self.assertNear(parcel["high"], (0.1, 0.15, 0.2), 1e-3)
        # Nothing has changed since, and so nothing was told; each frame has them all the same.
        late = self.open()
        self.assertNear(self.drawn(late, "parcel")["at"], (0.6, 1, 0.2), 1e-3)
        late.picture(PICTURES / "props.png")
        self.control("MoveProp", prop="parcel", position={"x": 0.5, "y": 1.5})
        for one in (tab, late):  # a tab that is not seen draws nothing
            one.do("Page.bringToFront")
            one.until(f"Math.abs(({DRAWN})('parcel').at[1] - 1.5) < 1e-3")
        for name in ("cup", "table", "parcel"):
            self.control("RemoveProp", prop=name)
        for one in (tab, late):
            one.do("Page.bringToFront")
            one.until("posewire.stage.things.groups.size === 0 && posewire.stage.things.meshes.size === 0")
            self.assertEqual(one.faults, [])

    def test_a_cup_in_the_hand_goes_where_the_hand_goes(self):
        tab = self.open()
        self.put(TABLE)
        self.put(CUP)
        self.drawn(tab, "cup")
        events = Events(self.client, STREAM)
        self.addCleanup(events.stop)
        self.send("right", "cup")
        events.wait_for("PROP_REACHED")
        tab.picture(PICTURES / "props_reached.png")
        self.control("AttachProp", prop="cup", site="side", hand="RIGHT_HAND")
        events.wait_for("PROP_ATTACHED")
        # It glides into the hand in a quarter of a second. The page is a little later than the graph.
        shown = "posewire.probe().avatars[0].at"
        tab.until(f"{shown} > {tab.evaluate(shown)} + 0.7")
        low = tab.evaluate("""(() => {
            const group = posewire.stage.things.groups.get("0 cup");
            return group.getWorldPosition(group.position.clone()).y;
          })()""")
        self.send("right", "mouth")
        # In the hand's own space.
        seen = tab.evaluate("""new Promise((done) => {
            const seen = [], began = performance.now(), avatar = posewire.avatars[0];
            const hand = avatar.bones[avatar.layout.joints.indexOf("r_wrist")];
            const look = () => {
              hand.updateWorldMatrix(true, false);
              const group = posewire.stage.things.groups.get("0 cup");
              const at = group.getWorldPosition(group.position.clone());
              seen.push([at.y, hand.worldToLocal(at).toArray()]);
              // A busy machine draws few pictures, and late.
              const took = performance.now() - began, lifted = seen.at(-1)[0] - LOW > 0.3;
              if (took < 2500 || (!lifted && took < 12000)) requestAnimationFrame(look);
              else done(seen);
            };
            look();
          })""".replace("LOW", str(low)))
        tab.picture(PICTURES / "props_mouth.png")
        self.assertGreater(max(y for y, _ in seen) - low, 0.3, "it is lifted")
        # Until it is lifted it glides to where it is held.
        last, held = seen[-1][1], [at for y, at in seen if y > 0.8]
        away = [sum((a - b) ** 2 for a, b in zip(last, at)) ** 0.5 for at in held]
        print(f"{len(held)} looks, at most {1000 * max(away):.1f} mm from its place in the hand")
        self.assertLess(max(away), 0.005)
        self.assertEqual(tab.faults, [])

    def test_a_server_that_comes_back_without_things_takes_them_away(self):
        tab = self.open()
        self.put(CUP)
        self.drawn(tab, "cup")
        self.graph.process.kill()
        self.graph.process.wait()
        tab.until("posewire.avatars[0].state.state === 'lost'")
        self.assertEqual(tab.evaluate("posewire.stage.things.groups.size"), 1, "it stays where it was")
        again = Server("anim_graph", "--graph", GRAPH, listen=self.graph.address)
        self.addCleanup(again.stop)
        tab.until("posewire.avatars[0].state.state === 'connected' && "
                  "posewire.stage.things.groups.size === 0", 30)

    def test_the_shapes_come_by_http_and_wrong_sizes_are_told(self):
        def ask(query):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.view.http_port}/prop.glb?{query}",
                                            timeout=10) as reply:
                    return reply.status, reply.read()
            except urllib.error.HTTPError as error:
                return error.code, error.read()
        code, body = ask("shape=cup&width=0.1&height=0.1&depth=0.1")
        self.assertEqual((code, body[:4]), (200, b"glTF"))
        self.assertEqual(ask("shape=a%2Fb%20c&width=1&height=1&depth=1")[1],
                         ask("width=1&height=1&depth=1")[1], "a box")
        for query, name in (("width=1&height=0&depth=1", "height"), ("width=1&height=1", "depth"),
                            ("width=nan&height=1&depth=1", "width"), ("width=1&height=101&depth=1", "height")):
            code, body = ask(query)
            self.assertEqual(code, 400)
            self.assertIn(f"{name} is ", json.loads(body)["error"])


@unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
class FilmPropsTest(Scene):
    SIZE = (160, 90)

    def frames(self, film):
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", film, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             capture_output=True, check=True).stdout
        size = self.SIZE[0] * self.SIZE[1] * 3
        return [raw[i:i + size] for i in range(0, len(raw), size)]

    def middle(self, frame):
        """Where the orange of a cup is, from the left and from the top, 0..1; None: nowhere."""
        width, height = self.SIZE
        seen = [(i % width, i // width) for i in range(width * height)
                if frame[3 * i] > 110 and frame[3 * i] > 1.6 * frame[3 * i + 2]]
        if len(seen) < 40:
            return None
        return sum(x for x, _ in seen) / len(seen) / width, sum(y for _, y in seen) / len(seen) / height

    def test_things_are_in_a_live_film_where_and_while_they_are_there(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        film = os.path.join(folder.name, "x.mp4")
        # What it becomes on the way.
        Path(folder.name, "poster.png").write_bytes(png(40, 50, (205, 86, 52)))
        log = tempfile.NamedTemporaryFile("w+")
        self.addCleanup(log.close)
        sink = subprocess.Popen(
            [os.path.join(BIN, "renderer_sink"), "stream", "--from", self.graph.address, "--stream-id",
             STREAM, "--to", film, "--camera", "body", "--size", "x".join(map(str, self.SIZE)), "--props", folder.name],
            stdout=subprocess.DEVNULL, stderr=log, text=True)
        self.addCleanup(sink.wait)
        self.addCleanup(sink.kill)
        pictures = pictures_taken_by_ffmpeg_of(sink.pid, self.SIZE)

        def film_goes_on():
            """For a second, at 25 pictures a second."""
            begun = pictures()
            self.assertTrue(until(lambda: pictures() >= begun + 25), Path(log.name).read_text())

        film_goes_on()
        self.put({"name": "bucket", "position": {"x": -0.8, "y": 1}, "shape": "cup",
                  "size": {"x": 0.4, "y": 0.5, "z": 0.4}})
        film_goes_on()
        for k in range(30):
            self.control("MoveProp", prop="bucket", position={"x": -0.8 + 1.6 * k / 29, "y": 1})
            if k == 15:
                self.put({"name": "bucket", "position": {"x": 0, "y": 1}, "shape": "poster",
                          "size": {"x": 0.4, "y": 0.5, "z": 0.4}})
            time.sleep(1 / 30)  # its speed
        film_goes_on()
        self.control("RemoveProp", prop="bucket")
        film_goes_on()
        sink.send_signal(signal.SIGTERM)
        self.assertEqual(sink.wait(30), 0, Path(log.name).read_text())
        places = [self.middle(frame) for frame in self.frames(film)]
        self.assertIsNone(places[0])
        self.assertIsNone(places[-1])
        there = [p for p in places if p]
        self.assertGreater(len(there), 50)
        # The avatar's right is to the viewer's left.
        self.assertLess(there[0][0], 0.4)
        self.assertGreater(there[-1][0], 0.6)


if __name__ == "__main__":
    unittest.main()
