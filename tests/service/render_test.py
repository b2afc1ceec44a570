"""renderer_sink render and faces: clips as pictures and films."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from small_person import glb, parts, small_person
from x3d_person import small_humanoid

SCENES = Path(__file__).resolve().parents[1] / "data/scenes"
SINK = os.path.join(os.environ["POSEWIRE_BIN_DIR"], "renderer_sink")

# In ffmpeg's place: how it was started, in place of the film.
STAND_IN = """#!/bin/sh
for last; do :; done
while read -r line; do echo "$line"; done </proc/self/status >"${last#file:}"
cat >/dev/null
"""


def write_clip(path, seconds=0.4):
    """A jaw that opens, with a voice."""
    keys = [{"timeCode": i / 30, "values": [min(1.0, i / (seconds * 30))]}
            for i in range(int(seconds * 30) + 1)]
    with open(path, "w") as f:
        f.write(json.dumps({"animationDataStreamHeader": {
            "animationIds": {"streamId": "s", "requestId": "r"},
            "audioHeader": {"channelCount": 1, "samplesPerSecond": 16000, "bitsPerSample": 16},
            "skelAnimationHeader": {"blendShapes": ["jawOpen"], "joints": []}}}) + "\n")
        f.write(json.dumps({"animationData": {
            "skelAnimation": {"blendShapeWeights": keys},
            "audio": {"timeCode": 0, "audioBuffer": "AAAQAPD/"}}}) + "\n")


def png_rows(path):
    """Width, height and the unfiltered rows of an RGB PNG."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    return width, height, zlib.decompress(packed)


def png_pixels(path):
    """The pixels of an RGB or RGBA PNG of eight bits, row by row, filters undone."""
    with open(path, "rb") as f:
        kind = f.read(26)[25]
    width, height, data = png_rows(path)
    parts = {2: 3, 6: 4}[kind]
    row, out, at = bytearray(width * parts), [], 0
    for _ in range(height):
        how, line = data[at], bytearray(data[at + 1:at + 1 + width * parts])
        at += 1 + width * parts
        for i in range(len(line)):
            left = line[i - parts] if i >= parts else 0
            up, corner = row[i], row[i - parts] if i >= parts else 0
            if how == 1:
                line[i] = line[i] + left & 255
            elif how == 2:
                line[i] = line[i] + up & 255
            elif how == 3:
                line[i] = line[i] + (left + up) // 2 & 255
            elif how == 4:
                guess = left + up - corner
                near = min((left, up, corner), key=lambda v: abs(guess - v))
                line[i] = line[i] + near & 255
        out += [tuple(line[i:i + parts]) for i in range(0, len(line), parts)]
        row = line
    return out


class RenderTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.clip = self.path("jaw.jsonl")
        write_clip(self.clip)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_sink(self, *words, **more):
        return subprocess.run([SINK, *words], capture_output=True, text=True, timeout=120, **more)

    def render(self, out, *flags):
        done = self.run_sink("render", self.clip, self.path(out), "--size", "120x128", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), self.path(out))

    def test_the_jaw_of_a_still_moves_with_time(self):
        self.render("start.png", "--at", "0", "--camera", "face")
        self.render("end.png", "--at", "0.4", "--camera", "face")
        start, end = png_rows(self.path("start.png")), png_rows(self.path("end.png"))
        self.assertEqual(start[:2], (120, 128))
        self.assertNotEqual(start[2], end[2])

    def test_an_x3d_humanoid_opens_its_mouth_and_shows_its_faces(self):
        ann = self.path("ann.x3d")
        with open(ann, "w") as f:
            f.write(small_humanoid())
        self.render("start.png", "--at", "0", "--camera", "body", "--avatar", ann)
        self.render("end.png", "--at", "0.4", "--camera", "body", "--avatar", ann)
        self.assertNotEqual(png_rows(self.path("start.png"))[2], png_rows(self.path("end.png"))[2])
        done = self.run_sink("faces", self.path("faces.png"), "--avatar", ann)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("shapes_that_move_nothing", done.stderr)
        self.assertNotIn("jawOpen", done.stderr)
        with open(ann, "w") as f:
            f.write(small_humanoid().replace("skinCoordIndex='0 ", "skinCoordIndex='72 "))
        done = self.run_sink("faces", self.path("none.png"), "--avatar", ann)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("HAnimJoint.skinCoordIndex[0] is 72", done.stderr)

    def test_a_time_beyond_the_end_is_an_error(self):
        done = self.run_sink("render", self.clip, self.path("late.png"), "--at", "9")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--at 9 s is beyond the end of", done.stderr)
        self.assertFalse(os.path.exists(self.path("late.png")))

    def test_a_sheet_holds_its_instants(self):
        self.render("sheet.png", "--sheet", "--instants", "6")
        self.assertEqual(png_rows(self.path("sheet.png"))[:2], (360, 256))

    @unittest.skipUnless(shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_a_film_has_picture_and_sound_and_a_gif_its_frames(self):
        for name, streams in (("film.mp4", {"h264", "aac"}), ("film.gif", {"gif"})):
            self.render(name)
            probe = subprocess.run(
                ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                 "stream=codec_name,nb_read_frames,width,height", "-of", "json", self.path(name)],
                capture_output=True, text=True, check=True)
            found = {s["codec_name"]: s for s in json.loads(probe.stdout)["streams"]}
            self.assertEqual(found.keys(), streams)
            picture = found.get("h264") or found["gif"]
            self.assertEqual((picture["width"], picture["height"]), (120, 128))
            self.assertEqual(picture["nb_read_frames"], "13")
        self.assertEqual(sorted(os.listdir(self.folder.name)),
                         ["film.gif", "film.mp4", "jaw.jsonl"])

    @unittest.skipUnless(shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_a_film_may_have_a_name_that_ffmpeg_would_take_for_an_address(self):
        done = self.run_sink("render", self.clip, "12:30.mp4", "--size", "64x64",
                             cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["12:30.mp4", "jaw.jsonl"])

    def test_without_ffmpeg_a_film_is_refused_by_name(self):
        done = self.run_sink("render", self.clip, self.path("film.mp4"), "--size", "64x64",
                             env={**os.environ, "PATH": self.folder.name})
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install ffmpeg", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["jaw.jsonl"])

    def test_ffmpeg_takes_the_signals_that_are_meant_for_it(self):
        with open(self.path("ffmpeg"), "w") as f:
            f.write(STAND_IN)
        os.chmod(self.path("ffmpeg"), 0o755)
        done = self.run_sink("render", self.clip, self.path("film.gif"), "--size", "64x64",
                             env={**os.environ, "PATH": f"{self.folder.name}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("film.gif")) as f:
            found = dict(line.split(":", 1) for line in f)
        self.assertEqual(int(found["SigBlk"], 16), 0, "SIGTERM would not end it")
        self.assertEqual(int(found["SigIgn"], 16) & 1 << 12, 0, "SIGPIPE would not end it")
        self.assertNotEqual(int(found["NSpgid"].split()[-1]), os.getpgrp(),
                            "Ctrl-C is for renderer_sink alone")

    def test_what_cannot_be_is_said_before_drawing(self):
        for words, said in (
                (["render", self.clip, self.path("x.avi")], ".mp4, .gif or .png"),
                (["render", self.clip, self.path("x.png"), "--size", "9x9"], "16 to 4096"),
                (["render", self.clip, self.path("x.png"), "--fps", "fast"], "29.97"),
                (["render", self.clip, self.path("x.mp4"), "--sheet"], "must end in .png"),
                (["render", self.path("none.animdata"), self.path("x.png")], "none.animdata")):
            done = self.run_sink(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)

    def test_a_place_that_cannot_be_written_to_is_said_before_drawing(self):
        os.mkdir(self.path("folder.png"))
        for out, said in ((self.path("none/x.png"), "there is no folder"),
                          (self.path("none/x.mp4"), "there is no folder"),
                          (self.path("jaw.jsonl/x.png"), "there is no folder"),
                          (self.path("folder.png"), "is a folder")):
            done = self.run_sink("render", self.clip, out, "--size", "64x64")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["folder.png", "jaw.jsonl"])

    def avatar(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def test_persons_of_other_makers_stand_upright_and_look_here(self):
        for kind, name in (("vrm1", "a.vrm"), ("vrm0", "b.vrm"), ("mixamo", "c.glb")):
            done = self.run_sink("render", self.clip, self.path(f"{kind}.png"), "--size", "96x128",
                                 "--camera", "body", "--background", "#ff0000", "--avatar",
                                 self.avatar(name, small_person(kind)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("shapes_that_move_nothing", done.stderr)
            self.assertIn("joints_that_move_nothing", done.stderr)
            _, _, rows = png_rows(self.path(f"{kind}.png"))
            self.assertGreater(len(set(rows)), 20, f"{kind}: nothing is drawn")

    def test_a_png_may_have_no_background(self):
        self.render("clear.png", "--background", "none")
        with open(self.path("clear.png"), "rb") as f:
            self.assertEqual(f.read(26)[25], 6, "red, green, blue and alpha")
        done = self.run_sink("render", self.clip, self.path("x.gif"), "--background", "none")
        self.assertIn("films have no alpha", done.stderr)

    def test_a_clip_shows_whom_it_asks_for_from_then_on(self):
        asks = {"posewire.appearance": {
            "@type": "type.googleapis.com/posewire.character.v1.Appearance",
            "character": "man", "look": {"hair colour": "auburn", "hat": "red"}}}
        with open(self.clip) as f:
            header, data = (json.loads(line) for line in f)
        keys = data["animationData"]["skelAnimation"]["blendShapeWeights"]
        with open(self.path("asks.jsonl"), "w") as f:
            for message in (header,
                            {"animationData": {"skelAnimation": {"blendShapeWeights": keys[:6]}}},
                            {"animationData": {"skelAnimation": {"blendShapeWeights": keys[6:]},
                                               "metadata": asks}}):
                f.write(json.dumps(message) + "\n")
        plain, self.clip = self.clip, self.path("asks.jsonl")
        self.render("before.png", "--at", "0.1")
        self.render("after.png", "--at", "0.3")
        self.clip = plain
        self.render("woman.png", "--at", "0.1")
        self.render("man.png", "--at", "0.3", "--avatar", "man", "--look", "hair colour=auburn")
        self.render("plain_man.png", "--at", "0.3", "--avatar", "man")
        picture = lambda name: png_rows(self.path(name))
        self.assertEqual(picture("before.png"), picture("woman.png"))
        self.assertEqual(picture("after.png"), picture("man.png"))
        self.assertNotEqual(picture("man.png"), picture("plain_man.png"))
        done = self.run_sink("render", self.path("asks.jsonl"), self.path("a.png"), "--at", "0.3",
                             "--avatar", f"man={self.path('none.glb')}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('character="man"', done.stderr)
        self.assertIn("none.glb", done.stderr)

    def test_what_a_source_says_of_its_looks_is_in_the_clip(self):
        source = os.path.join(os.path.dirname(SINK), "a2f_source")
        said = subprocess.run([source, "say", "Yes.", "--character", "man", "--look", "skin=dark",
                               "--out", self.path("said.jsonl")], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(self.path("said.jsonl")) as f:
            told = [m["animationData"]["metadata"]["posewire.appearance"]
                    for m in map(json.loads, f) if "posewire.appearance" in
                    m.get("animationData", {}).get("metadata", {})]
        self.assertEqual([(t["character"], t["look"]) for t in told], [("man", {"skin": "dark"})])
        wrong = subprocess.run([source, "say", "Yes.", "--look", "dark", "--out", "-"],
                               capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("PART=CHOICE such as hair=long", wrong.stderr)

    @unittest.skipUnless(os.environ.get("POSEWIRE_CHARACTERS"), "no characters of others are there")
    def test_characters_of_others_move(self):
        """Files of a folder; those may not be kept here."""
        for file in sorted(Path(os.environ["POSEWIRE_CHARACTERS"]).iterdir()):
            if file.suffix not in (".glb", ".gltf", ".vrm"):
                continue
            with self.subTest(file=file.name):
                clip = Path(__file__).parents[2] / "data" / "clips" / "gesture.pull.jsonl"
                done = self.run_sink("render", str(clip), self.path("a.png"), "--sheet", "--instants",
                                     "2", "--camera", "body", "--size", "128x160", "--avatar",
                                     str(file))
                self.assertEqual(done.returncode, 0, done.stderr)
                width, _, rows = png_rows(self.path("a.png"))
                self.assertGreater(len(set(rows)), 32)
                if "no joint moves the character" in done.stderr:
                    continue
                self.run_sink("render", str(clip), self.path("b.png"), "--at", "1", "--camera",
                              "body", "--size", "128x160", "--avatar", str(file))
                self.run_sink("render", str(clip), self.path("c.png"), "--at", "0", "--camera",
                              "body", "--size", "128x160", "--avatar", str(file))
                self.assertNotEqual(png_rows(self.path("b.png")), png_rows(self.path("c.png")))

    def test_avatars_and_looks_that_cannot_be_are_named(self):
        whole = small_person("vrm1")
        for data, said in ((whole[:300], "of the"), (b"text", "broken at byte"), (b"", "no JSON"),
                           (whole.replace(b'"count": 17', b'"count": 99'), "accessors["),
                           (whole.replace(b'"mesh": 0', b'"mesh": 9'), "mesh is 9")):
            path = self.avatar("broken.glb", data)
            done = self.run_sink("render", self.clip, self.path("x.png"), "--avatar", path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(path, done.stderr)
            self.assertIn(said, done.stderr)
        for words, said in ((["--avatar", self.path("none.glb")], "No such file"),
                            (["--background", "#12"], "no colour"),
                            (["--background", self.clip], "no PNG, JPEG or WebP"),
                            (["--look", "hair"], "PART=CHOICE"),
                            (["--look", "tail=long"], "tail")):
            done = self.run_sink("render", self.clip, self.path("x.png"), *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_a_film_character_is_drawn_from_its_offsets(self):
        animclip = os.path.join(os.environ["POSEWIRE_BIN_DIR"], "animclip")
        offsets, take = self.path("wave.offsets"), self.path("take.animdata")
        made = subprocess.run([animclip, "bake", "wave", offsets, "--method", "float", "--take", take],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made.stderr)
        pictures = {}
        for name, flags in (("film", ("--offsets", offsets)), ("none", ("--offsets", "none")),
                            ("plain", ())):
            out = self.path(f"{name}.png")
            drawn = subprocess.run([SINK, "render", take, out, "--camera", "body", "--at", "1.2",
                                    "--size", "240x320", *flags], capture_output=True, text=True,
                                   timeout=60)
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            pictures[name] = png_rows(out)[2]

        def differ(a, b):
            return sum(x != y for x, y in zip(pictures[a], pictures[b]))
        # The bent elbow.
        self.assertGreater(differ("film", "plain"), 100)
        self.assertEqual(differ("none", "plain"), 0)
        # Of another clip, character, rate, or damaged: said before anything is drawn.
        other = self.path("other.jsonl")
        write_clip(other, 0.3)
        with open(offsets, "rb") as f:
            whole = f.read()
        torn = self.path("torn.offsets")
        with open(torn, "wb") as f:
            f.write(whole[:-40] + bytes(40))
        for clip, file, more, words in (
                (other, offsets, (), "another clip"), (take, offsets, ("--avatar", "man"), "another"),
                (take, offsets, ("--fps", "25"), "30 frames a second"),
                (take, self.clip, (), "jaw.jsonl"), (take, self.path("none.offsets"), (), "cannot open"),
                (take, torn, (), "torn.offsets")):
            out = self.path("refused.png")
            drawn = subprocess.run([SINK, "render", clip, out, "--offsets", file, *more],
                                   capture_output=True, text=True, timeout=60)
            with self.subTest(file=file, more=more):
                self.assertNotEqual(drawn.returncode, 0)
                self.assertIn(words, drawn.stderr)
                self.assertFalse(os.path.exists(out))

    def test_a_subdivided_character_is_the_same_but_rounder(self):
        def drawn(name, *flags):
            done = self.run_sink("render", self.clip, self.path(name), "--size", "160x160", "--camera",
                                 "face", "--at", "0.4", *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            return png_pixels(self.path(name)), done.stderr
        plain, _ = drawn("plain.png")
        fine, said = drawn("fine.png", "--subdivide")
        self.assertNotIn("subdivided", said)
        apart = [max(abs(a - b) for a, b in zip(p, q)) for p, q in zip(plain, fine)]
        self.assertGreater(sum(d > 2 for d in apart), 100)
        self.assertLess(sum(apart) / len(apart), 6)
        finest, said = drawn("finest.png", "--subdivide", "2")
        self.assertNotIn("subdivided", said)
        self.assertNotEqual(finest, fine)
        self.assertLess(sum(max(abs(a - b) for a, b in zip(p, q)) for p, q in zip(fine, finest)), sum(apart))
        for wrong in ("0", "3"):
            done = self.run_sink("render", self.clip, self.path("none.png"), "--subdivide", wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'--subdivide: "{wrong}" is not a whole number from 1 to 2', done.stderr)
        # With offsets too.
        animclip = os.path.join(os.environ["POSEWIRE_BIN_DIR"], "animclip")
        offsets, take = self.path("jaw.offsets"), self.path("jaw_take.animdata")
        made = subprocess.run([animclip, "bake", self.clip, offsets, "--take", take], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made.stderr)
        look = ("--size", "160x160", "--camera", "face", "--at", "0.4", "--offsets", offsets)
        for name, more in (("film.png", ()), ("fine_film.png", ("--subdivide",))):
            done = self.run_sink("render", take, self.path(name), *look, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(png_pixels(self.path("film.png")), png_pixels(self.path("fine_film.png")))

    def test_what_is_no_surface_is_drawn_as_it_is_and_told(self):
        document, body = parts(small_person("mixamo"))
        primitive = document["meshes"][0]["primitives"][0]
        corners = document["accessors"][primitive["attributes"]["POSITION"]]["count"]
        # Each triangle twice: what is there and a copy, on the same points.
        triangles = [i for k in range(corners // 3) for i in 2 * (3 * k, 3 * k + 1, 3 * k + 2)]
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(body),
                                        "byteLength": 4 * len(triangles)})
        document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1,
                                      "componentType": 5125, "type": "SCALAR", "count": len(triangles)})
        primitive["indices"] = len(document["accessors"]) - 1
        body += struct.pack(f"<{len(triangles)}I", *triangles)
        document["buffers"][0]["byteLength"] = len(body)
        who = self.avatar("twice.glb", glb(document, body))
        flags = ("--avatar", who, "--size", "96x128", "--camera", "body")
        plain = self.run_sink("render", self.clip, self.path("plain.png"), *flags)
        fine = self.run_sink("render", self.clip, self.path("fine.png"), *flags, "--subdivide")
        self.assertEqual((plain.returncode, fine.returncode), (0, 0), fine.stderr)
        lines = [line for line in fine.stderr.splitlines() if "is subdivided" in line]
        self.assertEqual(len(lines), 1, fine.stderr)
        self.assertIn("at an edge more than two faces meet", lines[0])
        self.assertEqual(png_rows(self.path("plain.png")), png_rows(self.path("fine.png")))

    def test_faces_draws_each_shape(self):
        done = self.run_sink("faces", self.path("faces.png"), "--size", "48x56")
        self.assertEqual(done.returncode, 0, done.stderr)
        # The face at rest and 68 shapes, ten in a row.
        self.assertEqual(png_rows(self.path("faces.png"))[:2], (480, 392))


class SceneTest(unittest.TestCase):
    """A file with two people at a table, drawn as a whole."""

    def draw(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "scene.png")
            done = subprocess.run([SINK, "render", str(SCENES / "two_people.usda"), out, "--size",
                                   "320x180", "--at", "1", *flags], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return png_pixels(out)

    @staticmethod
    def covered(pixels, first, last):
        """The share of pixels of these columns that are not background, above the table."""
        rows = range(30, 90)
        back = pixels[0]
        other = [pixels[y * 320 + x] for y in rows for x in range(first, last)]
        return sum(max(abs(a - b) for a, b in zip(p, back)) > 40 for p in other) / len(other)

    def test_both_people_are_seen_from_the_camera_of_the_scene_and_from_the_front(self):
        for flags in ([], ["--camera", "all"]):
            pixels = self.draw(*flags)
            self.assertGreater(self.covered(pixels, 60, 150), 0.08, flags)
            self.assertGreater(self.covered(pixels, 170, 260), 0.08, flags)

    def test_each_instance_of_a_skeleton_is_drawn_with_its_own_animation(self):
        """One Skeleton, bound at A and C: a box goes to the left, and one to the right."""
        constant = '(interpolation = "constant")'

        def bound(name, x):
            corners = [(x, y, z) for x in (-.2, .2) for y in (0, 1.6) for z in (-.2, .2)]
            faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
            return f"""
def Xform "{name}" {{
    rel skel:skeleton = </Two/S>
    rel skel:animationSource = </Two/{name}/M>
    def SkelAnimation "M" {{
        uniform token[] joints = ["J"]
        float3[] translations.timeSamples = {{ 0: [(0, 0, 0)], 24: [({x}, 0, 0)] }}
        quatf[] rotations = [(1, 0, 0, 0)]
        half3[] scales = [(1, 1, 1)]
    }}
    def Mesh "Box" {{
        point3f[] points = {corners}
        int[] faceVertexCounts = {[4] * 6}
        int[] faceVertexIndices = {faces}
        color3f[] primvars:displayColor = [(0.7, 0.1, 0.1)]
        int[] primvars:skel:jointIndices = [0] {constant}
        float[] primvars:skel:jointWeights = [1] {constant}
    }}
}}"""

        one = "[((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))]"
        with tempfile.TemporaryDirectory() as folder:
            stage, out = os.path.join(folder, "two.usda"), os.path.join(folder, "two.png")
            Path(stage).write_text(
                f'#usda 1.0\n( metersPerUnit = 1 )\ndef SkelRoot "Two" {{\ndef Skeleton "S" {{\n'
                f'uniform token[] joints = ["J"]\nuniform matrix4d[] bindTransforms = {one}\n'
                f'uniform matrix4d[] restTransforms = {one}\n}}{bound("A", -0.7)}{bound("C", 0.7)}\n}}\n')
            done = subprocess.run([SINK, "render", stage, out, "--avatar", stage, "--size", "320x180",
                                   "--at", "1", "--camera", "all"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            pixels = png_pixels(out)
        for first, last in ((60, 150), (170, 260)):
            self.assertGreater(self.covered(pixels, first, last), 0.08, done.stderr)
        self.assertLess(self.covered(pixels, 152, 168), 0.02)

    def test_one_person_alone_can_be_looked_at(self):
        self.assertNotEqual(self.draw("--camera", "face"), self.draw())

    def test_a_clip_without_a_camera_has_no_shot(self):
        with tempfile.TemporaryDirectory() as folder:
            clip = os.path.join(folder, "clip.jsonl")
            write_clip(clip)
            done = subprocess.run([SINK, "render", clip, os.path.join(folder, "a.png"),
                                   "--camera", "shot"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("has no camera", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
