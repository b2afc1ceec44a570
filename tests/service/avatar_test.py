"""Foreign avatars on the page of renderer_sink view, in headless Chromium.

Pictures are kept in build/view (or $POSEWIRE_PICTURES) to be looked at.
"""

import math
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from browser import Browser
from packed import draco, meshopt
from posewire_test import BIN, Client, Server, header
from small_person import BONES, glb, parts, small_person
from view_test import FLAGS, PICTURES, STREAM, View
from x3d_person import small_humanoid

ROOT = Path(__file__).resolve().parents[2]


class OwnAvatarTest(unittest.TestCase):
    """A humanoid whose bones rest in axes of their own."""

    KIND, SUFFIX, YAW = "vrm1", ".vrm", None

    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.file = tempfile.NamedTemporaryFile(suffix=cls.SUFFIX)
        cls.file.write(small_person(cls.KIND, cls.YAW))
        cls.file.flush()
        cls.graph = Server("anim_graph", *FLAGS)
        cls.client = Client(cls.graph.address)
        cls.view = View(cls.graph.address, "--stream-id", STREAM, "--avatar", cls.file.name)
        cls.browser = Browser()
        cls.tab = cls.browser.open(f"http://127.0.0.1:{cls.view.http_port}/")
        cls.tab.size(1000, 640)
        cls.tab.until("window.posewire && posewire.probe().avatars[0]?.model", 30)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.client.close()
        cls.view.stop()
        cls.graph.stop()
        cls.file.close()

    def test_a_waving_arm_points_where_that_of_the_stream_points(self):
        # The other hand lies on the body, where contacts.js puts it.
        self.client.control("SetGesture", stream_id=STREAM, gesture="wave")
        self.tab.until("""(() => {
            const a = posewire.avatars[0], j = (n) => a.place(n);
            return a.layout && j("RightHand")[1] > j("RightUpperArm")[1];
          })()""")
        limbs = self.tab.evaluate("""(() => {
            const avatar = posewire.avatars[0], model = avatar.model;
            avatar.root.updateMatrixWorld(true);
            const place = (bone) => bone.matrixWorld.elements.slice(12, 15);
            const mine = (name) => model.humanoid.find(({ j }) => avatar.layout.joints[j] === name).bone;
            const way = (a, b) => {
              const d = b.map((v, i) => v - a[i]), n = Math.hypot(...d);
              return d.map((v) => v / n);
            };
            return [["RightUpperArm", "RightLowerArm"], ["RightLowerArm", "RightHand"]].map(
              ([a, b]) =>
              [a, way(place(mine(a)), place(mine(b))), way(avatar.place(a), avatar.place(b))]);
          })()""")
        self.assertEqual(len(limbs), 2)
        for name, mine, wanted in limbs:
            angle = math.degrees(math.acos(min(1, sum(a * b for a, b in zip(mine, wanted)))))
            self.assertLess(angle, 2, f"{name} points {angle} degrees away")
        self.tab.picture(PICTURES / f"{type(self).__name__}.png")

    def test_it_blinks_by_its_expression_and_opens_its_jaw_by_name(self):
        m = header(self.client, STREAM, "face", rate=0, shapes=["jawOpen", "eyeBlinkLeft"], joints=[])
        messages = [m]
        for k in range(60):
            m = self.client.stream_message()
            m.animation_data.skel_animation.blend_shape_weights.add(
                time_code=k / 30).values.extend([0.7, 0.9])
            messages.append(m)
        self.client.push(messages)
        influences = "posewire.avatars[0].model.shapes.morphs[0].influences"
        self.tab.until(f"{influences}[1] > 0.6 && {influences}[0] > 0.8")
        note = self.tab.evaluate("posewire.avatars[0].model.note")
        self.assertIn("shapes are not in the model", note)
        self.assertNotIn("jawOpen", note)
        self.assertNotIn("eyeBlinkLeft", note)
        self.assertIn("joints move nothing", note)
        self.assertIn("LeftLittleProximal", note)
        self.assertEqual(self.tab.faults, [])

    def test_its_hips_stand_where_its_own_legs_carry_them(self):
        high = self.tab.evaluate("""(() => {
            const avatar = posewire.avatars[0], { hips } = avatar.model;
            avatar.root.updateMatrixWorld(true);
            const e = hips.bone.matrixWorld.elements;
            return [e[13], Math.hypot(e[12] - avatar.root.position.x, e[14])];
          })()""")
        self.assertAlmostEqual(high[0], 1.0, delta=0.1)
        self.assertLess(high[1], 0.15)


