"""Characters from X3D files are moved and drawn as X_ITE, an X3D browser, moves and draws them.

X_ITE skins on the GPU. Its joints' matrices and each point's weights are taken from where it gives
them to its shader, and put together as the shader does; its pictures show what the shader made of
them. Skipped with a word where its package (build/tools/x_ite), Chromium or a file is not there."""

import json
import math
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from render_test import png_pixels
from x3d_person import JOE, small_humanoid
from x_ite_page import XIteTest

BIN = Path(os.environ["POSEWIRE_BIN_DIR"])
POINTS = BIN.parent / "tests" / "character_points"
ROOT = Path(__file__).resolve().parents[2]
PICTURES = Path(os.environ.get("POSEWIRE_PICTURES") or ROOT / "build" / "x3d")
SIZE = 512

PAGE = """<!DOCTYPE html><meta charset="utf-8">
<style>body { margin: 0 } x3d-canvas { width: %dpx; height: %dpx; display: block; border: 0 }</style>
<script src="/x_ite.min.js"></script><x3d-canvas antialiased="false"></x3d-canvas>
<script>
window.X = {};
// Only the humanoid stays, seen by a viewer of ours before a background of one colour.
X.load = async (url, eye, turn, view) => {
  X.browser = X3D.getBrowser();
  for (const name of ['SplashScreen', 'Notifications', 'Timings', 'ContextMenu']) {
    X.browser.setBrowserOption(name, false);
  }
  await X.browser.loadURL(new X3D.MFString(url));
  const scene = X.scene = X.browser.currentScene;
  const keep = [];
  const find = (node) => node.getNodeTypeName() === 'HAnimHumanoid' ||
    ['children'].some((f) => { try { return [...node[f]].some((n) => n && find(n)); }
                               catch { return false; } });
  for (const node of scene.rootNodes) {
    if (find(node)) keep.push(node);
    if (node.getNodeTypeName() === 'TimeSensor') node.enabled = false;
  }
  const make = (type, fields) => {
    const node = scene.createNode(type);
    for (const [name, value] of Object.entries(fields)) node[name] = value;
    return node;
  };
  const info = make('NavigationInfo', {headlight: false, type: new X3D.MFString('NONE'),
    transitionType: new X3D.MFString('TELEPORT')});
  const back = make('Background', {skyColor: new X3D.MFColor(new X3D.SFColor(1, 0, 1))});
  const light = (x, y, z, strength) => make('DirectionalLight', {global: true,
    direction: new X3D.SFVec3f(x, y, z), intensity: strength, ambientIntensity: .3});
  const viewer = make('Viewpoint', {position: new X3D.SFVec3f(...eye),
    orientation: new X3D.SFRotation(...turn), fieldOfView: view, nearDistance: .1,
    farDistance: 100, jump: true, retainUserOffsets: false});
  scene.rootNodes = new X3D.MFNode(info, back, viewer, light(-.3, -.5, -1, .8),
                                   light(.7, -.2, .6, .25), ...keep);
  await X.frames(2);
  info.set_bind = true;
  back.set_bind = true;
  await X.frames(2);
  viewer.set_bind = true;
  X.viewer = viewer;
  const human = (node) => {
    if (node.getNodeTypeName() === 'HAnimHumanoid') return node;
    for (const child of node.children ?? []) { const h = child && human(child); if (h) return h; }
    return null;
  };
  X.human = keep.map(human).find((h) => h);
  X.joints = {};
  // Joints without centers rest as their fields have them; what others say there is a pose.
  const placed = [...X.human.joints].every(({ center: c }) => c.x === 0 && c.y === 0 && c.z === 0);
  X.rest = {};
  for (const joint of X.human.joints) {
    X.joints[joint.name] = joint;
    const { rotation: r, translation: t } = joint;
    X.rest[joint.name] = placed ? [[r.x, r.y, r.z, r.angle], [t.x, t.y, t.z]] : [[0, 0, 1, 0], [0, 0, 0]];
    joint.rotation = new X3D.SFRotation(...X.rest[joint.name][0]);
    joint.translation = new X3D.SFVec3f(...X.rest[joint.name][1]);
  }
  await X.frames(8);
  return Object.keys(X.joints);
};
X.frames = async (count) => {
  for (let i = 0; i < count; ++i) await new Promise((done) => requestAnimationFrame(done));
};
X.pose = async (turns, moves, weights) => {
  for (const joint of Object.values(X.joints)) {
    joint.rotation = new X3D.SFRotation(...(turns[joint.name] ?? X.rest[joint.name][0]));
    joint.translation = new X3D.SFVec3f(...(moves[joint.name] ?? X.rest[joint.name][1]));
    for (const d of joint.displacers) d.weight = weights[d.name] ?? 0;
    for (const part of joint.children) {
      for (const d of part.displacers ?? []) d.weight = weights[d.name] ?? 0;
    }
  }
  await X.frames(6);
};
// As the shader has it: v + sum of (D d w) + sum of (J v - v) w.
X.points = () => {
  const node = X.human.getValue(), matrices = node.jointMatricesArray;
  const apply = (j, v, w) => [0, 1, 2].map((k) => matrices[j * 32 + k] * v[0] +
    matrices[j * 32 + 4 + k] * v[1] + matrices[j * 32 + 8 + k] * v[2] +
    matrices[j * 32 + 12 + k] * w);
  const points = [...X.human.skinCoord.point].map((p) => [p.x, p.y, p.z]);
  const out = points.map((p) => [...p]);
  node.jointNodes.forEach((joint, j) => {
    for (const d of joint.getDisplacers()) {
      const ways = [...d._displacements].map((p) => [p.x, p.y, p.z]);
      [...d._coordIndex].forEach((point, i) => {
        const way = apply(j, ways[i], 0), w = d._weight.getValue();
        for (let k = 0; k < 3; ++k) out[point][k] += way[k] * w;
      });
    }
    const weight = [...joint._skinCoordWeight];
    [...joint._skinCoordIndex].forEach((point, i) => {
      const there = apply(j, points[point], 1);
      for (let k = 0; k < 3; ++k) out[point][k] += (there[k] - points[point][k]) * weight[i];
    });
  });
  return out;
};
</script>""" % (SIZE, SIZE)


