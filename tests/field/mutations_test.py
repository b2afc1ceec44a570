"""Good files, written a hundred other legal ways: each is the same clip, or is refused in one line
that says what and where. OpenUSD and three.js (long level) and X_ITE (x3d_test) judge that they are legal."""

import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import unittest

import mutations
from field import CASES
from gltf_tail import tail
from mutation_checks import TIMES, MutationTest
from posewire_test import BIN, long_level
from render_test import png_pixels

ROOT = pathlib.Path(__file__).resolve().parents[2]
USD_PYTHON = ROOT / "build/tools/venv/bin/python"

XML = """<?xml version="1.0" encoding="UTF-8"?>
<X3D profile="Immersive" version="4.0"><head><component name="HAnim" level="1"/>
<meta name="title" content="a small person"/></head><Scene>
<HAnimHumanoid DEF="Body" name="Ann" version="2.0">
 <HAnimJoint DEF="Root" name="humanoid_root" center="0 0.92 0" containerField="skeleton">
  <HAnimJoint DEF="Arm" name="l_shoulder" center="0.2 1.4 -0.05" containerField="children">
   <HAnimJoint DEF="Elbow" name="l_elbow" center="0.25 1.12 0" rotation="0 1 0 0.25"/>
  </HAnimJoint>
  <HAnimSegment name="pelvis"><HAnimDisplacer DEF="Smile" name="smile" weight="0.5"/>
   <Shape><Appearance><Material diffuseColor="0.8 0.2 0.1"/></Appearance><Box size="0.3 0.5 0.2"/></Shape>
  </HAnimSegment>
 </HAnimJoint>
</HAnimHumanoid>
<TimeSensor DEF="Clock" cycleInterval="2" loop="true"/>
<OrientationInterpolator DEF="Turn" key="0 0.25 0.5 1" keyValue="1 0 0 0, 1 0 0 -0.5, 0 1 0 -1.25, 1 0 0 0"/>
<PositionInterpolator DEF="Way" key="0 1" keyValue="0 0 0 0.5 0 -0.125"/>
<ScalarInterpolator DEF="Grin" key="0 0.5 1" keyValue="0 1 0.5"/>
<ROUTE fromNode="Clock" fromField="fraction_changed" toNode="Turn" toField="set_fraction"/>
<ROUTE fromNode="Clock" fromField="fraction_changed" toNode="Way" toField="set_fraction"/>
<ROUTE fromNode="Clock" fromField="fraction_changed" toNode="Grin" toField="set_fraction"/>
<ROUTE fromNode="Turn" fromField="value_changed" toNode="Elbow" toField="set_rotation"/>
<ROUTE fromNode="Turn" fromField="value_changed" toNode="Arm" toField="set_rotation"/>
<ROUTE fromNode="Way" fromField="value_changed" toNode="Root" toField="set_translation"/>
<ROUTE fromNode="Grin" fromField="value_changed" toNode="Smile" toField="set_weight"/>
</Scene></X3D>
"""

CLASSIC = """#X3D V4.0 utf8
PROFILE Immersive
COMPONENT HAnim:1
META "title" "a \\"small\\" person"
DEF Body HAnimHumanoid { name "Ann" version "2.0" info [ "a b" ]
  skeleton [ DEF Root HAnimJoint { name "humanoid_root" center 0 0.92 0
    children [ DEF Arm HAnimJoint { name "l_shoulder" center 0.2 1.4 -0.05
      children [ DEF Elbow HAnimJoint { name "l_elbow" center 0.25 1.12 0 rotation 0 1 0 0.25 } ] }
      HAnimSegment { name "pelvis" displacers [ DEF Smile HAnimDisplacer { name "smile" weight 0.5 } ]
        children [ Shape { appearance Appearance { material Material { diffuseColor 0.8 0.2 0.1 } }
          geometry Box { size 0.3 0.5 0.2 } } ] } ] } ]
  joints [ USE Root USE Arm USE Elbow ] }
DEF Clock TimeSensor { cycleInterval 2 loop TRUE }
DEF Turn OrientationInterpolator { key [ 0 0.25 0.5 1 ] keyValue [ 1 0 0 0, 1 0 0 -0.5, 0 1 0 -1.25, 1 0 0 0 ] }
DEF Way PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 0.5 0 -0.125 ] }
DEF Grin ScalarInterpolator { key [ 0 0.5 1 ] keyValue [ 0 1 0.5 ] }
ROUTE Clock.fraction_changed TO Turn.set_fraction
ROUTE Clock.fraction_changed TO Way.set_fraction
ROUTE Clock.fraction_changed TO Grin.set_fraction
ROUTE Turn.value_changed TO Elbow.set_rotation
ROUTE Turn.value_changed TO Arm.set_rotation
ROUTE Way.value_changed TO Root.set_translation
ROUTE Grin.value_changed TO Smile.set_weight
"""


