"""The built-in people's faces: eyes that meet the viewer's, lids and lips without corners or gaps in
what people do with them, teeth of ivory, a smile at rest that speech takes back.
"""
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np

from clips import weights
from person_file import BIN, ROOT, PersonFile

ROUNDING = ("mouthPucker", "mouthFunnel", "mouthClose")
LAUGH = {"mouthSmile": 0.9, "cheekSquint": 0.85, "eyeSquint": 0.8}


def picture(data, rows=None):
    """A PNG of eight bits and three channels without interlace, as floats of 0 to 1 (h, w, 3);
    its first `rows` if said."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height = struct.unpack_from(">II", data, at + 8)
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    raw, wide = zlib.decompress(packed), 3 * width
    above, out = bytes(wide), []
    for row in range(rows or height):
        start = row * (wide + 1)
        line = bytearray(raw[start + 1:start + 1 + wide])
        way = raw[start]
        for x in range(wide) if way else ():
            left, up = (line[x - 3] if x > 2 else 0), above[x]
            if way == 1:
                guess = left
            elif way == 2:
                guess = up
            elif way == 3:
                guess = (left + up) // 2
            else:
                corner = above[x - 3] if x > 2 else 0
                a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                guess = left if a <= b and a <= c else up if b <= c else corner
            line[x] = (line[x] + guess) & 255
        out.append(line)
        above = line
    return np.frombuffer(b"".join(out), np.uint8).reshape(-1, width, 3) / 255


def both(shapes):
    """Shapes of one side, named without it, on both."""
    return {name + side: value for name, value in shapes.items() for side in ("Left", "Right")}


class FaceTest(PersonFile):
    def color_picture(self, material):
        """The PNG of a material's colours."""
        return self.person.picture(material["pbrMetallicRoughness"]["baseColorTexture"]["index"])

    def mouth_width(self, **shapes):
        """Between the corners, which are the points farthest aside on the lips' border at rest."""
        rest, line = self.head_points(), self.lip_line()
        smile = np.linalg.norm(self.head_points(mouthSmileLeft=1, mouthSmileRight=1) - rest, axis=1)
        near = (abs(rest[:, 1] - line) < 0.010) & (rest[:, 2] > 0.055) & (abs(rest[:, 0]) < 0.032)
        corners = np.where(near, smile, 0)
        moved = self.head_points(**shapes)
        left = int(np.where(rest[:, 0] > 0, corners, 0).argmax())
        right = int(np.where(rest[:, 0] < 0, corners, 0).argmax())
        return float(moved[left, 0] - moved[right, 0])

    def test_eyes_are_open_and_meet_the_viewers(self):
        ways = {}
        for side in "lr":
            ball = self.person.meshes[f"eye_{side}"]
            points = self.person.posed(f"eye_{side}")
            tip = points[0]                                  # the middle of the pupil
            grown = points - tip
            rim = grown[np.linalg.norm(grown, axis=1) > 0.02].mean(0)
            ways[side] = tip, -rim / np.linalg.norm(rim)
            self.assertEqual(len(points), len(ball.points))
            # Of a grid of 0.5 mm: 200 mm2 and more of each eye.
            self.assertGreater(self.eye_seen(side, 0), 800)
        (a, along_a), (b, along_b) = ways["l"], ways["r"]
        closing = (along_b - along_a)[0] / (a - b)[0]        # per metre of distance
        self.assertGreater(1 / closing, 0.6)
        self.assertLess(1 / closing, 1.6)

    def test_no_white_shows_when_a_smiling_or_laughing_eye_blinks(self):
        for shapes in ({}, {"mouthSmile": 0.6, "cheekSquint": 0.4}, LAUGH):
            for side, name in (("l", "eyeBlinkLeft"), ("r", "eyeBlinkRight")):
                closed = both(shapes) | {name: 1}
                self.assertEqual(self.eye_seen(side, 0, **closed), 0, (side, shapes))

    def test_borders_of_the_painted_lips_are_smooth(self):
        data = self.color_picture(self.head.material)
        size = struct.unpack_from(">I", data, 16)[0]
        rest, line = self.head_points(), self.lip_line()
        wide = 0.4 * self.mouth_width()                     # short of the corners, where borders meet
        near = (abs(rest[:, 0]) < wide) & (abs(rest[:, 1] - line) < 0.014) & (rest[:, 2] > 0.06)
        low, high = (self.head.uv[near].min(0) * size).astype(int), (
            self.head.uv[near].max(0) * size).astype(int)
        lips = picture(data, high[1])[low[1]:, low[0]:high[0]]
        red = lips[..., 0] - lips[..., 1]
        self.assertGreater(red.max() - red.min(), 0.08)
        is_lip = red > (np.percentile(red, 5) + np.percentile(red, 95)) / 2
        for border in (is_lip.argmax(0), len(is_lip) - is_lip[::-1].argmax(0)):
            metres = border * 0.35 / size                          # the map's height, about
            reach = round(0.12 * wide * size / 0.3)                # some 3 mm
            bend = metres[:-2 * reach] - 2 * metres[reach:-reach] + metres[2 * reach:]
            self.assertLess(np.abs(bend).max(), 0.004)
            self.assertLess(np.abs(np.diff(metres)).max(), 0.001)

    def test_no_lashes_grow_from_lower_lids(self):
        # Where an upper lid that blinks in a laugh would come down over them.
        lashes = self.person.posed("lashes")
        for side in "lr":
            ball = self.person.posed(f"eye_{side}")
            center, radius = (ball.min(0) + ball.max(0)) / 2, np.ptp(ball[:, 1]) / 2
            below = center[1] - 0.3 * radius
            middle = abs(lashes[:, 0] - center[0]) < 0.6 * radius
            self.assertGreater(middle.sum(), 40)
            self.assertGreater(lashes[middle, 1].min(), below, side)

    def test_irises_are_lighter_below_and_have_a_dark_rim(self):
        pixels = picture(self.color_picture(self.person.meshes["eye_l"].material)).sum(-1)
        size = len(pixels)
        y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
        far, down = np.hypot(x, y) ** (1 / 0.65) * 66 / 29, np.degrees(np.arctan2(y, abs(x)))

        def light(near, rim, low, high):
            return np.median(pixels[(far > near) & (far < rim) & (down > low) & (down < high)])

        lower = light(0.55, 0.7, 50, 90)
        self.assertGreater(lower, 1.5 * light(0.55, 0.7, -90, -50))
        self.assertLess(light(0.92, 0.97, 50, 90), 0.6 * lower)

    def test_eyes_keep_their_iris_when_their_picture_is_blurred(self):
        # From afar one texel stands for all; a picture of white would make a startled look.
        pixels = picture(self.color_picture(self.person.meshes["eye_l"].material))
        whole, white = pixels.mean(), np.percentile(pixels, 95)
        self.assertLess(whole, 0.72 * white)

    def test_rounding_shapes_take_back_the_smile_at_rest_and_only_once(self):
        rest = self.mouth_width()
        self.assertLess(self.mouth_width(mouthPucker=1), 0.78 * rest)
        self.assertLess(self.mouth_width(mouthClose=1), rest - 0.001)
        products = {frozenset(c["shapes"]): c["target"] for c in self.person.extras["correctives"]
                    if set(c.get("shapes", ())) <= set(ROUNDING) and "shapes" in c}
        self.assertEqual(len(products), 3)
        smile = self.head.targets["mouthPucker_mouthFunnel"]
        self.assertGreater(np.abs(smile).max(), 0)
        for target in products.values():
            np.testing.assert_array_equal(self.head.targets[target], smile)
        # The corners rise by it.
        p = self.head_points()
        raised = smile[(abs(p[:, 0]) > 0.022) & (abs(p[:, 0]) < 0.03) & (p[:, 2] > 0.06)]
        self.assertGreater(raised[:, 1].max() * self.person.bind[0, 0, 0], 0.002)

    def test_pressed_lips_take_back_the_smile_at_rest_alike_on_both_sides(self):
        # A smile that stays under pressed lips is a smirk.
        rest = self.head_points()
        smile = self.head.targets["mouthPucker_mouthFunnel"] * self.person.bind[0, 0, 0]
        corners = ((abs(rest[:, 0]) > 0.018) & (rest[:, 2] > 0.05) & (smile[:, 1] > 0.0015)
                   & (abs(rest[:, 1] - self.lip_line()) < 0.010))
        raised = smile[corners, 1].mean()
        self.assertGreater(raised, 0.002)
        pressed = self.head_points(mouthPressLeft=1, mouthPressRight=1)
        moved = (pressed - rest)[:, 1]
        left, right = (moved[corners & (rest[:, 0] * side > 0)].mean() for side in (1, -1))
        self.assertLess(max(left, right), 0.3 * raised)
        self.assertLess(abs(left - right), 0.0002)
        self.assertLess(self.mouth_width(mouthPressLeft=1, mouthPressRight=1), 1.15 * self.mouth_width())
        # With a shape that rounds, it is taken back once: half of it by each corrective.
        for shape in ROUNDING:
            halves = [self.head.targets[f"{shape}_mouthPress{side}"] for side in ("Left", "Right")]
            np.testing.assert_allclose(sum(halves), self.head.targets["mouthPucker_mouthFunnel"], atol=1)

    def test_teeth_are_ivory_under_rosy_gums_and_darker_inside(self):
        material = self.person.meshes["teeth_upper"].material
        self.assertEqual(material["emissiveTexture"], material["pbrMetallicRoughness"]["baseColorTexture"])
        pixels = picture(self.color_picture(material))
        h, w, _ = pixels.shape
        red, green, blue = np.median(pixels[int(0.5 * h):int(0.9 * h), int(0.42 * w):int(0.58 * w)],
                                     axis=(0, 1))
        self.assertGreater(red, 0.88)
        self.assertTrue(red > green > blue > 0.75 * red, (red, green, blue))
        sides = np.median(pixels[int(0.5 * h):int(0.9 * h), :int(0.1 * w)])
        self.assertLess(sides, 0.65 * red)
        gum = pixels[:int(0.15 * h), int(0.42 * w):int(0.58 * w)].mean((0, 1))
        self.assertGreater(gum[0], 1.3 * gum[1])

    def test_the_tongue_reaches_the_lower_teeth_on_both_sides(self):
        # With a gap, a mouth that is turned a little looks pulled to one side.
        tongue, teeth = self.person.posed("tongue"), self.person.posed("teeth_lower")
        for z in np.linspace(0.032, 0.050, 4):
            row = abs(teeth[abs(teeth[:, 2] - z) < 0.004, 0])
            for side in (1, -1):
                wide = (side * tongue[abs(tongue[:, 2] - z) < 0.004, 0]).max()
                self.assertGreater(wide, row.min() - 0.001, (z, side))
                self.assertLess(wide, row.max() - 0.001, (z, side))
        self.assertGreater(tongue[:, 2].max(), teeth[:, 2].max() - 0.011)
        self.assertLess(tongue[:, 2].max(), teeth[:, 2].max() - 0.004)

    def test_the_edge_of_upper_teeth_is_not_one_line(self):
        teeth, u = self.person.posed("teeth_upper"), self.person.meshes["teeth_upper"].uv[:, 0]
        columns = [u == at for at in np.unique(u) if 0.3 < at < 0.7]
        edge = np.array([teeth[column, 1].min() for column in columns])
        steps = np.diff(edge)[abs(np.diff(edge)) > 0.0002]
        self.assertGreater((np.diff(np.sign(steps)) != 0).sum(), 4)

    def test_smile_big_smile_and_laugh_differ(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BIN / "animclip", "gestures",
                            ROOT / "data/gestures/emotion.gesture.txtpb", "--out", folder,
                            "--format", "jsonl"], check=True, capture_output=True)

            def most(gesture):
                frames = weights(Path(folder) / f"{gesture}.jsonl")
                return {shape: max(frame[shape] for frame in frames) for shape in frames[0]}

            smile, big, laugh = most("smile"), most("big_smile"), most("laugh")
        self.assertLess(smile.get("jawOpen", 0), 0.02)
        self.assertLess(big["jawOpen"], 0.3)
        self.assertGreater(laugh["jawOpen"], big["jawOpen"] + 0.25)
        # A smile leaves the eyes open, a laugh narrows them.
        self.assertLess(big["eyeSquintLeft"] + big.get("eyeBlinkLeft", 0), 0.4)
        self.assertGreater(laugh["eyeSquintLeft"] + laugh["eyeBlinkLeft"], 0.8)


class WomanTest(FaceTest, unittest.TestCase):
    NAME = "woman"


class ManTest(FaceTest, unittest.TestCase):
    NAME = "man"


if __name__ == "__main__":
    unittest.main(verbosity=2)
