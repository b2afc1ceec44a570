"""Stages that animclip writes, as OpenUSD reads them, and stages that OpenUSD writes, as animclip
reads them. usd-core from PyPI is the judge, where this Python has it."""

import base64
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path

try:
    from pxr import Gf, Sdf, Usd, UsdGeom, UsdMedia, UsdSkel, UsdUtils, UsdValidation, Vt
except ImportError:
    Usd = None

DATA = Path(os.environ["POSEWIRE_SOURCE_DIR"]).parent / "shared" / "data"
ANIMCLIP = os.environ["POSEWIRE_ANIMCLIP"]
RANDOM = random.Random(7)


def convert(source, target, *flags):
    # Where it finds this Python.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run([ANIMCLIP, "convert", str(source), str(target), *flags], capture_output=True,
                          text=True, env={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stderr


def turn():
    q = [RANDOM.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(v * v for v in q))
    return [v / length for v in q]


def slerp(a, b, t):
    cos = sum(x * y for x, y in zip(a, b))
    if cos < 0:
        b, cos = [-y for y in b], -cos
    angle = math.acos(min(cos, 1))
    if angle < 1e-6:
        return [x + (y - x) * t for x, y in zip(a, b)]
    return [(x * math.sin((1 - t) * angle) + y * math.sin(t * angle)) / math.sin(angle)
            for x, y in zip(a, b)]


def lerp(a, b, t):
    return [x + (y - x) * t for x, y in zip(a, b)]


def at(keys, code, mix):
    """The values of a track at a time: keys are (code, values)."""
    later = next((i for i, k in enumerate(keys) if k[0] > code), len(keys))
    if later in (0, len(keys)):
        return keys[min(later, len(keys) - 1)][1]
    (a, left), (b, right) = keys[later - 1], keys[later]
    return [mix(x, y, (code - a) / (b - a)) for x, y in zip(left, right)]


def matrix(translation, rotation, scale=(1, 1, 1)):
    out = Gf.Matrix4d(1).SetScale(Gf.Vec3d(*scale))
    out *= Gf.Matrix4d(1).SetRotate(Gf.Quatd(rotation[0], Gf.Vec3d(*rotation[1:])))
    return out * Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(*translation))