def quaternion(turn):
    x, y, z, angle = turn
    length = math.sqrt(x * x + y * y + z * z)
    s = math.sin(angle / 2) / length
    return [math.cos(angle / 2), x * s, y * s, z * s]


def facing(eye, target):
    """The turn of an X3D viewer, which looks along -Z, to look at a target that is not aside."""
    x, y, z = (t - e for t, e in zip(target, eye))
    assert abs(x) < 1e-6, "the camera stands in front"
    return [1, 0, 0, math.atan2(y, -z)]


# Joe's kick at four of its instants, by the keys of his interpolators, and a pose of more joints
# than it moves.
POSES = [
    ({}, {}),
    ({"HumanoidRoot": [1, 0, 0, .5], "r_ankle": [-1, 0, 0, 1], "r_knee": [1, 0, 0, .1],
      "r_hip": [1, 0, 0, 1], "l_ankle": [-1, 0, 0, 1], "l_knee": [1, 0, 0, 1],
      "l_hip": [-1, 0, 0, 1.5], "r_elbow": [-1, 0, 0, 3], "l_elbow": [-1, 0, 0, 3],
      "r_shoulder": [0, 0, -1, 2.5], "skullbase": [0, -1, 0, .5], "vc4": [1, 0, 1, .25]},
     {"HumanoidRoot": [.3, .1, -.2]}),
    ({"r_ankle": [1, 0, 0, 1], "r_knee": [1, 0, 0, 1], "r_hip": [-1, 0, 0, 1],
      "l_hip": [1, 0, 0, .5], "l_knee": [1, 0, 1, .5], "l_shoulder": [0, 0, 1, 1.5],
      "r_shoulder": [0, 0, -1, 1.5], "r_elbow": [-1, 0, 0, .75], "l_elbow": [-1, 0, 0, .75],
      "l_wrist": [0, 1, 0, 1.3], "vc4": [1, 0, 0, .75]}, {}),
    ({"HumanoidRoot": [-1, 0, 0, .5], "r_ankle": [1, 0, 0, .5], "r_knee": [1, 0, 0, 1.5],
      "r_hip": [-1, 0, 0, 1], "l_ankle": [1, 0, 0, 1], "l_knee": [1, 0, 0, 1.4],
      "l_hip": [1, 0, 0, 1], "r_wrist": [0, -1, 0, .3], "r_elbow": [-1, -1, 0, .5],
      "l_elbow": [-1, -1, 0, .5], "r_shoulder": [0, 0, -1, 1.75],
      "l_shoulder": [-1, 0, 1, 1.75], "skullbase": [0, 1, 0, .35], "vc4": [1, 0, 1, .5]},
     {"HumanoidRoot": [-.2, .15, .15]}),
    ({"vl5": [0, 1, 0, .6], "vl1": [1, 0, 0, .4], "vt6": [0, 0, 1, .3], "sacroiliac": [0, 1, 0, -.5],
      "l_sternoclavicular": [0, 0, 1, .3], "r_index1": [0, 0, 1, 1], "l_thumb1": [1, 0, 0, .6],
      "l_metatarsal": [-1, 0, 0, .5], "r_shoulder": [1, 2, 3, 2]}, {}),
]