class MutationsTest(MutationTest):
    def assert_all_look_the_same(self, files, original):
        """Some of the files as clip and character at once."""
        def picture(path):
            self.run_program("renderer_sink", "render", path, path + ".png", "--at", "0.5", "--avatar", path,
                             "--camera", "body", "--size", "96x128", "--background", "none")
            return pathlib.Path(path + ".png").read_bytes()
        good, some = picture(original), files[::TIMES // 20]
        self.assertGreater(sum(pixel[3] > 0 for pixel in png_pixels(original + ".png")), 100)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (how, path), drawn in zip(some, pool.map(lambda f: picture(f[1]), some)):
                self.assertEqual(drawn, good, how)

    def assert_the_same(self, made):
        original, files = made
        self.assert_all_the_same(files, original)
        self.assert_all_look_the_same(files, original)

    def test_x3d_as_xml(self):
        self.assert_the_same(self.texts(mutations.XML, XML, "x3d"))

    def test_x3d_in_the_classic_form(self):
        self.assert_the_same(self.texts(mutations.CLASSIC, CLASSIC, "x3dv"))

    def usda_texts(self):
        text = (CASES / "09-usd-dot-joint/plain.usda").read_text()
        for still, moving in (
                ("float3[] translations = [(0,0,0),(0,1,0),(0,1,0)]",
                 "float3[] translations.timeSamples = { 0: [(0,0,0),(0,1,0),(0,1,0)], "
                 "12: [(0.5,0,0),(0,1,0),(0,1.25,0)], 18.5: [(0,0,0),(0,1,0),(0,1,0)] }"),
                ("float[] blendShapeWeights = [0.25]",
                 "float[] blendShapeWeights.timeSamples = { 0: [0.25], 6: [1], 24: [-0.125] }")):
            self.assertIn(still, text)
            text = text.replace(still, moving)
        return self.texts(mutations.USDA, text, "usda")

    def test_usd_as_text(self):
        self.assert_the_same(self.usda_texts())

    @long_level
    def test_openusd_reads_the_same_of_usd(self):
        """OpenUSD is the judge of what is legal, and of what it means."""
        done = subprocess.run([USD_PYTHON, "-c", "import pxr"], capture_output=True) \
            if USD_PYTHON.exists() else None
        if done is None or done.returncode:
            self.skipTest("usd-core is not installed")
        original, files = self.usda_texts()
        script = """
import json, sys
from pxr import Usd, UsdSkel
for path in sys.argv[1:]:
    stage = Usd.Stage.Open(path)
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath('/Char/Skel'))
    query = UsdSkel.Cache().GetSkelQuery(skeleton)
    animation = query.GetAnimQuery()
    print(json.dumps([[[round(v, 4) for row in m for v in row]
                       for m in query.ComputeJointLocalTransforms(t)] for t in (0, 12, 24)]
                     + [list(animation.ComputeBlendShapeWeights(0))]))
"""
        done = subprocess.run([USD_PYTHON, "-c", script, original, *(path for _, path in files)],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        good, *others = done.stdout.splitlines()
        for (how, path), other in zip(files, others):
            self.assertEqual(other, good, f"{how}: {pathlib.Path(path).read_text()}")

    def gltf_files(self, model, functions=tuple(mutations.GLTF)):
        return self.mutated(functions, model, mutations.gltf_written)

    def test_gltf(self):
        self.assert_the_same(self.gltf_files(tail()))

    def test_gltf_without_names(self):
        model = json.loads((CASES / "22-gltf-simple-skin/simple_skin.gltf").read_text())
        # Nodes without names are known by their order, and there is one channel.
        functions = [f for f in mutations.GLTF
                     if f not in (mutations.gltf_nodes, mutations.gltf_channels)]
        self.assert_the_same(self.gltf_files(model, functions))

    @long_level
    def test_three_js_reads_the_same_of_gltf(self):
        """three.js is the judge of what is legal, and of what it means."""
        modules = pathlib.Path(BIN).parent / "services/renderer_sink/view/bundle/node_modules"
        if shutil.which("node") is None or not (modules / "three").exists():
            self.skipTest("node, or three.js of the page's bundle, is not here")
        original, files = self.gltf_files(tail())
        done = subprocess.run(["node", CASES / "three_sample.mjs", modules, original,
                               *(path for _, path in files)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        good, *others = done.stdout.splitlines()
        self.assertEqual(len(others), TIMES)
        for (how, _), other in zip(files, others):
            self.assertEqual(other, good, how)

    def test_what_is_not_read_is_refused_in_one_line_with_its_place(self):
        for name, text, says in (
                ("proto.x3d", XML.replace(
                    "<HAnimHumanoid", "<ProtoDeclare name='P'><ProtoBody><ProtoInstance name='P'/>"
                    "</ProtoBody></ProtoDeclare><ProtoInstance name='P'/><HAnimHumanoid", 1),
                 r"line 4: prototype P contains itself"),
                ("proto.x3dv", CLASSIC.replace("DEF Body", "PROTO P [ size ] { Group { } } DEF Body", 1),
                 r"line 5: .size. stands where a declared field"),
                ("entity.x3d", XML.replace("<X3D", "<!DOCTYPE X3D [<!ENTITY e 'x'>]><X3D", 1),
                 r"line 2: the file declares an entity"),
                ("ktx.gltf", json.dumps({**tail(), "extensionsRequired": ["ACME_magic"]}),
                 "ACME_magic")):
            path = self.scratch(name)
            pathlib.Path(path).write_text(text)
            done, _ = self.convert(path)
            self.assertEqual(done.returncode, 1, name)
            self.assertRegex(done.stderr.splitlines()[0], says)


if __name__ == "__main__":
    unittest.main()