def read(path):
    """A clip's joints, shapes and tracks, by way of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "clip.jsonl"
        convert(path, text)
        messages = [json.loads(line) for line in text.read_text().splitlines()]
    header = messages[0]["animationDataStreamHeader"].get("skelAnimationHeader", {})
    tracks = {"blendShapeWeights": [], "translations": [], "rotations": [], "scales": []}
    names = {"translations": "xyz", "scales": "xyz", "rotations": ["real", "i", "j", "k"]}
    for message in messages[1:]:
        pose = message.get("animationData", {}).get("skelAnimation", {})
        for name, keys in pose.items():
            for key in keys:
                values = key["values"]
                if name in names:
                    values = [[v.get(n, 0) for n in names[name]] for v in values]
                tracks[name].append((key.get("timeCode", 0), values))
    return header.get("joints", []), header.get("blendShapes", []), tracks


@unittest.skipIf(Usd is None, "usd-core is not installed (pip install usd-core)")
class UsdCore(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return Path(self.folder.name) / name

    def same(self, ours, theirs, what, tolerance=1e-5):
        worst = max(abs(ours[r][c] - theirs[r][c]) for r in range(4) for c in range(4))
        self.assertLess(worst, tolerance, what)

    def queries(self, path):
        stage = Usd.Stage.Open(str(path))
        within = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
        prims = list(Usd.PrimRange(stage.GetPseudoRoot(), within))
        root = next(UsdSkel.Root(p) for p in prims if UsdSkel.Root(p))
        cache = UsdSkel.Cache()
        cache.Populate(root, within)
        skeleton = next(UsdSkel.Skeleton(p) for p in prims if UsdSkel.Skeleton(p))
        self.place = skeleton.GetPrim()
        return stage, cache.GetSkelQuery(skeleton)

    def test_what_we_write_is_what_openusd_reads(self):
        for rate in (30, None):
            joints = ["Root"] + [f"Root/{side}{i}/Leaf"[:7] for side in "LR" for i in range(3)]
            joints += [f"{j}/Leaf" for j in joints[1:]]
            codes = sorted({i / 30 if rate else RANDOM.uniform(0, 3) for i in range(90)})
            tracks = {"translations": [], "rotations": [], "blendShapeWeights": []}
            shapes = ["jawOpen", "smile \"left\"", "Ä"]
            header = {"skelAnimationHeader": {"joints": joints, "blendShapes": shapes}}
            lines = [json.dumps({"animationDataStreamHeader": header})]
            for code in codes:
                tracks["translations"].append(
                    (code, [[RANDOM.uniform(-1, 1) for _ in "xyz"] for _ in joints]))
                tracks["rotations"].append((code, [turn() for _ in joints]))
                tracks["blendShapeWeights"].append((code, [RANDOM.random() for _ in shapes]))
                t, r, w = (tracks[n][-1][1] for n in ("translations", "rotations",
                                                      "blendShapeWeights"))
                pose = {
                    "translations": [{"timeCode": code, "values": [
                        dict(zip("xyz", v)) for v in t]}],
                    "rotations": [{"timeCode": code, "values": [
                        dict(zip(("real", "i", "j", "k"), v)) for v in r]}],
                    "blendShapeWeights": [{"timeCode": code, "values": w}]}
                lines.append(json.dumps({"animationData": {"skelAnimation": pose}}))
            lines.append(json.dumps({"status": {"code": "SUCCESS"}}))
            self.path("a.jsonl").write_text("\n".join(lines) + "\n")
            written = self.path(f"at_{rate}.usda")
            convert(self.path("a.jsonl"), written)
            stage, query = self.queries(written)
            self.assertEqual(UsdGeom.GetStageMetersPerUnit(stage), 1)
            self.assertEqual(UsdGeom.GetStageUpAxis(stage), "Y")
            animation = query.GetAnimQuery()
            self.assertEqual(list(animation.GetBlendShapeOrder()), shapes)
            order = [joints.index(j) for j in query.GetJointOrder()]
            parents = list(query.GetTopology().GetParentIndices())
            tcps = stage.GetTimeCodesPerSecond()
            self.assertEqual(tcps, rate or 64)
            for code in [RANDOM.uniform(codes[0], codes[-1]) for _ in range(100)]:
                local = query.ComputeJointLocalTransforms(code * tcps)
                whole = query.ComputeJointSkelTransforms(code * tcps)
                t, r = at(tracks["translations"], code, lerp), at(tracks["rotations"], code, slerp)
                ours = []
                for j, source in enumerate(order):
                    ours.append(matrix(t[source], r[source]))
                    self.same(ours[j], local[j], f"{joints[source]} at {code}")
                    if parents[j] >= 0:
                        ours[j] *= ours[parents[j]]
                    self.same(ours[j], whole[j], f"{joints[source]} at {code}")
                weights = at(tracks["blendShapeWeights"], code, lambda x, y, u: x + (y - x) * u)
                theirs = animation.ComputeBlendShapeWeights(code * tcps)
                self.assertLess(max(abs(x - y) for x, y in zip(weights, theirs)), 1e-5)
            self.extents_agree(stage, [UsdSkel.Root(self.place.GetParent()),
                                       UsdSkel.Skeleton(self.place)], [c * tcps for c in codes])
            # The animation as value clips, at the same times and between them.
            apart = self.path(f"clips_{rate}.usda")
            convert(self.path("a.jsonl"), apart, "--value-clips", "0.7")
            clips, parts = self.queries(apart)
            for code in [RANDOM.uniform(codes[0], codes[-1]) for _ in range(50)] + codes:
                for one, other in zip(query.ComputeJointLocalTransforms(code * tcps),
                                      parts.ComputeJointLocalTransforms(code * tcps)):
                    self.same(one, other, f"value clips at {code}", 1e-6)
                self.assertLess(max(abs(x - y) for x, y in zip(
                    animation.ComputeBlendShapeWeights(code * tcps),
                    parts.GetAnimQuery().ComputeBlendShapeWeights(code * tcps))), 1e-6)
            used = {Path(layer.identifier).name for layer in clips.GetUsedLayers()
                    if not layer.anonymous}
            self.assertIn(f"clips_{rate}.clip003.usda", used)
            for name in used:
                self.check(self.path(name))
            # The very time codes come back.
            again = read(written)
            self.assertEqual([c for c, _ in again[2]["rotations"]], codes)
            self.check(written)

    def extents_agree(self, stage, prims, times):
        """The extents that are written are those that OpenUSD computes."""
        for time in RANDOM.sample(times, min(len(times), 20)):
            for prim in prims:
                theirs = UsdGeom.Boundable.ComputeExtentFromPlugins(prim, time)
                for ours, box in zip(prim.GetExtentAttr().Get(time), theirs):
                    self.assertLess((ours - box).GetLength(), 1e-4, f"{prim.GetPath()} at {time}")

    def check(self, path):
        """What usdchecker does."""
        stage = Usd.Stage.Open(str(path))
        validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
        self.assertGreater(len(validators), 20)
        found = UsdValidation.ValidationContext(validators).Validate(stage)
        self.assertEqual([e.GetMessage() for e in found], [])

    def test_camera_and_voice_are_what_openusd_reads(self):
        rate, frames, share = 16000, 60, 533
        lines = [{"animationDataStreamHeader": {
            "audioHeader": {"channelCount": 1, "samplesPerSecond": rate, "bitsPerSample": 16},
            "skelAnimationHeader": {"joints": ["Root"]}}}]
        shots = {}
        for frame in range(frames):
            code = (30 + frame) / 30
            shots[code] = [RANDOM.uniform(-3, 3) for _ in "xyz"], turn(), RANDOM.uniform(20, 90)
            place, q, focal = shots[code]
            pcm = struct.pack(f"<{share}h", *(RANDOM.randrange(-9999, 9999) for _ in range(share)))
            lines.append({"animationData": {
                "skelAnimation": {
                    "translations": [{"timeCode": code, "values": [{"y": 1}]}],
                    "rotations": [{"timeCode": code, "values": [{"real": 1}]}]},
                "audio": {"timeCode": 1 + frame * share / rate,
                          "audioBuffer": base64.b64encode(pcm).decode()},
                "camera": {
                    "position": [{"timeCode": code, "value": dict(zip("xyz", place))}],
                    "rotation": [{"timeCode": code,
                                  "value": dict(zip(("real", "i", "j", "k"), q))}],
                    "focalLength": [{"timeCode": code, "value": focal}]}}})
        lines.append({"status": {"code": "SUCCESS"}})
        self.path("a.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
        convert(self.path("a.jsonl"), self.path("a.usda"))
        stage = Usd.Stage.Open(str(self.path("a.usda")))
        tcps = stage.GetTimeCodesPerSecond()
        self.assertEqual(UsdUtils.GetPrimaryCameraName(), "main_cam")
        cameras = [p for p in stage.Traverse() if p.IsA(UsdGeom.Camera)]
        self.assertEqual([c.GetName() for c in cameras], ["main_cam"])
        for code, (place, q, focal) in shots.items():
            theirs = UsdGeom.Camera(cameras[0]).GetCamera(code * tcps)
            self.same(matrix(place, q), theirs.transform, f"camera at {code}")
            angle = math.degrees(2 * math.atan(24 / (2 * focal)))
            self.assertAlmostEqual(theirs.GetFieldOfView(theirs.FOVVertical), angle, 3)
            self.assertLess(theirs.clippingRange.min, 0.1)
        sound = next(UsdMedia.SpatialAudio(p) for p in stage.Traverse()
                     if p.IsA(UsdMedia.SpatialAudio))
        self.assertEqual(sound.GetStartTimeAttr().Get().GetValue(), tcps)
        self.assertEqual(sound.GetAuralModeAttr().Get(), "nonSpatial")
        with wave.open(sound.GetFilePathAttr().Get().resolvedPath) as voice:
            self.assertEqual((voice.getframerate(), voice.getnframes()), (rate, frames * share))
        self.assertEqual((stage.GetStartTimeCode(), stage.GetEndTimeCode()), (30, 89))
        self.check(self.path("a.usda"))

    def test_rig_and_clip_apart_are_one_to_openusd(self):
        joints = ["A", "A/B", "C"]
        source = self.make("s.usda", joints, joints, shapes=("x", "y"))
        convert(source, self.path("whole.usda"))
        convert(source, self.path("take.usda"), "--split-usd")
        stage = Usd.Stage.Open(str(self.path("take.usda")))
        self.assertEqual({Path(layer.identifier).name for layer in stage.GetUsedLayers()
                          if not layer.anonymous}, {"take.usda", "take.rig.usda", "take.clip.usda"})
        whole, query = self.queries(self.path("whole.usda"))
        _, apart = self.queries(self.path("take.usda"))
        for code in range(int(whole.GetEndTimeCode()) + 1):
            for a, b in zip(query.ComputeJointSkelTransforms(code),
                            apart.ComputeJointSkelTransforms(code)):
                self.same(a, b, code, 1e-9)
            self.assertEqual(query.GetAnimQuery().ComputeBlendShapeWeights(code),
                             apart.GetAnimQuery().ComputeBlendShapeWeights(code))
        self.assertEqual(read(self.path("take.usda")), read(self.path("whole.usda")))
        for name in ("take.usda", "take.rig.usda", "take.clip.usda"):
            self.check(self.path(name))
        rig = Usd.Stage.Open(str(self.path("take.rig.usda")))
        self.assertFalse([p for p in rig.Traverse() if p.IsA(UsdSkel.Animation)])
        clip = Usd.Stage.Open(str(self.path("take.clip.usda")))
        self.assertTrue(clip.GetDefaultPrim().IsA(UsdSkel.Animation))

    def test_a_camera_of_openusd_is_read_as_it_reads_it(self):
        path = self.make("shot.usda", ["A"], ["A"], z_up=True, unit=0.01)
        stage = Usd.Stage.Open(str(path))
        crane = UsdGeom.Xform.Define(stage, "/W/Crane")
        crane.AddRotateXYZOp().Set(Gf.Vec3f(10, 20, 30))
        crane.AddTranslateOp().Set(Gf.Vec3d(100, 200, 300))
        camera = UsdGeom.Camera.Define(stage, "/W/Crane/Camera")
        camera.AddTransformOp().Set(Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(1, 2, 3)), 2)
        camera.GetOrderedXformOps()[0].Set(Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(5, 2, 3)), 14)
        camera.CreateFocalLengthAttr(35)
        stage.Save()
        convert(path, self.path("shot.jsonl"))
        keys = {"position": {}, "rotation": {}, "focalLength": {}}
        for line in self.path("shot.jsonl").read_text().splitlines():
            for name, values in json.loads(line).get("animationData", {}).get("camera", {}).items():
                for key in values:
                    keys[name][key.get("timeCode", 0)] = key["value"]
        up = Gf.Matrix4d(1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1)
        self.assertEqual(sorted(keys["position"]), [2 / 24, 14 / 24])
        for code, value in keys["position"].items():
            world = UsdGeom.XformCache(code * 24).GetLocalToWorldTransform(camera.GetPrim()) * up
            world.SetTranslateOnly(world.ExtractTranslation() * 0.01)
            q = [keys["rotation"][code].get(n, 0) for n in ("real", "i", "j", "k")]
            self.same(matrix([value.get(n, 0) for n in "xyz"], q), world, code)
        angle = camera.GetCamera(1).GetFieldOfView(Gf.Camera.FOVVertical)
        focal, = keys["focalLength"].values()
        self.assertAlmostEqual(math.degrees(2 * math.atan(12 / focal)), angle, 3)

    def test_a_face_alone_is_what_openusd_reads(self):
        self.path("f.csv").write_text(
            "timeCode,blendShapes.A,blendShapes.B\n0,0,1\n0.5,0.25,0\n1.25,1,0.5\n")
        convert(self.path("f.csv"), self.path("f.usda"))
        stage = Usd.Stage.Open(str(self.path("f.usda")))
        animation = UsdSkel.Animation(stage.GetPrimAtPath("/Avatar/Skeleton/Animation"))
        self.assertEqual(list(animation.GetBlendShapesAttr().Get()), ["A", "B"])
        weights = animation.GetBlendShapeWeightsAttr()
        self.assertEqual(list(weights.Get(.25 * stage.GetTimeCodesPerSecond())), [0.125, 0.5])
        self.check(self.path("f.usda"))

    def agree(self, path, has_joints=True, between=True, tolerance=1e-5):
        """Our local transforms of each key, and between them, beside OpenUSD's, roots where they
        stand."""
        joints, shapes, tracks = read(path)
        stage, query = self.queries(path)
        tcps = stage.GetTimeCodesPerSecond()
        place = self.place  # of an instance, the query has that of all of them
        up = Gf.Matrix4d(1)
        if UsdGeom.GetStageUpAxis(stage) == "Z":
            up = Gf.Matrix4d(1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1)
        unit = UsdGeom.GetStageMetersPerUnit(stage)
        parents = list(query.GetTopology().GetParentIndices())
        codes = {c for name in ("translations", "rotations") for c, _ in tracks[name]}
        if has_joints:
            self.assertEqual(joints, list(query.GetJointOrder()))
            self.assertTrue(codes)
            if between:
                codes |= {RANDOM.uniform(min(codes), max(codes)) for _ in range(100)}
        for code in sorted(codes):
            world = UsdGeom.XformCache(code * tcps).GetLocalToWorldTransform(place)
            # Where it stands takes lengths along; the rest of it is the roots'.
            scale = (world * up).GetDeterminant3() ** (1 / 3) * unit
            local = query.ComputeJointLocalTransforms(code * tcps)
            t, r = at(tracks["translations"], code, lerp), at(tracks["rotations"], code, slerp)
            s = at(tracks["scales"], code, lerp) if tracks["scales"] else [(1, 1, 1)] * len(joints)
            for j, _ in enumerate(joints):
                theirs = local[j]
                if parents[j] < 0:
                    theirs = theirs * world * up
                    theirs *= Gf.Matrix4d(1).SetScale(unit)
                    turned = theirs.GetOrthonormalized()
                    self.assertLess((Gf.Vec3d(*t[j]) - theirs.ExtractTranslation()).GetLength(),
                                    tolerance)
                    ours = matrix((0, 0, 0), r[j])
                    turned.SetTranslateOnly(Gf.Vec3d(0))
                    self.same(ours, turned, f"{joints[j]} at {code}", tolerance)
                else:
                    theirs.SetTranslateOnly(theirs.ExtractTranslation() * scale)
                    self.same(matrix(t[j], r[j], s[j]), theirs, f"{joints[j]} at {code}",
                              tolerance)
        animation = query.GetAnimQuery()
        self.assertEqual(shapes, list(animation.GetBlendShapeOrder()))
        for code, weights in tracks["blendShapeWeights"]:
            theirs = animation.ComputeBlendShapeWeights(code * tcps)
            self.assertLess(max(abs(x - y) for x, y in zip(weights, theirs)), 1e-5)

    def make(self, name, joints, moved, z_up=False, unit=1.0, place=None, inherited=False,
             shapes=()):
        """A stage by usd-core's own hand."""
        stage = Usd.Stage.CreateNew(str(self.path(name)))
        stage.SetTimeCodesPerSecond(24)
        UsdGeom.SetStageUpAxis(stage, "Z" if z_up else "Y")
        UsdGeom.SetStageMetersPerUnit(stage, unit)
        root = UsdSkel.Root.Define(stage, "/W/Root")
        if place is not None:
            UsdGeom.Xformable(root).AddTransformOp().Set(place)
        skeleton = UsdSkel.Skeleton.Define(stage, "/W/Root/In/Skel")
        animation = UsdSkel.Animation.Define(stage, "/W/Root/Anim")
        rest = [matrix([RANDOM.uniform(-1, 1) for _ in "xyz"], turn()) for _ in joints]
        skeleton.CreateJointsAttr(joints)
        skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray(rest))
        parents = UsdSkel.Topology(joints).GetParentIndices()
        bind = []
        for j, parent in enumerate(parents):
            bind.append(rest[j] * bind[parent] if parent >= 0 else rest[j])
        skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray(bind))
        site = root.GetPrim() if inherited else skeleton.GetPrim()
        UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
        binding = UsdSkel.BindingAPI.Apply(site)
        binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        animation.CreateJointsAttr(moved)
        for time in range(1, 20, 3):
            animation.CreateTranslationsAttr().Set(
                Vt.Vec3fArray([Gf.Vec3f(*(RANDOM.uniform(-1, 1) for _ in "xyz")) for _ in moved]),
                time)
            animation.CreateScalesAttr().Set(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(moved)), time)
        for time in (1, 2.5, 11, 19):
            animation.CreateRotationsAttr().Set(
                Vt.QuatfArray([Gf.Quatf(q[0], Gf.Vec3f(*q[1:])) for q in
                               (turn() for _ in moved)]), time)
        if shapes:
            animation.CreateBlendShapesAttr(list(shapes))
            for time in (1, 7, 30):
                animation.CreateBlendShapeWeightsAttr().Set([RANDOM.random() for _ in shapes], time)
        stage.Save()
        return self.path(name)

    def test_stages_of_openusd_are_read_as_it_reads_them(self):
        joints = ["A", "A/B", "A/B/Tip", "A/C", "A/C/Tip", "D"]
        self.agree(self.make("plain.usda", joints, joints, shapes=("x", "y")))
        self.agree(self.make("remapped.usda", joints, ["D", "A/C/Tip", "A", "A/B/Tip", "A/B",
                                                       "A/C"]))
        self.agree(self.make("sparse.usda", joints, ["A/C", "Nobody", "A"]))
        self.agree(self.make("inherited.usda", joints, joints, inherited=True))
        place = Gf.Matrix4d(1).SetRotate(Gf.Rotation(Gf.Vec3d(1, 2, 3), 40))
        place = Gf.Matrix4d(1).SetScale(2.5) * place
        place *= Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(3, -4, 5))
        self.agree(self.make("placed.usda", joints, joints, place=place))
        self.agree(self.make("z_up.usda", joints, joints, z_up=True, unit=0.01, place=place))

    def test_references_sublayers_and_offsets_are_composed_as_openusd_does(self):
        joints = ["A", "A/B"]
        self.make("rig.usda", joints, joints)
        self.path("over.usda").write_text(
            "#usda 1.0\n( subLayers = [@rig.usda@ (offset = 10; scale = 0.5)]\n"
            "timeCodesPerSecond = 48; metersPerUnit = 1; upAxis = \"Y\" )\n")
        self.agree(self.path("over.usda"))
        self.path("set.usda").write_text(
            "#usda 1.0\n( timeCodesPerSecond = 60; metersPerUnit = 1; upAxis = \"Y\" )\n"
            "def Xform \"One\" ( references = @rig.usda@</W> (offset = 5; scale = 2)\n)\n{\n"
            "double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 100: (1, 0, 0) }\n"
            "uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n")
        self.agree(self.path("set.usda"), between=False)

    def animate(self, name, prim, start, count, joints=("A", "A/B")):
        """A file with nothing but the samples of an animation."""
        stage = Usd.Stage.CreateNew(str(self.path(name)))
        animation = UsdSkel.Animation.Define(stage, prim)
        for i in range(count):
            time = start + i * RANDOM.choice((1, 1.5, 2))
            animation.CreateTranslationsAttr().Set(Vt.Vec3fArray(
                [Gf.Vec3f(*(RANDOM.uniform(-1, 1) for _ in "xyz")) for _ in joints]), time)
            animation.CreateRotationsAttr().Set(Vt.QuatfArray(
                [Gf.Quatf(q[0], Gf.Vec3f(*q[1:])) for q in (turn() for _ in joints)]), time)
        stage.Save()
        return f"./{name}"

    def test_value_clips_are_read_as_openusd_reads_them(self):
        joints = ["A", "A/B"]
        files = [self.animate(f"c{i}.usda", "/Anim", 3 * i, 8) for i in range(3)]
        for case in range(12):
            stage = Usd.Stage.Open(str(self.make(f"s{case}.usda", joints, joints)))
            animation = stage.GetPrimAtPath("/W/Root/Anim")
            for name in ("translations", "rotations"):
                animation.RemoveProperty(name)
            UsdSkel.Animation(animation).CreateScalesAttr().Clear()
            UsdSkel.Animation(animation).CreateScalesAttr([Gf.Vec3h(1, 1, 1)] * 2)
            clips = Usd.ClipsAPI(animation)
            if case == 11:
                for i, file in enumerate(files):
                    (self.path(f"t.{10 + i * 10:03}.usda")).write_text(
                        self.path(file).read_text())
                clips.SetClipPrimPath("/Anim")
                clips.SetClipTemplateAssetPath("./t.###.usda")
                clips.SetClipTemplateStartTime(0)
                clips.SetClipTemplateEndTime(40)
                clips.SetClipTemplateStride(10)
            else:
                clips.SetClipAssetPaths([Sdf.AssetPath(f) for f in files])
                clips.SetClipPrimPath("/Anim")
                starts = sorted(RANDOM.sample(range(30), RANDOM.randint(1, 5)))
                clips.SetClipActive([(t, RANDOM.randrange(3)) for t in starts])
                times = []
                for t in sorted(RANDOM.sample(range(1, 35), RANDOM.randint(0, 5))):
                    times.append((t, RANDOM.randrange(20)))
                    if RANDOM.random() < 0.4:
                        times.append((t, RANDOM.randrange(20)))
                if times:
                    clips.SetClipTimes(times)
            stage.Save()
            path = self.path(f"s{case}.usda")
            with self.subTest(case=case):
                self.agree(path, tolerance=3e-5)

    def test_variants_are_chosen_as_openusd_chooses_them(self):
        joints = ["A", "A/B"]
        for case in range(6):
            rig = self.make(f"rig{case}.usda", joints, joints, shapes=("x",))
            stage = Usd.Stage.Open(str(rig))
            root = stage.GetPrimAtPath("/W/Root")
            moods = root.GetVariantSets().AddVariantSet("mood")
            for mood in ("calm", "wild"):
                moods.AddVariant(mood)
                moods.SetVariantSelection(mood)
                with moods.GetVariantEditContext():
                    other = UsdSkel.Animation.Define(stage, f"/W/Root/{mood}")
                    other.GetPrim().GetReferences().AddReference(
                        self.animate(f"{mood}{case}.usda", "/Anim", 0, 5), "/Anim")
                    other.CreateJointsAttr(joints)
                    other.CreateScalesAttr([Gf.Vec3h(1, 1, 1)] * 2)
                    skeleton = stage.GetPrimAtPath("/W/Root/In/Skel")
                    UsdSkel.BindingAPI(skeleton).CreateAnimationSourceRel().SetTargets(
                        [f"/W/Root/{mood}"])
                    inner = root.GetVariantSets().AddVariantSet("size")
                    for size in ("big", "small"):
                        inner.AddVariant(size)
                        inner.SetVariantSelection(size)
                        with inner.GetVariantEditContext():
                            UsdGeom.Xformable(root).ClearXformOpOrder()
                            UsdGeom.Xformable(root).AddScaleOp().Set(
                                Gf.Vec3f(2 if size == "big" else 0.5))
            # What the skeleton says itself would be stronger than the variants.
            stage.GetPrimAtPath("/W/Root/In/Skel").RemoveProperty("skel:animationSource")
            if case % 2:
                moods.ClearVariantSelection()
            stage.SetDefaultPrim(stage.GetPrimAtPath("/W"))
            stage.Save()
            stage.GetRootLayer().Save()
            self.path(f"set{case}.usda").write_text(
                "#usda 1.0\n( metersPerUnit = 1; upAxis = \"Y\" )\n"
                f"def \"Set\" ( references = @rig{case}.usda@ )\n{{\n"
                "    over \"Root\" (\n        variants = {\n"
                f"            string mood = \"{('calm', 'wild')[case // 2 % 2]}\"\n"
                + ("            string size = \"big\"\n" if case > 3 else "")
                + "        }\n    )\n    {\n    }\n}\n")
            with self.subTest(case=case):
                self.agree(self.path(f"set{case}.usda"))
                if case % 2 == 0:
                    self.agree(rig)

    def test_instances_of_a_character_move_each_by_its_own_animation(self):
        joints = ["A", "A/B"]
        rig = Usd.Stage.Open(str(self.make("rig.usda", joints, joints)))
        rig.GetPrimAtPath("/W/Root/In/Skel").RemoveProperty("skel:animationSource")
        rig.RemovePrim("/W/Root/Anim")
        rig.Save()
        for order in (("Walk", "Run"), ("Run", "Walk")):
            stage = Usd.Stage.CreateNew(str(self.path(f"two{order[0]}.usda")))
            UsdGeom.SetStageMetersPerUnit(stage, 1)
            UsdGeom.SetStageUpAxis(stage, "Y")
            for name in order:
                file = self.animate(f"{name}{order[0]}.usda", "/Anim", 0, 6)
                animation = UsdSkel.Animation.Define(stage, f"/{name}Anim")
                animation.GetPrim().GetReferences().AddReference(file, "/Anim")
                animation.CreateJointsAttr(joints)
                animation.CreateScalesAttr([Gf.Vec3h(1, 1, 1)] * 2)
                body = stage.DefinePrim(f"/{name}")
                body.GetReferences().AddReference("./rig.usda", "/W/Root")
                body.SetInstanceable(True)
                UsdGeom.Xformable(body).AddTranslateOp().Set(Gf.Vec3d(len(name), 0, 0))
                binding = UsdSkel.BindingAPI.Apply(body)
                binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
            stage.Save()
            self.assertTrue(stage.GetPrimAtPath("/Walk").IsInstance())
            self.agree(self.path(f"two{order[0]}.usda"))

    def test_bindings_count_where_openusd_counts_them(self):
        """Outside a SkelRoot none; an animation that is bound above one counts."""
        for above, plays in (("Xform", False), ("SkelRoot", True)):
            path = self.make(f"in_{above}.usda", ["A", "A/B"], ["A", "A/B"])
            text = path.read_text().replace('def SkelRoot "Root"', f'def {above} "Root"')
            path.write_text(text)
            stage = Usd.Stage.Open(str(path))
            roots = [UsdSkel.Root(p) for p in stage.Traverse() if UsdSkel.Root(p)]
            self.assertEqual(bool(roots), plays)
            done = subprocess.run([ANIMCLIP, "convert", str(path), str(self.path("o.jsonl"))],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, plays, done.stderr)
            if not plays:
                self.assertIn("--outside-skel-root", done.stderr)
                convert(path, self.path("o.jsonl"), "--outside-skel-root")

    def test_binary_stages_are_read_by_way_of_openusd(self):
        joints = ["A", "A/B", "C"]
        text = self.make("a.usda", joints, joints, shapes=("x",))
        Usd.Stage.Open(str(text)).Export(str(self.path("b.usdc")))
        self.agree(self.path("b.usdc"))
        self.assertTrue(UsdUtils.CreateNewUsdzPackage(str(text), str(self.path("c.usdz"))))
        self.assertEqual(read(self.path("c.usdz")), read(text))

    def test_openusds_own_scenes(self):
        for name, has_joints in (("lbs", True), ("blendshapes", False)):
            scene = DATA / f"{name}.usda"
            if not scene.exists():
                self.skipTest(f"{scene} is absent")
            self.agree(scene, has_joints)


if __name__ == "__main__":
    unittest.main(verbosity=2)