class OldVrmTest(OwnAvatarTest):
    """VRM 0.x looks the other way, and names shapes in other words."""

    KIND = "vrm0"


class MixamoTest(OwnAvatarTest):
    """No extension: bones by Mixamo's names, in centimetres, and shapes with _L."""

    KIND, SUFFIX = "mixamo", ".glb"


class TurnedTest(OwnAvatarTest):
    """Nothing but its joints tells that it looks along -Z."""

    KIND, SUFFIX, YAW = "mixamo", ".glb", math.pi


class AskewTest(OwnAvatarTest):
    """It looks neither along an axis nor as its version of VRM says."""

    KIND, YAW = "vrm0", 0.7


# Heights of the picture at which the model's head begins and ends, 0 at its lower edge and 1 at its
# upper; `low` and `high` are the head's own, in metres.
HEAD_IN_VIEW = """(() => {
  const { stage, avatars: [avatar] } = posewire;
  const x = avatar.root.position.x, at = stage.camera.position.clone();
  stage.flight.began = -1e6;
  stage.step();
  return [%g, %g].map((y) => (at.set(x, y, 0).project(stage.camera).y + 1) / 2);
})()"""
# How far the colour at a place of the room is from that of the picture's corner, of 255, and how
# light it is.
COLOUR = """(() => {
  const { stage, avatars: [avatar] } = posewire, gl = stage.renderer.getContext();
  stage.render();
  const at = stage.camera.position.clone().set(avatar.root.position.x, %g, 0).project(stage.camera);
  const pixel = (x, y) => {
    const out = new Uint8Array(4);
    gl.readPixels(x * gl.drawingBufferWidth, y * gl.drawingBufferHeight, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return out;
  };
  const here = pixel((at.x + 1) / 2, (at.y + 1) / 2), corner = pixel(0.02, 0.98);
  return [Math.max(...[0, 1, 2].map((k) => Math.abs(here[k] - corner[k]))), Math.max(...here.slice(0, 3))];
})()"""


# The colour at a height of the avatar's middle.
PIXEL = """(() => {
  const { stage, avatars: [avatar] } = posewire, gl = stage.renderer.getContext();
  stage.render();
  const at = stage.camera.position.clone().set(avatar.root.position.x, %g, 0).project(stage.camera);
  const out = new Uint8Array(4);
  gl.readPixels((at.x + 1) / 2 * gl.drawingBufferWidth, (at.y + 1) / 2 * gl.drawingBufferHeight, 1, 1,
    gl.RGBA, gl.UNSIGNED_BYTE, out);
  return [...out.slice(0, 3)];
})()"""


def half_size(data):
    """The same person, half as high."""
    document, body = parts(data)
    document["nodes"].append({"name": "Small", "scale": [0.5] * 3, "children": [0]})
    document["scenes"][0]["nodes"][0] = len(document["nodes"]) - 1
    return glb(document, body)


def nameless(data):
    document, body = parts(data)
    for i, node in enumerate(document["nodes"]):
        node["name"] = f"thing{chr(97 + i)}"
    return glb(document, body)


