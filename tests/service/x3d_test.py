"""Motion in X3D files stands where X_ITE, an X3D browser, has it: in those that we write, in both
forms, in one with an HAnimMotion, and in one of others.

X_ITE drives its own routes and interpolators and gives its own joints' matrices. Skipped with a
word where its package (build/tools/x_ite), Chromium or a file is not there."""

import json
import math
import os
import random
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "field"))

import mutations
import mutations_test
from rigs_test import bvh
from x3d_person import JOE
from x_ite_page import XIteTest

BIN = Path(os.environ["POSEWIRE_BIN_DIR"])
ROOT = Path(__file__).resolve().parents[2]
NEAR_M = 1e-4

PAGE = """<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>x3d-canvas { width: 200px; height: 200px; display: block }</style>
<script src="/x_ite.min.js"></script><x3d-canvas></x3d-canvas>
<script>
window.X = {};
X.frames = async (count) => {
  for (let i = 0; i < count; ++i) await new Promise((done) => requestAnimationFrame(done));
};
X.named = (nodes, type) => {
  for (const node of nodes) {
    if (!node) continue;
    if (node.getNodeTypeName() === type) return node;
    const below = node.children && X.named([...node.children], type);
    if (below) return below;
  }
  return null;
};
X.load = async (url) => {
  X.browser = X3D.getBrowser();
  await X.browser.loadURL(new X3D.MFString(url));
  const roots = [...X.browser.currentScene.rootNodes];
  X.human = X.named(roots, 'HAnimHumanoid');
  X.clock = X.named(roots, 'TimeSensor');
  if (X.clock) X.clock.enabled = false;
  X.motion = X.human.motions[0];
  if (X.motion) X.motion.frameIncrement = 0;
  await X.frames(4);
  return X.positions().map((joint) => joint[0]);
};
// To an instant of the clock, or to a frame of the motion.
X.go = async (fraction, frame) => {
  if (X.clock) X.clock.getValue()._fraction_changed = fraction;
  else X.motion.frameIndex = frame;
  await X.frames(4);
  return X.positions();
};
// Names and places in the scene, the skeleton's order.
X.positions = () => {
  const out = [];
  const walk = (joint, above) => {
    const at = joint.getValue().getMatrix().copy().multRight(above), c = joint.center;
    out.push([joint.name, [0, 1, 2].map((k) =>
      at[k] * c.x + at[4 + k] * c.y + at[8 + k] * c.z + at[12 + k])]);
    for (const child of joint.children) {
      if (child.getNodeTypeName() === 'HAnimJoint') walk(child, at);
    }
  };
  for (const root of X.human.skeleton) {
    if (root.getNodeTypeName() === 'HAnimJoint') walk(root, X.human.getValue().getMatrix());
  }
  return out;
};
X.weights = () => {
  const out = {};
  const walk = (node) => {
    for (const d of node.displacers ?? []) out[d.name] = d.weight;
    for (const child of node.children ?? []) walk(child);
  };
  for (const root of X.human.skeleton) walk(root);
  return out;
};
</script>"""


def multiplied(a, b):
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return (aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw)


def turned(q, v):
    w, x, y, z = multiplied(multiplied(q, (0, *v)), (q[0], -q[1], -q[2], -q[3]))
    return (x, y, z)


def rest_of(rig):
    """Paths, places and turns from the file of a built-in rig."""
    joints = []
    for line in (ROOT / "data" / "rigs" / f"{rig}.rig").read_text().splitlines():
        words = line.split()
        if words[:1] == ["joint"]:
            numbers = [float(w) for w in words[3:]]
            joints.append((words[1], numbers[:3], (numbers[3:7] or [1, 0, 0, 0])))
    return joints


def dance(rig):
    """All joints of a rig turned at random and its root wandering, with two shapes, 25 a second."""
    chance, joints, lines = random.Random(rig), rest_of(rig), []
    lines.append({"animationDataStreamHeader": {
        "animationIds": {"streamId": "s", "requestId": "r"},
        "skelAnimationHeader": {"joints": [j[0] for j in joints],
                                "blendShapes": ["jawOpen", "browInnerUp"]}}})
    for k in range(12):
        turns, places = [], []
        for n, (_, place, rest) in enumerate(joints):
            q = [3] + [chance.gauss(0, 1) for _ in range(3)]
            length = math.sqrt(sum(v * v for v in q))
            w, x, y, z = multiplied(rest, [v / length for v in q])
            turns.append({"real": w, "i": x, "j": y, "k": z})
            x, y, z = [v + (chance.gauss(0, 0.2) if n == 0 else 0) for v in place]
            places.append({"x": x, "y": y, "z": z})
        lines.append({"animationData": {"skelAnimation": {
            "rotations": [{"timeCode": k / 25, "values": turns}],
            "translations": [{"timeCode": k / 25, "values": places}],
            "blendShapeWeights": [{"timeCode": k / 25, "values": [k / 11, 1 - k / 22]}]}}})
    return "".join(json.dumps(line) + "\n" for line in lines)


