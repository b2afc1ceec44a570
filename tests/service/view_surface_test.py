"""renderer_sink view --subdivide: refined surfaces in the page, in headless Chromium.

Pictures are kept in build/view (or $POSEWIRE_PICTURES) to be looked at.
"""

import base64
import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from browser import Browser
from film_offsets import run
from http_client import Http
from packed import meshopt
from posewire_test import BIN, Client, Server
from small_person import small_person
from view_offsets_test import AS_WITH_GPU
from view_test import PICTURES, View
from x3d_person import small_humanoid

TOOL = os.path.join(BIN, "..", "tests", "character_points")
# Sums of floats in another order.
MOST_APART_M = 1e-5

# The pose of the moment, and the points that are drawn in it. Hair swings, which a pose does not say.
DRAWN = """(() => {
  const avatar = posewire.avatars[0], { model, layout, pose } = avatar;
  avatar.pausedAt = avatar.shownAt;
  posewire.stage.render();
  const text = (array) => {
    let bytes = "";
    for (const byte of new Uint8Array(Float32Array.from(array).buffer)) bytes += String.fromCharCode(byte);
    return btoa(bytes);
  };
  const parts = model.surface.parts.map(({ mesh, drawn }) => {
    const { position, normal } = mesh.geometry.attributes;
    return { name: mesh.name, visible: mesh.visible, cage: drawn.visible, points: text(position.array), normals: text(normal.array) };
  });
  avatar.pausedAt = null;
  return { joints: layout.joints, shapes: layout.shapes, rest: layout.rest, q: [...pose.rotations],
           t: [...pose.translations], weights: [...pose.weights], parts };
})()"""

# Of the avatar's meshes that are drawn.
TRIANGLES = """(() => {
  let sum = 0;
  posewire.avatar.root.traverseVisible(({ isMesh, geometry }) => { if (isMesh && geometry.index) sum += geometry.index.count / 3; });
  return sum;
})()"""


def floats(text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 4}f", data)


def times(a, b):
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


def as_words(shown):
    """The pose, as character_points reads it."""
    words = []
    for j, joint in enumerate(shown["joints"]):
        rest, t = shown["rest"][7 * j:7 * j + 7], shown["t"][3 * j:3 * j + 3]
        back = (rest[3], -rest[4], -rest[5], -rest[6])
        words += ["turn", joint, *times(back, shown["q"][4 * j:4 * j + 4])]
        if max(abs(a - b) for a, b in zip(t, rest)) > 1e-6:
            words += ["move", joint, *(a - b for a, b in zip(t, rest))]
    for shape, weight in zip(shown["shapes"], shown["weights"]):
        if weight:
            words += ["shape", shape, weight]
    return " ".join(str(word) for word in words)


class ViewSurfaceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        films = Path(place.name)
        run("animclip", "bake", "raise_both_arms", films / "raise_both_arms.offsets")
        cls.graph = Server("anim_graph")
        cls.addClassCleanup(cls.graph.stop)
        cls.client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)
        cls.view = View(cls.graph.address, "--stream-id", "anna", "--subdivide", "--offsets", films)
        cls.addClassCleanup(cls.view.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.client.control("RegisterStream", stream_id="anna")

    def open(self, more="", script=""):
        tab = self.browser.open("about:blank")
        if script:
            tab.do("Page.addScriptToEvaluateOnNewDocument", source=script)
        tab.do("Page.navigate", url=f"http://127.0.0.1:{self.view.http_port}/?stream=anna&stage{more}")
        tab.size(900, 1200)
        tab.until("window.posewire && posewire.avatars.length === 1 && Boolean(posewire.avatars[0].model)", 60)
        # Resolution does not change under a test's eyes.
        tab.evaluate("posewire.stage.keepUp = () => {}; posewire.stage.setLevel(posewire.stage.software ? 0 : 1)")
        self.addCleanup(tab.do, "Page.close")
        return tab

    def raise_arms(self, tab):
        for value in ("none", "raise_both_arms"):
            self.client.control("SetVariable", stream_id="anna", name="gesture_state", value=value)
        tab.until("posewire.probe().avatars[0].wrist[1] > 1.4", 30)

    def compare(self, tab):
        """What the page draws is what films draw of the same pose."""
        tab.until("posewire.probe().avatars[0].subdivided === 1", 60)
        self.raise_arms(tab)
        shown = tab.evaluate(DRAWN)
        made = subprocess.run([TOOL, "woman", "refined"], input=as_words(shown), capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(made.stderr, "")
        wanted = [mesh for mesh in json.loads(made.stdout)["poses"][0] if mesh]
        self.assertEqual(len(wanted), len(shown["parts"]))
        compared = most = 0
        for mesh, part in zip(wanted, shown["parts"]):
            self.assertEqual([part["visible"], part["cage"]], [True, False], part["name"])
            points, normals = floats(part["points"]), floats(part["normals"])
            self.assertEqual(len(points), 3 * len(mesh), part["name"])
            self.assertLess(max(abs(sum(n * n for n in normals[i:i + 3]) - 1) for i in range(0, len(normals), 3)), 1e-4)
            if part["name"].startswith("hair"):
                continue
            worst = max(abs(points[3 * i + c] - place[c]) for i, place in enumerate(mesh) for c in range(3))
            most = max(most, worst)
            self.assertLess(worst, MOST_APART_M, part["name"])
            compared += len(mesh)
        self.assertGreater(compared, 40000)
        print(f"{compared} points, at most {1000 * most:.3f} mm apart")
        self.assertEqual(tab.faults, [])

    def test_1_points_are_those_of_films(self):
        tab = self.open("&camera=body&offsets=none")
        self.compare(tab)
        tab.picture(PICTURES / "subdivided_body.png")
        tab.evaluate("posewire.look('face')")
        tab.picture(PICTURES / "subdivided_face.png")

    def test_2_points_are_those_of_films_where_the_graphics_processor_skins(self):
        tab = self.open("&camera=body&offsets=none", script=AS_WITH_GPU)
        self.assertFalse(tab.evaluate("posewire.stage.software"))
        self.compare(tab)

    def test_3_an_avatar_far_away_is_drawn_by_its_file(self):
        tab = self.open("&camera=face&offsets=none")
        subdivided = "posewire.probe().avatars[0].subdivided"
        tab.until(f"{subdivided} === 1", 60)
        near = tab.evaluate(TRIANGLES)
        # The camera goes away, and the surface becomes the file's by and by.
        tab.evaluate("""(() => {
          window.shares = [];
          const { stage } = posewire, draw = stage.draw;
          stage.draw = function () { draw.call(this); shares.push(posewire.probe().avatars[0].subdivided); };
          stage.turn(0, 0, 1 / 40);
        })()""")
        tab.until(f"{subdivided} === 0")
        self.assertLess(tab.evaluate("posewire.probe().avatars[0].pixels"), 600)
        shares = tab.evaluate("shares")
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertGreater(len({share for share in shares if 0 < share < 1}), 2)
        self.assertGreater(near, 3 * tab.evaluate(TRIANGLES))
        tab.evaluate("posewire.look('face')")
        tab.until(f"{subdivided} === 1")
        self.assertEqual(tab.faults, [])

    def test_4_a_small_one_gets_no_offsets(self):
        tab = self.open("&camera=face")
        tab.until("posewire.avatar.offsets && posewire.avatar.offsets.share === 1", 60)
        tab.evaluate("posewire.stage.setLevel(0); posewire.resize(); posewire.look('body')")
        tab.size(300, 120)
        tab.until("posewire.avatar.offsets.share === 0 && posewire.offsetsWish.index === null")
        tab.size(900, 1200)
        tab.until("posewire.avatar.offsets.share === 1", 60)

    def test_5_offsets_move_the_surface(self):
        for script in ("", AS_WITH_GPU):
            tab = self.open("&camera=body", script)
            tab.until("posewire.avatar.offsets && posewire.avatar.offsets.share === 1 &&"
                      " posewire.probe().avatars[0].subdivided === 1", 60)
            self.raise_arms(tab)
            tab.until("posewire.avatar.offsets.values.some((v) => Math.abs(v) > 0.003)", 30)
            moved = tab.evaluate("""(() => {
              const { model } = posewire.avatar, { surface, offsets } = model;
              const points = () => { surface.pose(); return surface.points.slice(); };
              const a = points();
              const own = surface.sources.map(({ posed }) => posed.offsets);
              for (const { posed } of surface.sources) [posed.offsets, posed.stirred] = [null, true];
              const b = points();
              surface.sources.forEach(({ posed }, i) => { [posed.offsets, posed.stirred] = [own[i], true]; });
              const c = points();
              let far = 0, back = 0;
              a.forEach((v, i) => { far = Math.max(far, Math.abs(v - b[i])); back = Math.max(back, Math.abs(v - c[i])); });
              return [far, back, own.every((one) => one && one.values.buffer === offsets.values.buffer)];
            })()""")
            self.assertGreater(moved[0], 0.002)
            self.assertLess(moved[1], 1e-6)
            self.assertTrue(moved[2])
            self.assertEqual(tab.faults, [])

    def test_6_another_hair_has_a_surface_of_its_own(self):
        tab = self.open("&camera=face&offsets=none&look=hair=bob")
        tab.until("posewire.probe().avatars[0].subdivided === 1", 60)
        hair = "posewire.avatar.model.surface.parts.map(({ mesh }) => mesh.name).filter((name) => /^hair/.test(name)).join()"
        self.assertEqual(tab.evaluate(hair), "hair_bob")
        tab.picture(PICTURES / "subdivided_bob.png")
        tab.evaluate("posewire.avatar.wear({ hair: 'ponytail' })")
        tab.until(f"posewire.probe().avatars[0].subdivided === 1 && {hair} === 'hair_tail'", 30)
        self.assertEqual(tab.evaluate("posewire.avatar.root.children.filter(({ name, visible }) =>"
                                      " visible && name === 'hair_bob').length"), 0)
        self.assertEqual(tab.faults, [])

    def test_7_a_slow_page_leaves_out_the_surface_and_then_offsets(self):
        tab = self.open("&camera=face")
        tab.until("posewire.avatar.offsets && posewire.avatar.offsets.share === 1 &&"
                  " posewire.probe().avatars[0].subdivided === 1", 60)
        seen = tab.evaluate("""(() => {
          const { stage } = posewire, seen = [];
          for (let level = -1; level !== stage.level;) {
            level = stage.level;
            seen.push([stage.ratio, stage.left]);
            stage.setLevel(stage.nextLevel(1), false);
          }
          return seen;
        })()""")
        self.assertEqual(sorted({left for _, left in seen}), [0, 1, 2])
        self.assertEqual([left for _, left in seen], sorted(left for _, left in seen))
        self.assertEqual({ratio for ratio, left in seen if left}, {0.8})
        tab.until("posewire.probe().avatars[0].subdivided === 0 && posewire.avatar.offsets.share === 0")
        tab.evaluate("posewire.stage.setLevel(0, true)")
        tab.until("posewire.probe().avatars[0].subdivided === 1 && posewire.avatar.offsets.share === 1", 30)

    def test_8_surfaces_are_served_by_look(self):
        def get(look):
            status, _, body = Http(self.view.http_port).raw("GET", f"/characters/0.surface?look={look}")
            return status, body
        usual, dark, other = get(""), get("skin=dark"), get("hair=bob")
        self.assertEqual([status for status, _ in (usual, dark, other)], [200, 200, 200])
        self.assertEqual(usual, dark)
        self.assertNotEqual(usual, other)
        self.assertEqual([get(look)[0] for look in ("hair=green", "hair", "%00")], [400, 400, 400])
        print(f"a surface has {len(zlib.decompress(usual[1])) / 1e6:.1f} MB, {len(usual[1]) / 1e6:.1f} as it is sent")

    def test_9_characters_of_any_format_have_a_surface(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        files = {"vrm": ("a.vrm", small_person("vrm1")), "glb": ("a.glb", small_person("mixamo")),
                 "packed": ("b.glb", meshopt(small_person("mixamo"))), "x3d": ("a.x3d", small_humanoid().encode())}
        flags = []
        for stream, (name, data) in files.items():
            (Path(place.name) / name).write_bytes(data)
            flags += ["--stream-id", stream, "--avatar", f"{stream}={Path(place.name) / name}"]
            self.client.control("RegisterStream", stream_id=stream)
        view = View(self.graph.address, "--subdivide", *flags)
        self.addCleanup(view.stop)
        tab = self.browser.open(f"http://127.0.0.1:{view.http_port}/?camera=body&stage")
        self.addCleanup(tab.do, "Page.close")
        tab.size(1600, 700)
        tab.until("window.posewire && posewire.avatars.filter((avatar) => avatar.model).length === 4", 60)
        tab.evaluate("for (const avatar of posewire.avatars) avatar.chooseDetail = function () { this.detail.fine = true; }")
        tab.until("posewire.probe().avatars.every(({ subdivided }) => subdivided === 1)", 30)
        for stream, fine, off in tab.evaluate("""(() => {
          posewire.stage.render();
          return posewire.avatars.map(({ model: { surface, scene }, name }) => {
            const boxes = surface.parts.map(({ mesh, drawn }) => [mesh, drawn].map(({ geometry }) => {
              geometry.computeBoundingBox();
              return geometry.boundingBox;
            }));
            const off = boxes.map(([fine, cage]) => Math.max(...["x", "y", "z"].map((c) =>
              Math.max(cage.min[c] - fine.min[c], fine.max[c] - cage.max[c]))));
            return [name, surface.surface.fine, Math.max(...off)];
          });
        })()"""):
            with self.subTest(stream):
                self.assertGreater(fine, 100)
                # Nothing of a surface is outside the box round its cage.
                self.assertLess(off, 1e-4)
        tab.picture(PICTURES / "subdivided_formats.png")
        self.assertEqual(tab.faults, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
