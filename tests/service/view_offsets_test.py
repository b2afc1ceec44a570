"""renderer_sink view --offsets: a film's character in the page, in headless Chromium.

Pictures are kept in build/view (or $POSEWIRE_PICTURES) to be looked at.
"""

import json
import os
import struct
import tempfile
import unittest
from pathlib import Path

from browser import Browser
from film_offsets import run
from http_client import WebSocket
from posewire_test import Client, Server, until
from view_test import PICTURES, View

CLIPS = ("raise_both_arms", "posture_attentive", "posture_talking")

# Chromium draws in software here; a page that does not know it takes the graphics processor's way.
# It draws only what the test looks at: all that light and its shaders would hold the page up, and a
# page that is held up gets no offsets.
AS_WITH_GPU = """
  const ask = WebGL2RenderingContext.prototype.getParameter;
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    return name === 0x9246 ? "a GPU" : ask.call(this, name);
  };
  const draw = WebGL2RenderingContext.prototype.drawElements;
  WebGL2RenderingContext.prototype.drawElements = function (...what) {
    if (window.draws) draw.apply(this, what);
  };"""

# What the page shows of the offsets, and how far the points of its meshes are from that.
SHOWN = """(() => {
  const { avatar } = posewire, { offsets, model } = avatar;
  const { shown, share } = offsets;
  // What the graphics processor decodes, computed from what it was given.
  const given = (of) => Array.from({ length: offsets.points * 3 }, (_, i) => offsets.slots.reduce(
    (sum, slot) => slot.box ? sum + slot.weight * of(slot, i % 3, (i / 3 | 0) * 4) : sum, 0));
  const values = offsets.decodes ? [...offsets.values] : given(({ codes, box }, c, p) =>
    codes[p + 3] * (box.low[c] + box.step[c] * codes[p + c]));
  const turns = offsets.decodes ? [...offsets.turns] : given(({ ways, box }, c, p) => box.turn * ways[p + c]);
  posewire.stage.render();
  let soft = 0, first = 0;
  const worst = [0, 0];
  for (const body of model.softBodies) {
    if (!body.offsets || !body.mesh.visible) continue;
    ++soft;
    const { base, shaped, targets, attribute } = body.tracks[0], v = body.offsets.values;
    const points = body.skin ? shaped : attribute.array;
    const morphed = base.slice();
    targets.forEach(({ indices, offsets: o }, t) => indices.forEach((p, i) => {
      for (let c = 0; c < 3; ++c) morphed[p + c] += o[i * 3 + c] * body.last[t];
    }));
    for (let i = 0; i < points.length; ++i) {
      worst[0] = Math.max(worst[0], Math.abs(points[i] - morphed[i] - v[i]));
    }
  }
  let attributes = 0;
  for (const mesh of model.fileMeshes) {
    const own = mesh.geometry.attributes.posewireCodesA;
    if (!own) continue;
    ++attributes;
    if (own.array.buffer !== offsets.slots[0].codes.buffer) worst[1] = 1;
  }
  return { a: shown.a.number, b: shown.b.number, t: shown.t, share, soft, attributes, worst,
           values, turns };
})()"""

# How many pixels of 1000 differ when the points and normals of the meshes have the offsets already, and
# when nothing has them: from a picture whose offsets the graphics processor decodes.
PIXELS = """(() => {
  const { stage, avatar } = posewire, { offsets, model } = avatar;
  const canvas = document.createElement("canvas");
  const picture = () => {
    stage.render();
    const { width, height } = Object.assign(canvas, { width: 400, height: 300 });
    const paper = canvas.getContext("2d", { willReadFrequently: true });
    paper.drawImage(stage.renderer.domElement, 0, 0, width, height);
    return paper.getImageData(0, 0, width, height).data;
  };
  const differ = (a, b) => {
    let n = 0;
    for (let i = 0; i < a.length; i += 4) {
      n += Math.max(...[0, 1, 2].map((c) => Math.abs(a[i + c] - b[i + c]))) > 12 ? 1 : 0;
    }
    return n * 4000 / a.length;
  };
  window.draws = true;
  const decoded = picture();
  const before = [];
  let first = 0;
  const meshes = [...offsets.own.keys()];
  for (const mesh of meshes) {
    const { position, normal, posewireCodesA: own } = mesh.geometry.attributes, points = position.count;
    const sum = (of, from) => {
      const copy = new own.constructor(new Float32Array(points * 3), 3);
      for (let p = 0; p < points; ++p) for (let c = 0; c < 3; ++c) {
        copy.array[p * 3 + c] = from.getComponent(p, c) + offsets.slots.reduce((all, slot) =>
          slot.box ? all + slot.weight * of(slot, c, (first + p) * 4) : all, 0);
      }
      return copy;
    };
    before.push([mesh, position, normal]);
    mesh.geometry.setAttribute("position", sum(({ codes, box }, c, p) =>
      codes[p + 3] * (box.low[c] + box.step[c] * codes[p + c]), position));
    mesh.geometry.setAttribute("normal", sum(({ ways, box }, c, p) => box.turn * ways[p + c], normal));
    first += points;
  }
  for (const uniforms of offsets.uniforms) uniforms.posewireWeight.value.fill(0);
  const posed = picture();
  for (const [mesh, position, normal] of before) {
    mesh.geometry.setAttribute("position", position);
    mesh.geometry.setAttribute("normal", normal);
  }
  const plain = picture();
  window.draws = false;
  return [differ(decoded, posed), differ(decoded, plain)];
})()"""