FRAMES = """#X3D V4.0 utf8
PROFILE Immersive
COMPONENT HAnim:2
DEF Body HAnimHumanoid {
  name "Ann" version "2.0" translation 0.5 0 -1 rotation 0 1 0 0.7
  skeleton DEF Root HAnimJoint {
    name "humanoid_root" center 0 0.9 0.02
    children [
      DEF Hip HAnimJoint { name "l_hip" center 0.1 0.85 0
        children DEF Knee HAnimJoint { name "l_knee" center 0.11 0.45 0.03
          children DEF Ankle HAnimJoint { name "l_talocrural" center 0.12 0.08 -0.05 } } }
      DEF Other HAnimJoint { name "r_hip" center -0.1 0.85 0 rotation 1 0 0 0.3
        children DEF OtherKnee HAnimJoint { name "r_knee" center -0.11 0.45 0.03 } }
    ]
  }
  joints [ USE Root USE Hip USE Knee USE Ankle USE Other USE OtherKnee ]
  motions HAnimMotion {
    name "walk" frameDuration 0.04
    joints "humanoid_root, l_hip, IGNORED, l_knee, l_talocrural, r_hip"
    channels "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation, 3 Yrotation Xrotation Zrotation, 1 Xrotation, 2 Zrotation Xrotation, 4 Xposition Yposition Zposition Yrotation, 3 Zrotation Xrotation Yrotation"
    channelsEnabled [ TRUE TRUE TRUE TRUE TRUE FALSE ]
    values [ %s ]
  }
}
"""
CHANNELS = 19


