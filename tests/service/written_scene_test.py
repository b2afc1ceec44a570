"""Scenes with the surfaces of their characters, written by animclip export and convert: two people, a
table, a cup and a camera. Khronos' validator and three.js read them. Pictures are kept in
build/export (or $POSEWIRE_PICTURES) to be looked at."""

import base64
import functools
import http.server
import json
import math
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import unittest
import wave
from pathlib import Path

from browser import Browser
from fit_test import MODULES, ROOT, run
from glb_scene import GlbScene
from posewire_test import BIN
from render_test import png_pixels

SCENES = ROOT / "tests/data/scenes"
PICTURES = Path(os.environ.get("POSEWIRE_PICTURES", ROOT / "build/export"))
THREE = Path(BIN).parent / "services/renderer_sink/view/bundle/node_modules/three"
TIMES = (0, 0.4, 0.93, 1.5, 2)
JOINTS = ("skullbase", "l_wrist", "r_wrist", "r_elbow", "l_ankle")
SIZE = 640, 360
AT_S = 1
DRAWS_S = 120  # without a GPU, on a busy machine

# Draws the file at a time by the camera in it; `covered` in one colour. Places of nodes are pixels.
PAGE = """<!doctype html><style>body { margin: 0 }</style>
<script type="importmap">{"imports": {"three": "/three/build/three.module.js",
  "three/addons/": "/three/examples/jsm/"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
const width = %d, height = %d;
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true, antialias: true });
renderer.setSize(width, height);
document.body.append(renderer.domElement);
const scene = new THREE.Scene();
scene.add(new THREE.HemisphereLight("#dfe6f2", "#6b6560", 2));
const key = new THREE.DirectionalLight("#fff1e0", 2);
key.position.set(-2, 3, 3);
scene.add(key);
window.show = async (file, time) => {
  const gltf = await new GLTFLoader().loadAsync(file);
  scene.add(gltf.scene);
  gltf.scene.traverse((o) => { o.frustumCulled = false; });
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  mixer.setTime(time);
  const camera = gltf.cameras[0];
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  scene.updateMatrixWorld(true);
  window.draw = (covered) => {
    scene.background = new THREE.Color(covered ? "#000000" : "#c9d3df");
    scene.overrideMaterial = covered ? new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }) : null;
    renderer.render(scene, camera);
    return renderer.domElement.toDataURL("image/png");
  };
  window.place = (index) => {
    let node = null;
    gltf.scene.traverse((o) => {
      if (gltf.parser.associations.get(o)?.nodes === index) node = node ?? o;
    });
    const at = new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).project(camera);
    return [(at.x + 1) / 2 * width, (1 - at.y) / 2 * height];
  };
  return true;
};
window.ready = true;
</script>""" % SIZE


def props(*all_of_them):
    """posewire.scene.v1.Props."""
    out = b""
    for name, shape, at, size in all_of_them:
        prop = b"\x0a" + bytes([len(name)]) + name.encode() + b"\x4a" + bytes([len(shape)]) + shape.encode()
        for number, value in zip((2, 3, 4, 5, 10, 11, 12), (*at, 1, *size)):
            prop += bytes([number << 3 | 5]) + struct.pack("<f", value)
        out += b"\x0a" + bytes([len(prop)]) + prop
    return {"posewire.props": {"@type": "type.googleapis.com/posewire.scene.v1.Props",
                               "@value": base64.b64encode(out).decode()}}


def tone(path, hz, seconds=2, rate=16000):
    with wave.open(str(path), "wb") as f:
        f.setparams((1, 2, rate, 0, "NONE", ""))
        f.writeframes(b"".join(struct.pack("<h", round(8000 * math.sin(2 * math.pi * hz * i / rate)))
                               for i in range(int(seconds * rate))))


def samples(path):
    with wave.open(str(path), "rb") as f:
        return f.getframerate(), [v for v, in struct.iter_unpack("<h", f.readframes(f.getnframes()))]


class WrittenSceneTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # Both speak.
        text = (SCENES / "two_people.usda").read_text()
        for name, x, hz in (("anna", "-0.6", 440), ("bert", "0.6", 660)):
            tone(cls.folder / f"{name}.wav", hz)
            at = f"double3 xformOp:translate = ({x}, 0, 0)"
            assert at in text
            text = text.replace(at, f'def SpatialAudio "Voice" {{ uniform asset filePath = '
                                    f'@./{name}.wav@ }}\n' + at)
        (cls.folder / "scene.usda").write_text(text)
        done = cls.animclip("export", "woman", "table.glb", "--clip", "scene.usda", "--avatar",
                            "Bert=man")
        cls.said = done.stdout
        cls.animclip("convert", "table.glb", "table.usda")
        cls.animclip("convert", "table.usda", "back.glb")
        cls.first, cls.back = GlbScene(cls.folder / "table.glb"), GlbScene(cls.folder / "back.glb")

    @classmethod
    def animclip(cls, *words, code=0):
        return run("animclip", *words, cwd=cls.folder, code=code)

    def far_m(self, first, back, *names):
        return max(math.dist(first.place(first.find(*names), t), back.place(back.find(*names), t))
                   for t in TIMES)

    def test_has_all_of_the_scene(self):
        self.assertRegex(self.said, r"table.glb: 2 characters, \d+ points, .*, 2 props, 61 frames at 30 a "
                                    r"second; a voice next to it")
        for scene in (self.first, self.back):
            self.assertEqual(len(scene.json["cameras"]), 1)
            shapes = {n["name"]: n["extras"]["posewire"]["prop"]["shape"] for n in scene.nodes
                      if "posewire" in n.get("extras", {})}
            self.assertEqual(shapes, {"Table": "table", "Cup": "cup"})
        points = [sum(s.json["accessors"][m["primitives"][0]["attributes"]["POSITION"]]["count"]
                      for m in s.json["meshes"]) for s in (self.first, self.back)]
        self.assertEqual(points[0], points[1])
        self.assertGreater(points[0], 20000)

    def test_everything_is_where_it_was_after_usd_and_back(self):
        for who in ("Anna", "Bert"):
            for joint in JOINTS:
                self.assertLess(self.far_m(self.first, self.back, who, joint), 2e-5, (who, joint))
        for name in ("Table", "Cup", "Camera"):
            self.assertLess(self.far_m(self.first, self.back, name), 2e-5, name)
        # As in the file that it was made from: the cup slides between 0.5 s and 1.5 s.
        for time_s, x in ((0, -0.2), (0.5, -0.2), (1, 0), (1.5, 0.2), (2, 0.2)):
            at = self.first.place(self.first.find("Cup"), time_s)
            self.assertAlmostEqual(at[0], x, 4)

    @unittest.skipUnless(os.path.isdir(MODULES) and shutil.which("node"),
                         "build/tools/gltf_validator is not there")
    def test_khronos_validator_finds_no_fault(self):
        done = subprocess.run(["node", ROOT / "tests/service/check_gltf.js", "table.glb", "back.glb"],
                              cwd=self.folder, env={**os.environ, "NODE_PATH": MODULES},
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        for file, found in json.loads(done.stdout).items():
            bad = [one for one in found if one["code"] not in (
                # Normal maps without tangents, and a picture of 96 pixels, as in the people's own files.
                "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", "IMAGE_NPOT_DIMENSIONS")]
            self.assertEqual(bad, [], file)

    def test_voices_are_next_to_the_files(self):
        self.animclip("convert", "scene.usda", "two.usda")  # without surfaces
        for name, hz in (("Anna", 440), ("Bert", 660)):
            self.assertEqual(samples(self.folder / f"two.{name}.wav"),
                             samples(self.folder / f"{name.lower()}.wav"))
        self.assertEqual((self.folder / "two.usda").read_text().count("def SpatialAudio"), 2)
        rate, mixed = samples(self.folder / "table.wav")
        (_, anna), (_, bert) = (samples(self.folder / f"{n}.wav") for n in ("anna", "bert"))
        self.assertEqual((rate, mixed), (16000, [a + b for a, b in zip(anna, bert)]))
        # Of the mix, the lead is the speaker.
        self.assertIn("@./table.Anna.wav@", (self.folder / "table.usda").read_text())
        tone(self.folder / "table.wav", 330)
        done = self.animclip("export", "woman", "table.glb", "--clip", "scene.usda", code=1)
        self.assertIn('table.wav" exists, and holds another voice', done.stderr)

    def test_a_take_has_its_voice(self):
        self.animclip("gestures", "--out", "gestures", "--format", "jsonl")
        take = self.folder / "gestures/wave.jsonl"
        tone(take.with_suffix(".wav"), 440)
        self.animclip("convert", take, "take.bvh")
        tone(self.folder / "take.wav", 440)
        self.animclip("export", "woman", "spoken.usda", "--clip", "take.bvh")
        self.assertIn("@./spoken.wav@", (self.folder / "spoken.usda").read_text())
        self.assertEqual(samples(self.folder / "spoken.wav"), samples(self.folder / "take.wav"))

    def test_a_held_cup_follows_the_hand(self):
        self.animclip("gestures", "--out", "held", "--format", "jsonl")
        take = self.folder / "held/wave.jsonl"
        self.animclip("export", "woman", "wave.glb", "--clip", take)
        wave_glb = GlbScene(self.folder / "wave.glb")
        hand = wave_glb.find("r_wrist")
        grip = (0, -0.05, 0)
        lines = [json.loads(line) for line in take.read_text().splitlines()]
        for line in lines:
            data = line.get("animationData")
            keys = (data or {}).get("skelAnimation", {}).get("rotations")
            if not keys:
                continue
            at = wave_glb.place(hand, keys[0].get("timeCode", 0), grip)
            data["metadata"] = props(("cup", "cup", at, (0.08, 0.1, 0.08)),
                                     ("desk", "table", (0, 0, 0.6), (1, 0.7, 0.5)))
        (self.folder / "cup.jsonl").write_text("\n".join(map(json.dumps, lines)))
        done = self.animclip("export", "woman", "cup.glb", "--clip", "cup.jsonl")
        self.assertIn(", 2 props, ", done.stdout)
        scene = GlbScene(self.folder / "cup.glb")
        cup, hand = scene.find("cup"), scene.find("r_wrist")
        times = [i / 30 for i in range(round(scene.last_s * 30) + 1)]
        apart = [[math.dist(scene.place(cup, t + late), scene.place(hand, t + late, grip))
                  for t in times] for late in (0, 1 / 60)]
        self.assertLess(max(apart[0]), 1e-4)
        self.assertLess(max(apart[1]), 6e-3)  # a hand swings, a cup goes straight from frame to frame
        ways = [math.dist(scene.place(cup, a), scene.place(cup, b)) for a, b in zip(times, times[1:])]
        self.assertGreater(sum(ways), 0.5)

    def test_errors_say_what_would_be_right(self):
        for words, why in ((("--avatar", "Bert"), 'is "Bert", expected NAME=WHO'),
                           (("--avatar", "Carl=man"), "the clip has Anna, Bert"),
                           (("--props", "none"), "--props: ")):
            done = self.animclip("export", "woman", "x.glb", "--clip", "scene.usda", *words, code=1)
            self.assertIn(why, done.stderr)
        self.assertFalse((self.folder / "x.glb").exists())


class ThreeTest(unittest.TestCase):
    """A frame of our film and the same one in three.js."""

    @classmethod
    def setUpClass(cls):
        if not THREE.is_dir():
            raise unittest.SkipTest(f"{THREE} is not there; the build fetches it from npm")
        PICTURES.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run("animclip", "export", "woman", "table.glb", "--clip", str(SCENES / "two_people.usda"),
            "--avatar", "Bert=man", cwd=cls.folder)
        (cls.folder / "three").symlink_to(THREE)
        (cls.folder / "index.html").write_text(PAGE)
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder.name))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.tab = cls.browser.open(f"http://127.0.0.1:{server.server_port}/")
        cls.tab.until("window.ready")
        cls.ask(f'show("/table.glb", {AT_S})')

    @classmethod
    def ask(cls, script):
        """The value of a script that takes longer than an answer may."""
        number = cls.tab.ask("Runtime.evaluate", expression=script, returnByValue=True,
                             awaitPromise=True)
        assert cls.tab.wait(lambda tab: number in tab.answers, DRAWS_S), script
        result = cls.tab.answers[number]["result"]
        assert "exceptionDetails" not in result, result
        return result["result"]["value"]

    def drawn(self, name, covered=False):
        url = self.ask(f"draw({json.dumps(covered)})")
        path = PICTURES / name
        path.write_bytes(base64.b64decode(url.split(",")[1]))
        return png_pixels(path)

    def film(self, name, *flags):
        path = PICTURES / name
        run("renderer_sink", "render", str(SCENES / "two_people.usda"), str(path), "--avatar",
            "Bert=man", "--at", str(AT_S), "--size", "%dx%d" % SIZE, *flags, cwd=self.folder)
        return png_pixels(path)

    def test_silhouettes_cover_each_other(self):
        self.drawn("three.png")
        self.film("film.png")
        theirs = [p[0] > 127 for p in self.drawn("three_covered.png", covered=True)]
        ours = [p[3] > 127 for p in self.film("film_covered.png", "--background", "none")]
        both = sum(a and b for a, b in zip(ours, theirs))
        any_of_them = sum(a or b for a, b in zip(ours, theirs))
        print(f"silhouettes: {both / any_of_them:.4f} of {any_of_them} pixels")
        self.assertGreater(any_of_them, 20000)
        self.assertGreater(both / any_of_them, 0.97)

    def test_joints_are_at_the_same_pixels(self):
        scene = GlbScene(self.folder / "table.glb")
        camera = scene.find("Camera")
        tangent = math.tan(scene.json["cameras"][0]["perspective"]["yfov"] / 2)
        eye, right, up, back = (scene.place(camera, AT_S, at) for at in
                                ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
        axes = [[a - b for a, b in zip(axis, eye)] for axis in (right, up, back)]
        worst = 0
        for names in [(who, j) for who in ("Anna", "Bert") for j in JOINTS] + [("Cup",), ("Table",)]:
            node = scene.find(*names)
            way = [a - b for a, b in zip(scene.place(node, AT_S), eye)]
            x, y, z = (sum(a * b for a, b in zip(way, axis)) for axis in axes)
            half = SIZE[1] / 2
            ours = SIZE[0] / 2 + x / -z / tangent * half, half - y / -z / tangent * half
            worst = max(worst, math.dist(ours, self.ask(f"place({node})")))
        print(f"joints: {worst:.4f} pixels at worst")
        self.assertLess(worst, 0.1)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