class Message:
    """As docs/view.md says; read without what the page reads it by."""

    def __init__(self, data, points):
        kind, self.avatar, _, self.layout, self.code, self.number, moved = struct.unpack_from("<BBHIdII", data)
        assert kind == 2
        box = struct.unpack_from("<7f", data, 24)
        at = 52
        bits = data[at:at + (points + 31) // 32 * 4]
        places = [p for p in range(points) if bits[p >> 3] >> (p & 7) & 1]
        at += len(bits)
        codes = struct.unpack_from(f"<{3 * moved}H", data, at)
        turns = struct.unpack_from(f"<{3 * moved}b", data, at + 6 * moved)
        assert len(places) == moved and at + 9 * moved == len(data)
        self.offsets = {p: [box[c] + box[3 + c] * codes[3 * k + c] for c in range(3)]
                        for k, p in enumerate(places)}
        self.turns = {p: [box[6] * turns[3 * k + c] for c in range(3)] for k, p in enumerate(places)}
        self.bytes = len(data)


class ViewOffsetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        films = Path(place.name)
        for clip in CLIPS:
            run("animclip", "bake", clip, films / f"{clip}.offsets")
        cls.graph = Server("anim_graph")
        cls.addClassCleanup(cls.graph.stop)
        cls.client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)
        cls.view = View(cls.graph.address, "--stream-id", "anna", "--stream-id", "ben", "--avatar",
                        "ben=man", "--offsets", films)
        cls.addClassCleanup(cls.view.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.client.control("RegisterStream", stream_id="anna")
        cls.client.control("SetVariable", stream_id="anna", name="gesture_state", value="raise_both_arms")

    def open(self, more="", script=""):
        tab = self.browser.open("about:blank")
        if script:
            tab.do("Page.addScriptToEvaluateOnNewDocument", source=script)
        tab.do("Page.navigate", url=f"http://127.0.0.1:{self.view.http_port}/?stream=anna&camera=body{more}")
        tab.size(700, 900)
        tab.until("window.posewire && posewire.avatars.length === 2 && Boolean(posewire.avatars[0].model)", 60)
        # A page that does not keep up leaves out offsets.
        tab.evaluate("posewire.stage.keepUp = () => {}; posewire.stage.setLevel(posewire.stage.software ? 0 : 1)")
        self.addCleanup(tab.do, "Page.close")
        return tab

    def watch(self, avatar=0):
        """Whoever asks gets them: the layout, and the messages by number."""
        socket = WebSocket(self.view.http_port)
        self.addCleanup(socket.close)
        layout = [None]

        def known():
            with socket.changed:
                found = [m for m in socket.others if isinstance(m, dict) and m.get("type") == "layout" and
                         m["avatar"] == avatar]
            layout[0] = found[-1] if found else None
            return layout[0]
        self.assertTrue(until(known))
        socket.send(json.dumps({"offsets": avatar}))
        return socket, layout[0]

    def messages(self, socket):
        with socket.changed:
            return [m for m in socket.others if isinstance(m, bytes) and m[0] == 2]

    def raise_arms(self):
        for value in ("none", "raise_both_arms"):
            self.client.control("SetVariable", stream_id="anna", name="gesture_state", value=value)

    def same(self, tab, socket, points):
        """What the page shows lies between the messages that came, as others read them."""
        shown, by_number = {}, {}

        def both():
            # A page that is held up for long gets none for a while, and has them fade; taking what is
            # shown holds it up.
            tab.until("posewire.avatar.offsets.share === 1", 20)
            shown.update(tab.evaluate(SHOWN))
            by_number.update({struct.unpack_from("<I", m, 16)[0]: m for m in self.messages(socket)})
            if shown["share"] != 1 or shown["a"] not in by_number or shown["b"] not in by_number:
                return False
            # Not while the take rests.
            return len(Message(by_number[shown["a"]], points).offsets) > 1000
        self.assertTrue(until(both, 60))
        a, b = (Message(by_number[shown[k]], points) for k in "ab")
        nothing = [0, 0, 0]
        q = shown["t"]
        worst = 0
        for p in range(points):
            for c in range(3):
                wanted = a.offsets.get(p, nothing)[c] * (1 - q) + b.offsets.get(p, nothing)[c] * q
                worst = max(worst, abs(shown["values"][3 * p + c] - wanted))
                turn = a.turns.get(p, nothing)[c] * (1 - q) + b.turns.get(p, nothing)[c] * q
                worst = max(worst, abs(shown["turns"][3 * p + c] - turn) * 0.01)
        self.assertLess(worst, 2e-7)
        return shown

    def test_1_what_the_server_sends(self):
        socket, layout = self.watch()
        self.assertTrue(until(lambda: len(self.messages(socket)) > 30))
        points = sum(count for _, count in layout["offsets"])
        read = [Message(m, points) for m in self.messages(socket)[-5:]]
        print(f"{points} points, {len(read[-1].offsets)} move, {read[-1].bytes} bytes a frame")
        # Nobody has the man's.
        other, layout = self.watch(avatar=1)
        self.assertEqual(layout["offsets"], [])
        frames = len(other.others)
        self.assertTrue(until(lambda: len(other.others) > frames + 20))
        self.assertEqual(self.messages(other), [])
        # Who asks no more gets none.
        socket.send(json.dumps({"offsets": None}))

        def silent():
            with socket.changed:
                return all(not isinstance(m, bytes) or m[0] == 1 for m in socket.others[-20:])
        self.assertTrue(until(silent))

    def test_2_points_that_the_processor_skins(self):
        socket, layout = self.watch()
        tab = self.open()
        tab.until("posewire.avatar.offsets && posewire.avatar.offsets.share === 1", 30)
        points = sum(count for _, count in layout["offsets"])
        shown = self.same(tab, socket, points)
        self.assertGreater(shown["soft"], 1)
        self.assertEqual(shown["attributes"], 0)
        self.assertLess(shown["worst"][0], 1e-6)
        tab.picture(PICTURES / "film_soft.png")
        self.assertEqual(tab.faults, [])

    def test_3_points_that_the_graphics_processor_skins(self):
        socket, layout = self.watch()
        tab = self.open(script=AS_WITH_GPU)
        self.assertFalse(tab.evaluate("posewire.stage.software"))
        tab.until("posewire.avatar.offsets && posewire.avatar.offsets.share === 1", 30)
        points = sum(count for _, count in layout["offsets"])
        shown = self.same(tab, socket, points)
        self.assertEqual((shown["soft"], shown["attributes"]), (0, len(layout["offsets"])))
        self.assertEqual(shown["worst"][1], 0)
        found = []

        def drawn():  # not while the take rests
            tab.until("posewire.avatar.offsets.share === 1", 20)
            found[:] = tab.evaluate(PIXELS)
            return found[1] > 0.5
        self.assertTrue(until(drawn, 90), found)
        print("pixels of 1000 that differ, decoded by the graphics processor: from the processor's %.2f, "
              "without offsets %.2f" % tuple(found))
        self.assertLess(found[0], 0.1 * found[1])
        tab.evaluate("window.draws = true")
        tab.picture(PICTURES / "film_gpu.png")
        self.assertEqual(tab.faults, [])

    def test_4_others_are_as_they_were(self):
        tab = self.open("&offsets=none")
        frames = tab.evaluate("posewire.avatar.frames")
        tab.until(f"posewire.avatar.frames > {frames} + 30")
        self.assertEqual(tab.evaluate("[posewire.avatar.offsets.share, posewire.avatar.offsets.received]"),
                         [0, 0])
        self.assertIsNone(tab.evaluate("posewire.avatars[1].offsets"))
        tab.picture(PICTURES / "film_none.png")
        self.assertEqual(tab.faults, [])

    def test_5_they_fade_when_another_is_chosen_and_come_back(self):
        tab = self.open()
        tab.until("posewire.avatar.offsets && posewire.avatar.offsets.share === 1", 30)
        tab.evaluate("posewire.choose(1)")
        tab.until("posewire.avatars[0].offsets.share === 0")
        self.assertEqual(tab.evaluate("""(() => {
          const { values } = posewire.avatars[0].offsets;
          return values.every((v) => v === 0);
        })()"""), True)
        tab.evaluate("posewire.choose(0)")
        tab.until("posewire.avatars[0].offsets.share === 1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