class X3dTest(XIteTest):
    PAGE = PAGE

    def convert(self, source, target):
        done = subprocess.run([BIN / "animclip", "convert", source, target], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def ours(self, file):
        """Joints' last names; and of each frame its time, their places in the scene, and weights."""
        messages = self.folder / "messages.jsonl"
        self.convert(file, messages)
        lines = [json.loads(line) for line in messages.read_text().splitlines()]
        joints = lines[0]["animationDataStreamHeader"]["skelAnimationHeader"]["joints"]
        number = {joint: n for n, joint in enumerate(joints)}
        above = [number.get(joint.rpartition("/")[0]) for joint in joints]
        frames, turns, places = [], None, None
        for line in lines[1:]:
            pose = line.get("animationData", {}).get("skelAnimation", {})
            turns = (pose.get("rotations") or [turns])[0]
            places = (pose.get("translations") or [places])[0]
            if not pose:
                continue
            model = []
            for n in range(len(joints)):
                q = tuple(turns["values"][n].get(k, 0) for k in ("real", "i", "j", "k"))
                t = tuple(places["values"][n].get(k, 0) for k in "xyz")
                if above[n] is not None:
                    there, way = model[above[n]]
                    t = tuple(a + b for a, b in zip(there, turned(way, t)))
                    q = multiplied(way, q)
                model.append((t, q))
            weights = pose.get("blendShapeWeights", [{}])[0].get("values", [])
            frames.append((turns.get("timeCode", 0), [t for t, _ in model], weights))
        return [joint.rpartition("/")[2] for joint in joints], frames

    def open(self, file):
        if not (self.folder / file.name).exists():
            shutil.copy(file, self.folder / file.name)
        tab = self.browser.open(f"http://127.0.0.1:{self.server.server_port}/index.html")
        self.addCleanup(tab.do, "Page.close")
        tab.until("!!(window.X && X.load && window.X3D)", 30)
        return tab, tab.evaluate(f"X.load('/{file.name}')")

    def assert_stands_as_in_x_ite(self, file, original=None, faults=False):
        """At eight of its keys, and as in the clip that it was written from, if it was."""
        names, frames = self.ours(file)
        tab, theirs = self.open(file)
        self.assertGreater(len(names), 3)
        self.assertEqual(len(theirs), len(names))
        if original is not None:
            was_names, was = self.ours(original)
            self.assertEqual([f[0] for f in was], [f[0] for f in frames])
            order = [was_names.index(name.removeprefix("x_")) for name in names]
        begin, length = frames[0][0], frames[-1][0] - frames[0][0]
        for k in sorted({round(k * (len(frames) - 1) / 7) for k in range(8)}):
            code, ours, _ = frames[k]
            places = tab.evaluate(f"X.go({(code - begin) / length!r}, {k})")
            for n, (name, there) in enumerate(places):
                self.assertLess(math.dist(there, ours[n]), NEAR_M, f"{name} at {code} s")
                if original is not None:
                    before = was[k][1][order[n]]
                    self.assertLess(math.dist(there, before), NEAR_M, f"{name} as it was")
        if not faults:
            self.assertEqual(tab.faults, [])
        return tab, frames

    def assert_what_is_written_stands(self, original):
        for ending in ("x3d", "x3dv"):
            with self.subTest(f"{original.name} as {ending}"):
                file = self.folder / f"{original.stem}.{ending}"
                self.convert(original, file)
                yield self.assert_stands_as_in_x_ite(file, original)

    def test_joints_placed_by_translation_stand_as_x_ite_has_them(self):
        """A field case: joints that are Transforms without centers, as x3d-tidy makes them of glTF."""
        file = self.folder / "placed.x3d"
        shutil.copy(ROOT / "tests/field/05-hanim-translations-no-centers/person.x3d", file)
        self.assert_stands_as_in_x_ite(file, faults=True)

    def test_terminals_apart_are_read_as_x_ite_reads_them(self):
        file = self.folder / "apart.x3dv"
        shutil.copy(ROOT / "tests/field/21-x3d-real-files/small.x3dv", file)
        names, frames = self.ours(file)
        tab, theirs = self.open(file)
        self.assertEqual(len(theirs), len(names))
        for name, there in tab.evaluate("X.go(1, 0)"):
            self.assertLess(math.dist(there, frames[-1][1][names.index(
                name.replace("humanoid_root", "HumanoidRoot"))]), NEAR_M, name)

    def test_legal_mutations_are_what_x_ite_reads(self):
        """X_ITE is the judge of what is legal, and of what it means."""
        for functions, good, ending in ((mutations.XML, mutations_test.XML, "x3d"),
                                        (mutations.CLASSIC, mutations_test.CLASSIC, "x3dv")):
            for seed in range(6):
                chance = random.Random(1000 + seed)
                text = good
                used = chance.sample(functions, 3)
                for function in used:
                    text = function(text, chance)
                file = self.folder / f"mutated{seed}.{ending}"
                file.write_text(text, newline="")
                with self.subTest(f"{ending} {seed} {[f.__name__ for f in used]}"):
                    names, frames = self.ours(file)
                    tab, theirs = self.open(file)
                    self.assertEqual(len(theirs), len(names), text)
                    for k in (0, len(frames) // 2, len(frames) - 1):
                        places = tab.evaluate(f"X.go({frames[k][0] / 2!r}, 0)")
                        for n, (name, there) in enumerate(places):
                            self.assertLess(math.dist(there, frames[k][1][n]), NEAR_M, f"{name}\n{text}")

    def test_built_in_rigs_stand_in_x_ite_as_they_are(self):
        for rig in ("hanim_loa3", "ace_biped", "vrm"):
            original = self.folder / f"{rig}.jsonl"
            original.write_text(dance(rig))
            for tab, frames in self.assert_what_is_written_stands(original):
                for name, weight in zip(("jawOpen", "browInnerUp"), frames[-1][2]):
                    self.assertAlmostEqual(tab.evaluate("X.weights()")[name], weight, 5)

    def test_captured_motion_stands_in_x_ite_as_it_is(self):
        original = self.folder / "arms.bvh"
        original.write_text(bvh())
        self.assertEqual(len(list(self.assert_what_is_written_stands(original))), 2)

    def test_frames_of_an_h_anim_motion_stand_as_x_ite_has_them(self):
        chance = random.Random(4)
        values = []
        for _ in range(9):
            values += [chance.gauss(0, .1) for _ in range(3)]
            values += [chance.uniform(-180, 180) for _ in range(9)]
            values += [chance.gauss(0, .1) for _ in range(3)]
            values += [chance.uniform(-180, 180) for _ in range(4)]
        self.assertEqual(len(values), 9 * CHANNELS)
        file = self.folder / "frames.x3dv"
        file.write_text(FRAMES % " ".join(f"{v:.7g}" for v in values))
        self.assert_stands_as_in_x_ite(file)

    @unittest.skipIf(JOE is None, "no ../shared/data/JoeHAnimKick1a.x3d")
    def test_joes_kick_stands_as_x_ite_has_it(self):
        # His file names others beside it that nobody has.
        self.assert_stands_as_in_x_ite(JOE, faults=True)


if __name__ == "__main__":
    unittest.main()