class X3dBrowserTest(XIteTest):
    PAGE = PAGE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        PICTURES.mkdir(parents=True, exist_ok=True)

    def ours(self, file, poses, weights=None):
        lines = []
        for i, (turns, moves) in enumerate(poses):
            words = []
            for joint, turn in turns.items():
                words += ["turn", joint, *map(repr, quaternion(turn))]
            for joint, way in moves.items():
                words += ["move", joint, *map(repr, way)]
            for shape, weight in (weights[i] if weights else {}).items():
                words += ["shape", shape, repr(weight)]
            lines.append(" ".join(words))
        done = subprocess.run([POINTS, file], input="\n".join(lines) + "\n", capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def open(self, file, ours):
        name = Path(file).name
        if not (self.folder / name).exists():
            shutil.copy(file, self.folder / name)
        tab = self.browser.open(f"http://127.0.0.1:{self.server.server_port}/index.html")
        self.addCleanup(tab.do, "Page.close")
        tab.size(SIZE, SIZE)
        tab.until("!!(window.X && X.load && window.X3D)", 30)
        joints = tab.evaluate(
            f"X.load({json.dumps('/' + name)}, {ours['eye']}, "
            f"{facing(ours['eye'], ours['target'])}, {ours['view_rad']})")
        self.assertTrue(joints)
        return tab

    def assert_same_points(self, file, poses, weights=None, names=None, most=1e-5):
        """Of the skin; gives the tab in the last pose."""
        ours = self.ours(file, poses, weights)
        tab = self.open(file, ours)
        for i, (turns, moves) in enumerate(poses):
            told = {(names or {}).get(k, k): w for k, w in (weights[i] if weights else {}).items()}
            tab.evaluate(f"X.pose({json.dumps(turns)}, {json.dumps(moves)}, {json.dumps(told)})")
            theirs = tab.evaluate("X.points()")
            self.assertEqual(len(theirs), len(ours["poses"][i][0]))
            used = [k for k, p in enumerate(ours["poses"][i][0]) if p is not None]
            self.assertGreater(len(used), 3)
            worst = max(math.dist(theirs[k], ours["poses"][i][0][k]) for k in used)
            self.assertLess(worst, most, f"pose {i}")
            self.say(f"{Path(file).name} pose {i}: {len(used)} points, at most "
                     f"{worst * 1e6:.2f} um apart")
        return tab, ours

    @staticmethod
    def say(line):
        with open(PICTURES / "figures.txt", "a") as f:
            f.write(line + "\n")

    def clip(self, ours, turns, shapes):
        """A pose as a clip of the rig's own joints."""
        keys = []
        for path in ours["joints"]:
            w, x, y, z = quaternion(turns.get(path.rsplit("/", 1)[-1], [0, 0, 1, 0]))
            keys.append({"real": w, "i": x, "j": y, "k": z})
        frame = {"rotations": [{"timeCode": t, "values": keys} for t in (0, .1)]}
        if shapes:
            frame["blendShapeWeights"] = [{"timeCode": t, "values": list(shapes.values())}
                                          for t in (0, .1)]
        path = self.folder / "pose.jsonl"
        path.write_text("\n".join(json.dumps(item) for item in (
            {"animationDataStreamHeader": {
                "animationIds": {"streamId": "s", "requestId": "r"},
                "skelAnimationHeader": {"blendShapes": list(shapes), "joints": ours["joints"]}}},
            {"animationData": {"skelAnimation": frame}})) + "\n")
        return path

    def assert_same_picture(self, file, tab, clip, name, least=0.98):
        """What the tab shows now is what render draws of the file at the start of a clip."""
        theirs, our = PICTURES / f"{name}_x_ite.png", PICTURES / f"{name}_ours.png"
        tab.picture(theirs)
        done = subprocess.run(
            [BIN / "renderer_sink", "render", clip, our, "--at", "0", "--avatar", file,
             "--camera", "body", "--size", f"{SIZE}x{SIZE}", "--background", "none"],
            capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        a = [not (p[0] > 200 and p[1] < 60 and p[2] > 200) for p in png_pixels(theirs)]
        b = [p[3] > 127 for p in png_pixels(our)]
        both = sum(x and y for x, y in zip(a, b))
        either = max(sum(x or y for x, y in zip(a, b)), 1)
        self.say(f"{name}: {sum(a)} and {sum(b)} pixels, {both / either:.4f} in common")
        self.assertGreater(both / either, least, our)

    def assert_same_pictures(self, file, tab, ours, poses, name, weights=None, names=None):
        for i, (turns, _) in enumerate(poses):
            shapes = weights[i] if weights else {}
            told = {(names or {}).get(k, k): w for k, w in shapes.items()}
            tab.evaluate(f"X.pose({json.dumps(turns)}, {{}}, {json.dumps(told)})")
            self.assert_same_picture(file, tab, self.clip(ours, turns, shapes), f"{name}{i}")

    @unittest.skipIf(JOE is None, "no ../shared/data/JoeHAnimKick1a.x3d")
    def test_joe_is_moved_and_drawn_as_x_ite_does(self):
        tab, ours = self.assert_same_points(JOE, POSES)
        self.assert_same_pictures(JOE, tab, ours, POSES, "joe")

    def test_segments_skin_and_displacers_are_moved_and_drawn_as_x_ite_does(self):
        file = self.folder / "ann.x3d"
        file.write_text(small_humanoid())
        # X_ITE turns a segment's displacements twice, with the segment and once more: its own space
        # is what ISO/IEC 19774-1 gives them, so no segment turns while its displacers move it.
        poses = [({}, {}),
                 ({"l_shoulder": [0, 0, 1, 1.2], "l_elbow": [-1, 0, 0, 1], "l_wrist": [0, 0, 1, .5],
                   "r_hip": [-1, 0, 0, 1], "r_knee": [1, 0, 0, 1.2]}, {}),
                 ({"r_shoulder": [0, 0, -1, 2], "l_elbow": [-1, 1, 0, 1.5],
                   "l_ankle": [-1, 0, 0, .6], "sacroiliac": [0, 1, 0, .5]}, {}),
                 ({"vl5": [0, 0, 1, .4], "skullbase": [0, 1, 0, .8], "l_hip": [0, 0, 1, .5]}, {})]
        weights = [{}, {"jawOpen": 1, "mouthPucker": 1.5}, {"cheekPuff": 1, "mouthPucker": -.5},
                   {"mouthPucker": 1}]
        names = {"jawOpen": "x_jawOpen_action"}
        tab, ours = self.assert_same_points(file, poses, weights, names)
        self.assert_same_pictures(file, tab, ours, poses, "ann", weights, names)

    def test_what_we_export_is_moved_as_x_ite_does(self):
        whole = self.folder / "whole.x3d"
        whole.write_text(small_humanoid())
        poses = [({}, {}), ({"l_shoulder": [0, 0, 1, 1.2], "l_elbow": [-1, 0, 0, 1],
                             "r_hip": [-1, 0, 0, 1], "skullbase": [0, 1, 0, .8]}, {})]
        weights = [{"jawOpen": 1}, {"jawOpen": .5, "mouthPucker": 1, "cheekPuff": 1}]
        def export(name, *more):
            done = subprocess.run([BIN / "animclip", "export", whole, self.folder / name, *more],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return self.folder / name

        for version, ankle, foot in (("1", "l_ankle", "l_hindfoot"), ("2", "l_talocrural", "l_talus")):
            tab, ours = self.assert_same_points(export(f"v{version}.x3d", "--hanim", version), poses, weights)
            has = tab.evaluate(f"""(() => {{
              const joint = X.joints['{ankle}'];
              const segment = [...joint.children].find((s) => s.getNodeTypeName() === 'HAnimSegment');
              const site = [...segment.children].find((s) => s.getNodeTypeName() === 'HAnimSite');
              return [segment.name, segment.mass > 0.1, segment.momentsOfInertia.length,
                      joint.llimit.length, site.name];
            }})()""")
            self.assertEqual(has, [foot, True, 9, 3, "l_foot"])
        tab = self.open(export("frames.x3d", "--clip", "wave", "--frames"), ours)
        self.assertEqual(tab.evaluate("X.human.motions.length"), 1)
        self.assertGreater(tab.evaluate("X.human.motions[0].frameCount"), 30)
        turned = tab.evaluate("""(async () => {
          const joints = Object.values(X.joints);
          for (let i = 0; i < 60 && joints.every((j) => Math.abs(j.rotation.angle) < .1); ++i) {
            await X.frames(1);
          }
          return Math.max(...joints.map((j) => Math.abs(j.rotation.angle)));
        })()""")
        self.assertGreater(turned, .1, "X_ITE plays the frames")

    def test_joints_placed_by_translation_are_moved_and_drawn_as_x_ite_does(self):
        """As x3d-tidy writes glTF: Transforms without centers, and a skin bound by matrices."""
        names = ["a", "b", "c"]
        places = [((0, 1, 0), None), ((0.1, 0.5, 0), (0, 0, 1, 0.5)), ((0, 0.5, 0.1), None)]
        skin = {"a": "0 1", "b": "2 3", "c": "4 5"}
        box = "<HAnimSegment><Shape><Appearance><Material/></Appearance><Box size='.3 .3 .3'/></Shape></HAnimSegment>"
        text, ends = "", ""
        for n, (place, turn) in zip(names, places):
            rotation = f" rotation='{' '.join(map(str, turn))}'" if turn else ""
            root = " containerField='skeleton'" if n == "a" else ""
            text += (f"<HAnimJoint DEF='{n}' name='x_{n}' translation='{' '.join(map(str, place))}'{rotation}"
                     f"{root} skinCoordIndex='{skin[n]}' skinCoordWeight='1 1'>{box}")
            ends += "</HAnimJoint>"
        text += ends + "".join(f"<HAnimJoint USE='{n}' containerField='joints'/>" for n in names)
        file = self.folder / "placed.x3d"
        file.write_text(f"""<X3D profile='Immersive' version='4.0'><head><component name='HAnim' level='3'/>
            </head><Scene><HAnimHumanoid name='P'
            jointBindingPositions='0 -1 0, -.1 -1.5 0, 0 -2 -.1'
            jointBindingRotations='0 0 1 0, 0 0 1 -.25, 1 0 0 0' jointBindingScales='1 1 1, 1 1 1, 1.5 1.5 1.5'>
            {text}<Coordinate DEF='p' containerField='skinCoord'
            point='-.4 1 0, .4 1 0, -.4 1.5 0, .4 1.5 0, -.4 2 .1, .4 2 .1'/>
            <Shape containerField='skin'><Appearance><Material/></Appearance><IndexedFaceSet solid='false'
            coordIndex='0 1 3 2 -1 2 3 5 4 -1'><Coordinate USE='p'/></IndexedFaceSet></Shape>
            </HAnimHumanoid></Scene></X3D>""")
        poses = [({}, {}), ({"x_a": [0, 0, 1, 0.6], "x_c": [0, 1, 0, 0.5]}, {}),
                 ({"x_c": [1, 0, 0, -0.8]}, {})]
        tab, ours = self.assert_same_points(file, poses)
        for turns, _ in poses:
            turns.setdefault("x_b", [0, 0, 1, 0.5])  # in a clip it rests so
        self.assert_same_pictures(file, tab, ours, poses, "placed")


if __name__ == "__main__":
    unittest.main()
