"""The avatars in an emulated headset, from the page of renderer_sink view in headless Chromium: iwer
(npm) is the browser's WebXR there."""
import math
import os
import unittest
from pathlib import Path

from browser import Browser
from posewire_test import Client, Server, until
from view_test import View

ROOT = Path(__file__).resolve().parents[2]
PICTURES = Path(os.environ.get("POSEWIRE_PICTURES") or ROOT / "build" / "view")
GRAPH = ROOT / "data/graphs/examples/user_acts.graph.txtpb"
IWER = ROOT / "build/tools/iwer/node_modules/iwer/build/iwer.min.js"
# Two eyes; the wearer looks along -Z of the room, from a place of their own. iwer 2.5.0 takes a matrix
# where WebXR has a transform.
HEADSET = """
  window.headset = new IWER.XRDevice(IWER.metaQuest3, { stereoEnabled: true });
  headset.installRuntime({ forceInstall: true });
  const offset = XRReferenceSpace.prototype.getOffsetReferenceSpace;
  XRReferenceSpace.prototype.getOffsetReferenceSpace = function (origin) {
    return offset.call(this, origin.matrix);
  };
"""
# Of the picture of a frame, read in that frame: the mean brightness of each half, and how much of
# them differs.
EYES = """new Promise((done) => posewire.immersive.session.requestAnimationFrame(() => {
    const gl = posewire.stage.renderer.getContext();
    const { width, height } = gl.canvas, half = width / 2;
    const pixels = new Uint8Array(4 * width * height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const bright = [0, 0];
    let differ = 0;
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < half; ++x) {
        const left = pixels[4 * (y * width + x) + 1], right = pixels[4 * (y * width + x + half) + 1];
        bright[0] += left;
        bright[1] += right;
        if (Math.abs(left - right) > 12) ++differ;
      }
    }
    const count = half * height;
    done([bright[0] / count, bright[1] / count, differ / count]);
  }))"""
# Degrees between where the head of an avatar points and the headset, in the scene; from the pulled pose.
OFF_DEG = """((i) => {
    const avatar = posewire.avatars[i];
    const skull = avatar.bones[avatar.skull];
    skull.updateWorldMatrix(true, false);
    const e = skull.matrixWorld.elements, { camera } = posewire.stage;
    const way = [0, 1, 2].map((k) => camera.position.getComponent(k) - e[12 + k]);
    const cos = (way[0] * e[8] + way[1] * e[9] + way[2] * e[10]) / Math.hypot(...way);
    return Math.acos(Math.min(1, cos)) * 180 / Math.PI;
  })"""