def png(colour):
    """One pixel."""
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body +
                struct.pack(">I", zlib.crc32(kind + body)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0" + bytes(colour))) + chunk(b"IEND", b""))


def painted(data, colour):
    """White, with a picture of one colour, and with normals that point up."""
    document, body = parts(data)
    document["bufferViews"] += [{"buffer": 0, "byteOffset": len(body), "byteLength": len(png(colour))}]
    body += png(colour) + b"\0" * (-len(png(colour)) % 4)
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    points = document["accessors"][attributes["POSITION"]]["count"]
    document["bufferViews"] += [{"buffer": 0, "byteOffset": len(body), "byteLength": 12 * points}]
    body += struct.pack("<3f", 0, 1, 0) * points
    attributes["NORMAL"] = len(document["accessors"])
    attributes["TEXCOORD_0"] = attributes["NORMAL"] + 1
    document["accessors"] += [
        {"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "type": "VEC3",
         "count": points},
        {"componentType": 5126, "type": "VEC2", "count": points}]  # all 0
    document["images"] = [{"mimeType": "image/png", "bufferView": len(document["bufferViews"]) - 2}]
    document["textures"] = [{"source": 0}]
    document["buffers"][0]["byteLength"] = len(body)
    document["materials"][0]["pbrMetallicRoughness"] = {
        "baseColorTexture": {"index": 0}, "metallicFactor": 0}
    return glb(document, body)


def needs(data, extension):
    document, body = parts(data)
    document["extensionsRequired"] = [extension]
    return glb(document, body)


class FileTest(unittest.TestCase):
    """Files of many kinds, and what the page says of them."""

    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.graph = Server("anim_graph", *FLAGS)
        cls.client = Client(cls.graph.address)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.client.close()
        cls.graph.stop()

    def show(self, data, *args):
        with tempfile.NamedTemporaryFile(suffix=".glb") as file:
            file.write(data)
            file.flush()
            view = View(self.graph.address, "--stream-id", STREAM, "--avatar", file.name, *args)
        self.addCleanup(view.stop)
        tab = self.browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.size(1000, 640)
        tab.until("window.posewire && posewire.probe().avatars[0]?.at && "
                  "!posewire.avatars[0].modelToCome", 30)
        return tab

    def says(self, tab, *words):
        state = tab.evaluate("document.getElementById('state').textContent")
        for word in words:
            self.assertIn(word, state)
        self.assertIn(state, tab.evaluate("document.getElementById('log').textContent"))

    def test_packed_files_are_shown_as_plain_ones(self):
        points = "[...posewire.avatars[0].model.softBodies[0].tracks[0].base]"
        for kind in ("vrm1", "mixamo"):
            data = small_person(kind)
            plain = self.show(data).evaluate(points)
            self.assertEqual(len(plain), 135 * 3)
            for pack in (meshopt, draco):
                tab = self.show(pack(data))
                self.assertTrue(tab.evaluate("Boolean(posewire.avatars[0].model)"), pack.__name__)
                self.assertEqual(tab.evaluate(points), plain, pack.__name__)
                self.assertEqual(tab.evaluate("document.getElementById('state').textContent"), "")
                self.assertEqual(tab.faults, [])
                tab.picture(PICTURES / f"{pack.__name__}.png")

    def test_what_cannot_be_unpacked_is_named_with_what_helps(self):
        tab = self.show(needs(small_person("vrm1"), "KHR_texture_basisu"))
        self.says(tab, "cannot be shown", "KHR_texture_basisu", "write them as PNG")
        self.assertFalse(tab.evaluate("Boolean(posewire.avatars[0].model)"))
        self.assertEqual(tab.faults, [])

    def test_a_broken_draco_mesh_is_told_as_such(self):
        data = draco(small_person("vrm1")).replace(b"DRACO", b"DRACA")
        tab = self.show(data)
        self.says(tab, "cannot be shown")
        self.assertNotIn("undefined", tab.evaluate("document.getElementById('state').textContent"))

    def test_a_file_without_a_skin_is_shown_as_it_stands(self):
        for name, data, words in (
                ("bones", small_person("vrm1", skin=False), ["no mesh of its file has a skin"]),
                ("no_bones", nameless(small_person("mixamo", skin=False)), ["has no skin and no bones"])):
            tab = self.show(data)
            self.says(tab, "does not move", *words)
            self.assertIn("No joint moves the avatar", tab.evaluate("posewire.avatars[0].model.note"))
            tab.evaluate("posewire.look('body'); posewire.stage.flight.began = -1e6")
            far, light = tab.evaluate(COLOUR % 1.7)
            self.assertGreater(far, 30, f"{name}: nothing is there")
            self.assertGreater(light, 60, f"{name}: it is black")
            tab.picture(PICTURES / f"no_skin_{name}.png")
            self.assertEqual(tab.faults, [])

    def test_pictures_and_both_sides_are_lit_as_cheaply_as_plain_colours(self):
        tab = self.show(painted(small_person("vrm1"), (200, 60, 20)))
        material = tab.evaluate("""(() => {
            const { type, side, defines } = posewire.avatars[0].model.softBodies[0].mesh.material;
            return [type, side, Object.keys(defines || {})];
          })()""")
        self.assertEqual(material, ["ShaderMaterial", 2, ["BOTH_SIDES", "MAPPED"]])
        tab.evaluate("posewire.look('face'); posewire.stage.flight.began = -1e6")
        r, g, b = tab.evaluate(PIXEL % 1.75)
        tab.picture(PICTURES / "painted.png")
        self.assertGreater(r, 60)
        self.assertAlmostEqual(g / r, 60 / 200, delta=0.1)
        self.assertAlmostEqual(b / r, 20 / 200, delta=0.1)
        self.assertEqual(tab.faults, [])

    def test_a_skin_of_unknown_bones_is_told_their_names(self):
        tab = self.show(nameless(small_person("mixamo")))
        self.says(tab, "0 bones of its file are known", '"thinga", "thingb", "thingc" and others')

    def test_a_skin_without_names_follows_a_stream_of_its_own_joints(self):
        """A field case: a skin of two joints, called node_1 and node_2 by the clip of its file."""
        file = ROOT / "tests/field/22-gltf-simple-skin/simple_skin.gltf"
        view = View("none", "--listen", "127.0.0.1:0", "--stream-id", "tube", "--avatar", str(file))
        self.addCleanup(view.stop)
        tab = self.browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.size(1000, 640)
        pushed = subprocess.Popen(
            [os.path.join(BIN, "a2f_source"), "play", str(file), "--rig", "none", "--to", view.address,
             "--stream-id", "tube"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(pushed.stderr.close)
        self.addCleanup(pushed.wait)
        self.addCleanup(pushed.kill)
        tab.until("window.posewire && posewire.avatars[0]?.model?.bones.length === 2", 30)
        tab.until("Math.abs(posewire.avatars[0].model.byName.get('node_2').quaternion.z) > 0.3", 30)
        self.assertEqual(tab.faults, [])

    def test_an_avatar_that_cannot_follow_the_rig_asked_for_is_told(self):
        tab = self.show(small_person("vrm1"), "--rig", "hanim_loa3")
        self.says(tab, "cannot be shown", "hanim_loa3", "without --rig")

    def test_the_camera_finds_the_head(self):
        person, child = small_person("vrm1"), half_size(small_person("vrm1"))
        for name, data, chin, top in (("vrm", person, 1.6, 1.85), ("child", child, 0.8, 0.925),
                                      ("names", small_person("mixamo"), 1.6, 1.85),
                                      ("unknown", nameless(small_person("mixamo")), 1.6, 1.85)):
            tab = self.show(data)
            for preset, least in (("face", 0.3), ("bust", 0.15), ("body", 0.05)):
                tab.evaluate(f"posewire.look('{preset}')")
                low, high = tab.evaluate(HEAD_IN_VIEW % (chin, top))
                self.assertGreater(low, 0.1, f"{name} {preset}")
                self.assertLess(high, 0.95, f"{name} {preset}")
                self.assertGreater(high - low, least, f"{name} {preset}")
                if preset == "face":
                    tab.picture(PICTURES / f"face_{name}.png")

    def test_mouth_close_is_said_as_the_mesh_means_it(self):
        weights = """(() => {
            const { influences } = posewire.avatars[0].model.shapes.morphs[0];
            return [influences[1], influences[2]];
          })()"""
        for ace_mouth, wanted in ((False, [0.7, 0.3]), (True, [0.4, 0.3])):
            tab = self.show(small_person("vrm1", ace_mouth=ace_mouth))
            messages = [header(self.client, STREAM, f"mouth {ace_mouth}", rate=0,
                               shapes=["jawOpen", "mouthClose"], joints=[])]
            for k in range(90):
                m = self.client.stream_message()
                m.animation_data.skel_animation.blend_shape_weights.add(
                    time_code=k / 30).values.extend([0.4, 0.3])
                messages.append(m)
            self.client.push(messages)
            tab.until(f"{weights}.every((w, i) => Math.abs(w - {wanted}[i]) < 0.02)")


class SeveralTest(unittest.TestCase):
    """Each stream has a character of its own."""

    def test_each_stream_is_shown_by_its_own_file_on_the_rig_that_fits_it(self):
        PICTURES.mkdir(parents=True, exist_ok=True)
        graph = Server("anim_graph", *FLAGS)
        self.addCleanup(graph.stop)
        with tempfile.NamedTemporaryFile(suffix=".vrm") as file:
            file.write(small_person("vrm1", None))
            file.flush()
            view = View(graph.address, "--stream-id", "a", "--stream-id", "b", "--stream-id", "c",
                        "--avatar", f"b={file.name}", "--avatar", f"c={file.name}")
        self.addCleanup(view.stop)
        browser = Browser()
        self.addCleanup(browser.close)
        tab = browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.size(1000, 640)
        tab.until("window.posewire && posewire.avatars.length === 3 && "
                  "posewire.avatars.every((a) => a.layout && a.url !== null && !a.modelToCome)", 30)
        a, b, c = tab.evaluate("posewire.avatars.map((a) => [a.layout.rig, a.url])")
        self.assertEqual([a[0], b[0], c[0]], ["hanim_loa3", "vrm", "vrm"])
        self.assertNotEqual(a[1], b[1])
        self.assertEqual(b[1], c[1], "what is shown twice is loaded once")
        self.assertEqual(tab.evaluate("posewire.avatars.slice(1).map((a) => a.model.humanoid.length)"),
                         [len(BONES), len(BONES)])
        self.assertEqual(tab.evaluate("posewire.avatars.map((a) => a.trouble)"), ["", "", ""])
        tab.picture(PICTURES / "several.png")
        self.assertEqual(tab.faults, [])


class ForeignFileTest(unittest.TestCase):
    """What browsers do not read comes to the page as GLB: a humanoid of X3D."""

    def test_an_x3d_humanoid_moves_with_limbs_of_its_own(self):
        with tempfile.NamedTemporaryFile(suffix=".x3d") as file:
            file.write(small_humanoid().encode())
            file.flush()
            graph = Server("anim_graph", *FLAGS)
            self.addCleanup(graph.stop)
            view = View(graph.address, "--stream-id", STREAM, "--avatar", file.name)
            self.addCleanup(view.stop)
        browser = Browser()
        self.addCleanup(browser.close)
        tab = browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.until("window.posewire && posewire.probe().avatars[0]?.at && "
                  "Boolean(posewire.avatars[0].model)", 30)
        # Its shoulders are 25 cm from the middle, and the rig's 20.
        tab.until("Boolean(posewire.avatars[0].model.byName.get('l_shoulder'))")
        x = tab.evaluate("posewire.avatars[0].model.byName.get('l_shoulder').position.x")
        self.assertAlmostEqual(x, 0.25, 2)
        tab.picture(PICTURES / "x3d.png")
        self.assertEqual(tab.faults, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
