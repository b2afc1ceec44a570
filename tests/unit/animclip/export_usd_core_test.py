"""Characters that animclip exports, as OpenUSD reads and bakes them. usd-core from PyPI is the judge,
where this Python has it."""

import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    from pxr import Gf, Usd, UsdGeom, UsdSkel, UsdUtils, UsdValidation
except ImportError:
    Usd = None

ANIMCLIP = Path(os.environ["POSEWIRE_ANIMCLIP"])
POINTS = ANIMCLIP.parent.parent / "tests" / "character_points"
TUBE = Path(os.environ["POSEWIRE_SOURCE_DIR"]) / "tests/field/09-usd-dot-joint/plain.usda"


def turn(axis, angle):
    s = math.sin(angle / 2)
    return math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]


# By joint: its turn in each frame. And the weights of shapes.
TURNS = {"l_shoulder": [turn((0, 0, 1), a) for a in (0, 0.7, 1.2)],
         "l_elbow": [turn((1, 0, 0), -a) for a in (0, 1.1, 0.4)],
         "vl5": [turn((0, 1, 0), a) for a in (0, 0.2, -0.3)],
         "skullbase": [turn((1, 0, 0), a) for a in (0, 0.3, -0.2)]}
WEIGHTS = {"jawOpen": (0, 0.3, 0.9), "mouthPucker": (0, 0.8, 0.2), "mouthFunnel": (0, 0.5, 0.4),
           "eyeBlinkLeft": (0, 0.5, 1)}
FRAMES = 3


def clip():
    def keys(at):
        return [{"timeCode": f / 30, "values": at(f)} for f in range(FRAMES)]
    header = {"animationIds": {"streamId": "s", "requestId": "r"},
              "skelAnimationHeader": {"blendShapes": list(WEIGHTS), "joints": list(TURNS)}}
    rotations = keys(lambda f: [{"real": q[f][0], "i": q[f][1], "j": q[f][2], "k": q[f][3]}
                                for q in TURNS.values()])
    weights = keys(lambda f: [w[f] for w in WEIGHTS.values()])
    return "\n".join(json.dumps(line) for line in (
        {"animationDataStreamHeader": header},
        {"animationData": {"skelAnimation": {"rotations": rotations, "blendShapeWeights": weights}}}))


def poses():
    return "\n".join(" ".join(
        [f"turn {joint} " + " ".join(map(str, q[f])) for joint, q in TURNS.items()] +
        [f"shape {shape} {w[f]}" for shape, w in WEIGHTS.items()]) for f in range(FRAMES)) + "\n"


@unittest.skipIf(Usd is None, "usd-core is not installed")
class ExportUsdCore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def export(self, who, name, *flags):
        path = self.folder / name
        done = subprocess.run([ANIMCLIP, "export", str(who), str(path), *flags], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def check(self, path):
        """What usdchecker does."""
        stage = Usd.Stage.Open(str(path))
        validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
        found = UsdValidation.ValidationContext(validators).Validate(stage)
        self.assertEqual([e.GetMessage() for e in found], [], path)
        return stage

    def test_validators_find_nothing_in_characters(self):
        for who in ("woman", "man", TUBE):
            stage = self.check(self.export(who, "plain.usda"))
            if who != TUBE:
                self.check(self.export(who, "take.usda", "--clip", "wave"))
            prims = list(stage.Traverse())
            for prim in prims:
                if UsdGeom.Mesh(prim) or UsdSkel.Root(prim) or UsdSkel.Skeleton(prim):
                    self.assertEqual(len(UsdGeom.Boundable(prim).GetExtentAttr().Get()), 2, prim)
        woman = Usd.Stage.Open(str(self.export("woman", "woman.usda")))
        shapes = [UsdSkel.BlendShape(p) for p in woman.Traverse() if UsdSkel.BlendShape(p)]
        self.assertTrue(any(shape.GetInbetweens() for shape in shapes))

    @unittest.skipUnless(POINTS.exists(), "character_points is not built")
    def test_a_take_is_baked_by_openusd_to_our_points(self):
        (self.folder / "clip.jsonl").write_text(clip())
        stage = self.check(self.export("woman", "take.usda", "--clip", str(self.folder / "clip.jsonl")))
        self.assertEqual((stage.GetStartTimeCode(), stage.GetEndTimeCode()), (0, FRAMES - 1))
        done = subprocess.run([POINTS, "woman"], input=poses(), capture_output=True, text=True)
        ours = json.loads(done.stdout)["poses"]
        root = UsdSkel.Root(stage.GetDefaultPrim())
        self.assertTrue(UsdSkel.BakeSkinning(root, Gf.Interval.GetFullInterval()))
        meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if UsdGeom.Mesh(p)]
        worst = 0
        for frame in range(FRAMES):
            left = list(ours[frame])
            for mesh in meshes:
                points = mesh.GetPointsAttr().Get(frame)
                # Hair that is not shown is not written, and hair swings only in the take.
                while len(left[0]) != len(points):
                    left.pop(0)
                twin = left.pop(0)
                if not mesh.GetPrim().GetName().startswith("hair"):
                    worst = max([worst, *(math.dist(a, b) for a, b in zip(twin, points) if a)])
        self.assertLess(worst, 1e-4, "metres")

    def test_validators_find_nothing_in_a_scene_and_its_numbers_are_those_of_the_file(self):
        people = Path(os.environ["POSEWIRE_SOURCE_DIR"]) / "tests/data/scenes/two_people.usda"
        self.export("woman", "scene.glb", "--clip", str(people), "--avatar", "Bert=man")
        path = self.folder / "scene.usda"
        subprocess.run([ANIMCLIP, "convert", self.folder / "scene.glb", path], check=True)
        stage = self.check(path)
        was = Usd.Stage.Open(str(people))
        self.assertEqual([p.GetName() for p in stage.Traverse() if p.IsA(UsdSkel.Root)],
                         ["Anna", "Bert"])
        for name in ("Anna", "Bert", "Cup", "Table", "main_cam"):
            twins = [next(p for p in s.Traverse() if p.GetName() == name) for s in (stage, was)]
            for time_s in (0, 0.5, 0.9, 1.5, 2):
                here, there = (
                    UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(
                        time_s * s.GetTimeCodesPerSecond()) for prim, s in zip(twins, (stage, was)))
                self.assertTrue(Gf.IsClose(here, there, 1e-4), (name, time_s, here, there))
        lens = UsdGeom.Camera(twins[0]).GetCamera(0), UsdGeom.Camera(twins[1]).GetCamera(0)
        self.assertAlmostEqual(*(one.GetFieldOfView(Gf.Camera.FOVVertical) for one in lens), 3)

    def test_openusd_makes_packages_of_it(self):
        path = self.export("man", "man.usda")
        package = str(self.folder / "man.usdz")
        self.assertTrue(UsdUtils.CreateNewUsdzPackage(str(path), package))
        self.check(package)


if __name__ == "__main__":
    unittest.main()