@unittest.skipUnless(IWER.exists(), "iwer could not be fetched")
class HeadsetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.graph = Server("anim_graph", "--graph", str(GRAPH))
        cls.client = Client(cls.graph.address)
        cls.view = View(cls.graph.address, "--stream-id", "anna", "--stream-id", "ben",
                        "--avatar", "ben=man", "--subdivide")
        cls.browser = Browser()
        cls.tab = cls.browser.open("about:blank")
        cls.tab.do("Page.addScriptToEvaluateOnNewDocument", source=IWER.read_text() + HEADSET)
        cls.tab.size(1200, 600)
        cls.tab.do("Page.navigate", url=f"http://127.0.0.1:{cls.view.http_port}/")
        cls.tab.until("window.posewire && posewire.shown.length === 2 && "
                      "posewire.avatars.every((avatar) => avatar.model && avatar.shownAt)", 30)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        for server in (cls.view, cls.graph):
            server.stop()

    def variable(self, name, stream="anna"):
        reply = self.client.control("ListVariables", stream_id=stream)
        return next(v.value for v in reply.variables if v.name == name)

    def enter(self, kind="vr"):
        self.tab.evaluate("headset.position.set(2, 1.65, 1)")
        self.tab.until(f"!document.getElementById('enter-{kind}').hidden")
        self.tab.evaluate(f"document.getElementById('enter-{kind}').click()", gesture=True)
        self.tab.until("posewire.immersive.placed && posewire.immersive.user.last")

    def leave(self):
        self.tab.evaluate("posewire.immersive.session && posewire.immersive.session.end()")
        self.tab.until("!posewire.immersive.presenting")

    def test_1_two_eyes_see_the_avatars_on_the_floor_in_front(self):
        self.enter()
        self.addCleanup(self.leave)
        self.tab.picture(PICTURES / "headset.png")
        left, right, differ = self.tab.evaluate(EYES)
        self.assertGreater(left, 15)
        self.assertGreater(right, 15)
        self.assertGreater(differ, 0.01)
        # The wearer is in front of the middle of the two, who are at natural size.
        x, y, z = self.tab.evaluate("posewire.stage.camera.position.toArray()")
        self.assertAlmostEqual(x, 0, delta=0.1)
        self.assertAlmostEqual(y, 1.65, 2)
        self.assertAlmostEqual(z, 1.8, delta=0.1)
        self.assertEqual(self.tab.evaluate(
            "posewire.shown.map(({ root }) => [root.position.y, root.scale.y])"), [[0, 1], [0, 1]])
        heights = self.tab.evaluate("posewire.shown.map((avatar) => avatar.eyesAt().y)")
        self.assertTrue(all(1.5 < high < 1.75 for high in heights), heights)

    def test_2_the_avatar_looks_at_the_headset_wherever_it_goes(self):
        self.enter()
        self.addCleanup(self.leave)
        self.assertTrue(until(lambda: self.variable("look") == "user"))
        user = self.tab.evaluate("posewire.immersive.user.last.name")
        self.assertTrue(user.startswith("headset "))
        for x, z in ((0.5, 1), (4, 0.4)):
            self.tab.evaluate(f"headset.position.set({x}, 1.65, {z})")
            self.tab.until(f"posewire.avatars.every((_, i) => {OFF_DEG}(i) < 20)", 10)
        # Each stream gets it in its own space, though the page shows the two next to each other, 0.55 m
        # from the middle. Where they sway at the start moves the middle by a few centimetres.
        middle_x, _, middle_z = self.tab.evaluate("posewire.stage.middle.toArray()")
        for stream, from_middle_m in (("anna", 0.55), ("ben", -0.55)):
            distance_m = math.hypot(middle_x + 2 + from_middle_m, middle_z + 1.8 - 0.6)
            self.assertTrue(until(
                lambda: abs(float(self.variable("nearest_m", stream)) - distance_m) < 0.02), stream)

    def test_3_hands_are_the_users(self):
        self.enter()
        self.addCleanup(self.leave)
        last = "posewire.immersive.user.last"
        self.tab.until(f"{last}.left_hand && {last}.right_hand")
        before = self.tab.evaluate(f"({last}).right_hand")
        self.tab.evaluate("headset.controllers.right.position.x += 0.25")
        self.tab.until(f"Math.abs({last}.right_hand.x - {before['x']} - 0.25) < 0.02")
        # By joints too.
        self.tab.evaluate("headset.primaryInputMode = 'hand'")
        self.tab.evaluate("headset.hands.right.position.y += 0.2")
        self.tab.until(f"posewire.immersive.hands.dots.count > 40 && {last}.right_hand.y > 0.1")
        # A raised hand that goes from side to side is a wave, and the avatar waves back.
        self.tab.evaluate("""(() => {
            const { right } = headset.hands, { y } = headset.position, { x } = right.position;
            const began = performance.now();
            window.waves = setInterval(() => {
              right.position.y = y;
              right.position.x = x + 0.15 * Math.sin((performance.now() - began) / 90);
            }, 10);
          })()""")
        self.assertTrue(until(lambda: self.variable("gesture_state") == "wave", 10))
        # Long strokes at 1.3 m/s: a busy page sees few places of a short one.
        self.tab.evaluate("""(() => {
            clearInterval(waves);
            const { right } = headset.hands, { x } = right.position, began = performance.now();
            window.waves = setInterval(() => {
              const way = (performance.now() - began) * 0.0013 % 4;
              right.position.x = x + Math.abs(way - 2) - 1;
            }, 10);
          })()""")
        self.assertTrue(until(lambda: float(self.variable("activity")) > 0.6, 40))
        self.tab.evaluate("clearInterval(waves)")

    def test_4_props_and_surfaces_are_those_of_the_page(self):
        self.client.control("SetProp", stream_id="anna", prop={
            "name": "cup", "position": {"x": 0.2, "y": 1.2, "z": 0.3}, "shape": "cup"})
        self.enter()
        self.addCleanup(self.leave)
        self.tab.until("[...posewire.stage.things.groups.values()].some((group) => group.children.length)")
        # Without a GPU the page never keeps up with a headset.
        self.tab.evaluate("posewire.stage.keepUp = () => {}")
        self.assertEqual(self.tab.evaluate("posewire.probe().avatars.map((a) => a.subdivided)"), [0, 0])
        self.tab.evaluate("headset.position.set(2.55, 1.65, -0.4)")  # 0.4 m before ben
        self.tab.until("posewire.probe().avatars[1].subdivided === 1", 20)
        self.assertGreater(self.tab.evaluate(EYES)[2], 0.05)
        self.tab.picture(PICTURES / "headset_near.png")
        self.tab.evaluate("posewire.stage.setLevel(2, false)")
        self.tab.until("posewire.probe().avatars[1].subdivided === 0")
        self.tab.evaluate("delete posewire.stage.keepUp")

    def test_5_the_page_is_as_it_was_afterwards(self):
        tab = self.tab
        view = """(() => {
            const { camera, renderer, orbit, levels, scene } = posewire.stage, { width, height } = renderer.domElement;
            return [camera.fov, camera.position.toArray().map((v) => v.toFixed(3)), width, height,
              orbit.enabled, levels.length, posewire.stage.level, Boolean(scene.background),
              document.getElementById('enter-vr').textContent];
          })()"""
        tab.evaluate("posewire.look('body')")
        tab.until("posewire.stage.flight === null")
        # A page that leaves out most has more levels than a headset.
        tab.evaluate("posewire.stage.keepUp = () => {}")
        tab.evaluate("posewire.stage.setLevel(posewire.stage.levels.length - 1, false)")
        before = tab.evaluate(view)
        self.enter()
        self.assertEqual(tab.evaluate("document.getElementById('enter-vr').textContent"), "Leave VR")
        tab.evaluate("document.getElementById('enter-vr').click()")
        tab.until("!posewire.immersive.presenting")
        self.assertEqual(tab.evaluate(view), before)
        self.assertTrue(until(lambda: self.variable("look") == "none"))  # the user has gone
        drawn = tab.evaluate("posewire.draws + posewire.turns")
        tab.until(f"posewire.probe().drawn_fps > 0 && posewire.draws + posewire.turns !== {drawn}")
        # In AR the room is seen behind.
        self.enter("ar")
        self.assertEqual(tab.evaluate("[posewire.stage.scene.background, posewire.stage.ground.visible]"),
                         [None, False])
        self.leave()
        self.assertEqual(tab.evaluate(view), before)
        tab.evaluate("delete posewire.stage.keepUp")
        self.assertEqual(tab.faults, [])

    def test_6_a_session_that_fails_leaves_the_page_as_it_was(self):
        tab = self.tab
        for where in ("XRSession.prototype.updateTargetFrameRate", "posewire.stage.renderer.xr.setSession"):
            tab.evaluate(f"window.kept = {where}; {where} = () => {{ throw new Error('{where} fails'); }}")
            tab.evaluate("document.getElementById('enter-vr').click()", gesture=True)
            tab.until(f"document.getElementById('log').textContent.includes('no VR: {where} fails')")
            tab.until("!posewire.immersive.entering && !posewire.immersive.session")
            self.assertFalse(tab.evaluate("Boolean(posewire.immersive.presenting)"))
            tab.evaluate(f"{where} = window.kept")
        self.enter()
        self.leave()

    def test_7_an_unknown_rate_is_not_taken_for_the_best(self):
        self.tab.evaluate("""for (const name of ["frameRate", "supportedFrameRates"]) {
            Object.defineProperty(XRSession.prototype, name, { get: () => undefined });
          }""")
        self.enter("ar")
        self.addCleanup(self.leave)
        self.assertLess(self.tab.evaluate("posewire.immersive.presenting.rate"), 61)


if __name__ == "__main__":
    unittest.main()
