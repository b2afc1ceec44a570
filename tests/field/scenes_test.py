"""Scenes that people reported: X3D, USD and glTF files whose joints, names and skins are unusual."""

import json
import os
import pathlib
import re
import unittest

import field
from field import CASES, FieldTest
from gltf_tail import STRAIGHT, tail
from render_test import png_pixels

SHARED = next((folder / "shared/cases" for folder in CASES.parents
               if (folder / "shared/cases").exists()),
              pathlib.Path(os.environ.get("POSEWIRE_SHARED_CASES", "/nowhere")))
REAL = SHARED / "21-x3d-real-files/JoeHAnimKick1a_Final.x3dv"


class ScenesTest(FieldTest):
    def render(self, clip, *args, avatar=None, code=0):
        """The picture's pixels as RGBA, and what was said."""
        out = self.scratch("picture.png")
        done = self.run_program("renderer_sink", "render", clip, out, "--background", "none",
                                "--camera", "body", "--size", "120x160", *args,
                                *(["--avatar", avatar] if avatar else []), code=code)
        return (png_pixels(out) if code == 0 else None), done.err

    def rows_drawn(self, pixels, width=120):
        return [y for y in range(len(pixels) // width)
                if any(p[3] > 100 for p in pixels[y * width:(y + 1) * width])]

    def differing(self, a, b):
        return sum(p != q for p, q in zip(a, b))

    def convert(self, path, code=0):
        out = self.scratch("converted.jsonl")
        done = self.run_program("animclip", "convert", path, out, code=code)
        return (field.Take(out) if code == 0 else None), done.err

    def test_05_joints_placed_by_translation_stand_up(self):
        """castle-engine/castle-model-viewer #118: x3d-tidy makes joints of glTF's nodes."""
        person = CASES / "05-hanim-translations-no-centers/person.x3d"
        pixels, said = self.render(person, "--at", "0", avatar=person)
        rows = self.rows_drawn(pixels)
        self.assertGreater(max(rows) - min(rows), 80, "all segments stood at the origin")
        self.assertIn("a translation and no center, and none a center", said)
        turned, _ = self.render(person, "--at", "1", avatar=person)
        self.assertGreater(self.differing(pixels, turned), 5, "the forearm turns")
        take, said = self.convert(person)
        self.assertIn("a translation and no center, and none a center", said)
        self.assertEqual(take.degrees("l_elbow", 0), 0)
        self.assertAlmostEqual(take.degrees("l_elbow", 1), 85.94, delta=0.01)

    def test_06_a_joint_without_a_name_is_shown(self):
        """x3dom/x3dom #1165: HAnimJoints without names, one normal for four points."""
        nameless = CASES / "06-hanim-nameless-joints/quad.x3d"
        done = self.run_program("renderer_sink", "faces", self.scratch("quad.png"), "--avatar",
                                nameless)
        self.assertIn("2 joints have no name", done.err)
        self.assertIn("joint_1, joint_2", done.err)
        self.run_program("renderer_sink", "faces", self.scratch("named.png"), "--avatar",
                         CASES / "06-hanim-nameless-joints/quad_named.x3d")
        pictures = []
        for name in ("quad.png", "named.png"):
            with open(self.scratch(name), "rb") as f:
                pictures.append(f.read())
        self.assertEqual(*pictures)
        # It has no motion, and the name is no reason to refuse it as a clip.
        _, said = self.convert(nameless, code=1)
        self.assertIn("nothing moves it", said)

    def test_07_a_missing_container_field_is_assumed(self):
        """castle-engine/castle-model-viewer #69: HAnimMotion and HAnimJoint without containerField."""
        takes = {}
        for name in ("motion_by_default", "with_containerfield", "person"):
            takes[name], said = self.convert(CASES / f"07-x3d-no-containerfield/{name}.x3d")
            self.assertEqual('containerField=\"skeleton\"' in said.replace("\\", ""), name == "person",
                             said)
            self.assertAlmostEqual(takes[name].degrees("l_shoulder"), 30, delta=0.01)
        self.assertEqual(takes["person"].rotations, takes["with_containerfield"].rotations)

    def test_08_interpolators_without_keys_move_nothing(self):
        """castle-engine/castle-model-viewer #108: empty key and keyValue, routed to joints."""
        take, _ = self.convert(CASES / "08-x3d-empty-interpolators/person.x3d")
        self.assertEqual([round(take.degrees("l_elbow", k), 1) for k in (0, 1, 2)], [0, 85.9, 0])
        self.assertTrue(all(take.degrees("r_elbow", k) == 0 for k in range(len(take.rotations))))

    def test_09_a_mesh_with_a_joint_that_the_skeleton_lacks_is_skinned(self):
        """PixarAnimationStudios/OpenUSD #795: Maya writes "." for a group in skel:joints."""
        folder = CASES / "09-usd-dot-joint"
        tube, said = self.render(folder / "tube.usda", "--at", "1", avatar=folder / "tube.usda")
        plain, _ = self.render(folder / "plain.usda", "--at", "1", avatar=folder / "plain.usda")
        rest, _ = self.render(folder / "tube.usda", "--at", "0", avatar=folder / "tube.usda")
        self.assertEqual(tube, plain)
        self.assertGreater(self.differing(tube, rest), 50)
        self.assertIn("/Char/Tube has skel:joints that /Char/Skel lacks", said)

    def test_10_an_animation_without_scales_says_why_nothing_moves(self):
        """lighttransport/LightUSD #206: also early exports of Blender."""
        take, said = self.play(CASES / "10-usd-animation-without-scales/tube.usda", "--rig", "none")
        self.assertEqual(take.joints, [])
        self.assertIn("/Char/Anim has no scales, and moves joints only with translations, rotations and "
                      "scales", said)

    def test_11_an_animation_inside_its_skeleton_plays(self):
        """PixarAnimationStudios/OpenUSD #2621: a SkelAnimation below the Skeleton, by a relative path."""
        take, said = self.play(CASES / "11-usd-animation-inside-skeleton/tube.usda", "--rig", "none")
        self.assertAlmostEqual(take.degrees("Mid"), 90, delta=0.1)
        self.assertNotIn("Anim has", said)

    def test_11_a_rest_that_is_no_number_is_told(self):
        text = (CASES / "11-usd-animation-inside-skeleton/tube.usda").read_text()
        start = text.index("restTransforms")
        broken = self.scratch("nan.usda")
        with open(broken, "w") as f:
            f.write(text[:start] + text[start:].replace("(0,1,0,1)", "(0,nan,0,1)", 1))
        said = self.run_program("animclip", "convert", broken, self.scratch("out.jsonl"))
        self.assertIn("restTransforms[1] is not finite", said.err)

    def test_12_weights_without_a_value_do_not_stop_the_joints(self):
        """Autodesk/maya-usd #1690: float[] blendShapeWeights without a value."""
        take, _ = self.play(CASES / "12-usd-empty-weights/tube.usda", "--rig", "none")
        self.assertAlmostEqual(take.degrees("Mid"), 90, delta=0.1)
        self.assertTrue(all(v == 0 for key in take.weights for v in key.get("values", [])))

    def test_18_nodes_of_one_name_both_turn(self):
        """mrdoob/three.js #15087: names need not be unique (glTF 2.0, 3.5)."""
        take, _ = self.play(CASES / "18-gltf-names-twice/wheels.gltf", "--rig", "none")
        self.assertEqual(sorted(take.joints), ["wheel", "wheel_2"])
        for joint in take.joints:
            self.assertAlmostEqual(take.degrees(joint), 80, delta=0.1)

    def test_19_turned_rests_of_a_vrm_animation_give_the_same_pose(self):
        """not-elm/bevy_vrm1 #5: an armature rotated by -90 degrees about X and scaled by 0.01."""
        takes = [self.play(CASES / f"19-vrma-turned-rest/{name}.vrma")[0] for name in ("plain", "turned")]
        self.assertEqual(takes[0].joints, takes[1].joints)
        for key in range(len(takes[0].rotations)):
            for joint in takes[0].joints:
                a, b = (take.rotation(joint, key) for take in takes)
                self.assertGreater(abs(sum(x * y for x, y in zip(a, b))), 0.99999, joint)
        self.assertAlmostEqual(takes[0].degrees("l_shoulder", 0), 90.3, delta=0.2)
        self.assertAlmostEqual(takes[0].degrees("l_shoulder"), 21.5, delta=0.2)

    def test_21_terminals_of_the_classic_form_may_stand_apart(self):
        """coderextreme/HAnimUtilityKit: x3d-tidy writes "COMPONENT HAnim : 1"."""
        folder = CASES / "21-x3d-real-files"
        apart, tight = (self.convert(folder / name)[0]
                        for name in ("small.x3dv", "small_without_blanks.x3dv"))
        self.assertEqual(apart.rotations, tight.rotations)
        self.assertAlmostEqual(apart.degrees("l_elbow"), 85.94, delta=0.01)

    def test_21_a_file_without_its_first_line_is_called_what_it_is(self):
        """coderextreme/HAnimUtilityKit: such a file was said to be broken XML."""
        text = (CASES / "21-x3d-real-files/small.x3dv").read_text().split("\n", 1)[1]
        for name in ("headless.x3dv", "headless.x3d"):
            path = self.scratch(name)
            pathlib.Path(path).write_text(text)
            _, said = self.convert(path, code=1)
            self.assertIn('line 1: the file starts with "PROFILE Immersive"', said)
            self.assertIn("#X3D V4.0 utf8", said)
            done = self.run_program("renderer_sink", "faces", self.scratch("none.png"), "--avatar", path,
                                    code=None)
            self.assertIn("line 1: the file starts with", done.err)

    @unittest.skipUnless(REAL.exists(), f"no {REAL.name}: ../shared/cases or POSEWIRE_SHARED_CASES")
    def test_21_joe_of_x3d_tidy_kicks(self):
        """coderextreme/HAnimUtilityKit, JoeHAnimKick1a_Final.x3dv (Apache-2.0)."""
        take, _ = self.convert(REAL)
        self.assertEqual(len(take.joints), 89)
        self.assertAlmostEqual(max(take.times()) - min(take.times()), 6, delta=0.01)

    def test_22_a_skin_that_is_no_humanoid_moves_its_own_character(self):
        """BabylonJS/Babylon.js #4142, KhronosGroup/glTF-Tutorials #62: a skin of two joints."""
        for name in ("simple_skin", "joints_outside_scene"):
            file = CASES / f"22-gltf-simple-skin/{name}.gltf"
            take, _ = self.play(file, "--rig", "none")
            self.assertEqual(take.joints, ["node_1", "node_2"])
            self.assertEqual(len(take.rotations), 12)
            rest, said = self.render(file, "--at", "0", avatar=file)
            turned, _ = self.render(file, "--at", "2", avatar=file)
            self.assertGreater(self.differing(rest, turned), 50, name)
            self.assertIn("streams that name them: node_1, node_1/node_2", said)
            self.assertNotIn("bones are ,", said)
            self.assertEqual("is not in the scene" in said, name == "joints_outside_scene", said)

    def test_22_what_is_above_and_between_joints_goes_with_them(self):
        """The same situation as Blender writes it: an armature that turns and scales, nodes between."""
        lying, leaning = (-0.70710678, 0, 0, 0.70710678), (0.2, 0.4, 0.4, 0.8)
        for scale, above, between in ((2, STRAIGHT, None), (0.5, lying, None), (1, STRAIGHT, leaning),
                                      (0.5, leaning, lying)):
            seen = []
            for baked in (False, True):
                file = self.scratch(f"tail_{baked}.gltf")
                pathlib.Path(file).write_text(json.dumps(tail(scale, above, between, baked)))
                seen.append([[p[3] > 127 for p in self.render(file, "--at", at, avatar=file)[0]]
                             for at in ("0", "0.4", "1")])
            for as_it_is, as_baked in zip(*seen):
                self.assertLess(self.differing(as_it_is, as_baked), 20, (scale, above, between))
            self.assertGreater(self.differing(seen[0][0], seen[0][1]), 200)
            self.assertGreater(self.differing(seen[0][1], seen[0][2]), 200)

    def test_22_a_persons_stream_is_still_drawn_on_a_thing(self):
        """The same file as an avatar: a stream of the standard rig leaves it at rest."""
        file = CASES / "22-gltf-simple-skin/simple_skin.gltf"
        clip = CASES / "08-x3d-empty-interpolators/person.x3d"
        pixels, _ = self.render(clip, avatar=file)
        self.assertTrue(self.rows_drawn(pixels))


if __name__ == "__main__":
    unittest.main()
