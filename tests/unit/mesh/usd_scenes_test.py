"""OpenUSD's own scenes, deformed by libs/mesh, against what OpenUSD itself baked of them.

usd-core from PyPI reads the scenes, where this Python has it; joints and weights are looked up by
it, blend shapes and skinning are ours."""

import os
import subprocess
import unittest
from pathlib import Path

try:
    from pxr import Gf, Usd, UsdGeom, UsdSkel
except ImportError:
    Usd = None

DATA = Path(os.environ["POSEWIRE_SOURCE_DIR"]).parent / "shared" / "data"
PROGRAM = os.environ["POSEWIRE_MESH_DEFORM_STREAM"]


def words(*values):
    return " ".join(repr(float(v)) if isinstance(v, float) else str(v) for v in values)


def vectors(values):
    return [f"{len(values)}"] + [words(*(float(c) for c in v)) for v in values]


def transform(m):
    return words(*(float(m[r][c]) for r in range(4) for c in range(3)))


@unittest.skipIf(Usd is None, "usd-core is not installed (pip install usd-core)")
class UsdScenes(unittest.TestCase):
    def describe(self, query, skeleton, weights, time):
        """One mesh at one time, as the program reads it."""
        mesh = UsdGeom.Mesh(query.GetPrim())
        out = vectors(mesh.GetPointsAttr().Get())
        shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(query.GetPrim()))
        mapper = query.GetBlendShapeMapper()
        own = mapper.Remap(weights) if weights is not None and mapper else []
        out.append(f"{len(own)}")
        for i, weight in enumerate(own):
            shape = shapes.GetBlendShape(i)
            out += [words(float(weight)), words(*(
                [len(shape.GetPointIndicesAttr().Get() or [])] +
                list(shape.GetPointIndicesAttr().Get() or [])))]
            out += vectors(shape.GetOffsetsAttr().Get())
            inbetweens = [b for b in shape.GetInbetweens() if b.GetWeight() is not None]
            out.append(f"{len(inbetweens)}")
            for b in inbetweens:
                out += [words(float(b.GetWeight()))] + vectors(b.GetOffsets())
        identity = transform(Gf.Matrix4d(1))
        if not query.HasJointInfluences():
            return out + ["none 1 0 0", identity, "0"]
        indices, weights = query.ComputeVaryingJointInfluences(len(mesh.GetPointsAttr().Get()))
        joints = query.GetJointMapper()
        skel = skeleton.ComputeJointSkelTransforms(time)
        bind = skeleton.GetJointWorldBindTransforms()
        if joints:
            skel, bind = joints.RemapTransforms(skel), joints.RemapTransforms(bind)
        out.append(f"{query.GetSkinningMethod()} {query.GetNumInfluencesPerComponent()}")
        out.append(words(*([len(indices)] + list(indices))))
        out.append(words(*([len(weights)] + [float(w) for w in weights])))
        out += [transform(query.GetGeomBindTransform()), f"{len(skel)}"]
        for b, s in zip(bind, skel):
            out += [transform(b), transform(s)]
        return out

    def check(self, name, tolerance):
        scene = DATA / f"{name}.usda"
        if not scene.exists():
            self.skipTest(f"{scene} is absent")
        stage = Usd.Stage.Open(str(scene))
        baked = Usd.Stage.Open(str(DATA / f"{name}.baked.usda"))
        cache = UsdSkel.Cache()
        text, expected = [], []
        for prim in stage.Traverse():
            root = UsdSkel.Root(prim)
            if not root:
                continue
            cache.Populate(root, Usd.PrimDefaultPredicate)
            for binding in cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate):
                skeleton = cache.GetSkelQuery(binding.GetSkeleton())
                animation = skeleton.GetAnimQuery()
                for query in binding.GetSkinningTargets():
                    if not query.GetPrim().IsA(UsdGeom.Mesh):
                        continue
                    if query.HasJointInfluences() and query.IsRigidlyDeformed():
                        continue
                    golden = UsdGeom.Mesh(baked.GetPrimAtPath(query.GetPrim().GetPath()))
                    times = golden.GetPointsAttr().GetTimeSamples() or [stage.GetStartTimeCode()]
                    for time in times:
                        weights = animation.ComputeBlendShapeWeights(time) if animation else None
                        text += self.describe(query, skeleton, weights, time)
                        where = UsdGeom.XformCache(time)
                        back = Gf.Matrix4d(1)
                        if query.HasJointInfluences():
                            # Baked points lie in the mesh's space, ours in the skeleton's.
                            back = (where.GetLocalToWorldTransform(golden.GetPrim()) *
                                    where.GetLocalToWorldTransform(
                                        skeleton.GetPrim()).GetInverse())
                        expected += [back.Transform(Gf.Vec3d(p))
                                     for p in golden.GetPointsAttr().Get(time)]
        done = subprocess.run([PROGRAM], input="\n".join(text), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = [[float(w) for w in line.split()] for line in done.stdout.splitlines()]
        self.assertEqual(len(got), len(expected))
        self.assertGreater(len(got), 100)
        worst = max(abs(a - b) for g, e in zip(got, expected) for a, b in zip(g, e))
        self.assertLess(worst, tolerance)
        print(f"{name}: {len(got)} points, within {worst:.2g}")

    def test_linear_skinning_is_as_baked(self):
        self.check("lbs", 2e-6)

    def test_blend_shapes_with_inbetweens_are_as_baked(self):
        self.check("blendshapes", 2e-5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
