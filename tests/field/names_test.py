"""Names and axes of skeletons as many tools write them: the same person, or a line that says what is
doubtful."""

import math
import os
import re
import unittest
import wave

import numpy as np

from field import CASES, FieldTest, Take
from posewire_test import Server
from small_person import small_person


class Bvh:
    """A BVH as a tree of names, to be written again with other names, axes and sizes."""

    def __init__(self, path):
        text = path.read_text()
        self.joints = []  # name, parent, offset, channels, end
        stack, end = [], None
        lines = iter(text[:text.index("MOTION")].splitlines())
        for line in lines:
            words = line.split()
            if words[:1] in (["ROOT"], ["JOINT"]):
                self.joints.append([words[1], stack[-1] if stack else -1, None, None, None])
                stack.append(len(self.joints) - 1)
            elif words[:1] == ["End"]:
                end = stack[-1]
                stack.append(-1)
            elif words[:1] == ["OFFSET"]:
                offset = [float(w) for w in words[1:]]
                if stack[-1] == -1:
                    self.joints[end][4] = offset
                else:
                    self.joints[stack[-1]][2] = offset
            elif words[:1] == ["CHANNELS"]:
                self.joints[stack[-1]][3] = words[2:]
            elif words[:1] == ["}"]:
                stack.pop()
        motion = text[text.index("MOTION"):].splitlines()
        self.frame_s = float(motion[2].split(":")[1])
        self.frames = [[float(v) for v in line.split()] for line in motion[3:] if line.strip()]

    def write(self, path, names=None, axes=None, scale=1.0, twists=()):
        """`names` by joint; `axes` maps x, y, z to (axis, sign) of the new file; `twists`: joints whose
        turn about their own length goes to a second joint of that name halfway down."""
        names = names or {}
        axes = axes or {"x": (0, 1), "y": (1, 1), "z": (2, 1)}

        def place(v):
            out = [0.0, 0.0, 0.0]
            for value, (axis, sign) in zip(v, (axes["x"], axes["y"], axes["z"])):
                out[axis] = value * sign * scale
            return out

        # Of a proper turn of the axes, each rotation keeps its sign about its new axis.
        out = ["HIERARCHY"]
        children = {j: [c for c, joint in enumerate(self.joints) if joint[1] == j]
                    for j in range(len(self.joints))}

        def channels(joint):
            return [("XYZ"[axes[c[0].lower()][0]] + c[1:], axes[c[0].lower()][1]) for c in joint[3]]

        def put(j, depth, offset=None):
            name, parent, at, _, end = self.joints[j]
            pad = "  " * depth
            out.append(f"{pad}{'ROOT' if parent < 0 else 'JOINT'} {names.get(name, name)}")
            out.append(pad + "{")
            out.append(f"{pad}  OFFSET {' '.join(f'{v:.6f}' for v in place(offset or at))}")
            made = channels(self.joints[j])
            out.append(f"{pad}  CHANNELS {len(made)} {' '.join(c for c, _ in made)}")
            twist = dict(twists).get(name)
            if twist:
                half = [v / 2 for v in self.joints[children[j][0]][2]]
                out.append(f"{pad}  JOINT {twist}")
                out.append(pad + "  {")
                out.append(f"{pad}    OFFSET {' '.join(f'{v:.6f}' for v in place(half))}")
                out.append(f"{pad}    CHANNELS 3 Zrotation Xrotation Yrotation")
                for child in children[j]:
                    put(child, depth + 2, half)
                out.append(pad + "  }")
            else:
                for child in children[j]:
                    put(child, depth + 1)
            if end is not None:
                out.extend([pad + "  End Site", pad + "  {",
                            f"{pad}    OFFSET {' '.join(f'{v:.6f}' for v in place(end))}",
                            pad + "  }"])
            out.append(pad + "}")

        put(0, 0)
        out += ["MOTION", f"Frames: {len(self.frames)}", f"Frame Time: {self.frame_s}"]
        for frame in self.frames:
            row, at = [], 0
            for name, _, _, own, _ in self.joints:
                for c, value in zip(own, frame[at:at + len(own)]):
                    sign = axes[c[0].lower()][1]
                    row.append(value * sign * (scale if c.lower().endswith("position") else 1))
                at += len(own)
                if dict(twists).get(name):
                    row += [0, 0, 0]
            out.append(" ".join(f"{v:.6f}" for v in row))
        with open(path, "w") as f:
            f.write("\n".join(out) + "\n")


CLASSIC = CASES / "14-bvh-classic-names" / "classic.bvh"


def spelled(trunk, arm, leg, sides):
    """The names of a convention for the joints of CLASSIC."""
    names = dict(zip(["Hips", "Chest", "Chest2", "Neck", "Head"], trunk))
    for side, ours in zip(sides, ("Left", "Right")):
        for parts, limb in ((arm, ["Collar", "Shoulder", "Elbow", "Wrist"]),
                            (leg, ["Hip", "Knee", "Ankle", "Toe"])):
            names.update({ours + name: part.replace("{}", side) for name, part in zip(limb, parts)})
    return names


GENESIS8 = spelled(["hip", "abdomenLower", "chestUpper", "neckLower", "head"],
                   ["{}Collar", "{}ShldrBend", "{}ForearmBend", "{}Hand"],
                   ["{}ThighBend", "{}Shin", "{}Foot", "{}Toe"], "lr")
OTHERS = {
    "unreal": spelled(["pelvis", "spine_01", "spine_02", "neck_01", "head"],
                      ["clavicle_{}", "upperarm_{}", "lowerarm_{}", "hand_{}"],
                      ["thigh_{}", "calf_{}", "foot_{}", "ball_{}"], "lr"),
    "character creator": spelled(
        ["CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine01", "CC_Base_NeckTwist01", "CC_Base_Head"],
        ["CC_Base_{}_Clavicle", "CC_Base_{}_Upperarm", "CC_Base_{}_Forearm", "CC_Base_{}_Hand"],
        ["CC_Base_{}_Thigh", "CC_Base_{}_Calf", "CC_Base_{}_Foot", "CC_Base_{}_ToeBase"], "LR"),
    "optitrack": spelled(
        ["Skeleton1_Hip", "Skeleton1_Ab", "Skeleton1_Chest", "Skeleton1_Neck", "Skeleton1_Head"],
        ["Skeleton1_{}Shoulder", "Skeleton1_{}UArm", "Skeleton1_{}FArm", "Skeleton1_{}Hand"],
        ["Skeleton1_{}Thigh", "Skeleton1_{}Shin", "Skeleton1_{}Foot", "Skeleton1_{}Toe"], "LR"),
    "valve": spelled(
        ["ValveBiped.Bip01_Pelvis", "ValveBiped.Bip01_Spine", "ValveBiped.Bip01_Spine1",
         "ValveBiped.Bip01_Neck1", "ValveBiped.Bip01_Head1"],
        ["ValveBiped.Bip01_{}_Clavicle", "ValveBiped.Bip01_{}_UpperArm",
         "ValveBiped.Bip01_{}_Forearm", "ValveBiped.Bip01_{}_Hand"],
        ["ValveBiped.Bip01_{}_Thigh", "ValveBiped.Bip01_{}_Calf", "ValveBiped.Bip01_{}_Foot",
         "ValveBiped.Bip01_{}_Toe0"], "LR"),
    "rigify": spelled(["DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.004",
                       "DEF-spine.006"],
                      ["DEF-shoulder.{}", "DEF-upper_arm.{}", "DEF-forearm.{}", "DEF-hand.{}"],
                      ["DEF-thigh.{}", "DEF-shin.{}", "DEF-foot.{}", "DEF-toe.{}"], "LR"),
    "mmd": spelled(["センター", "上半身", "上半身2", "首", "頭"],
                   ["{}肩", "{}腕", "{}ひじ", "{}手首"], ["{}足", "{}ひざ", "{}足首", "{}つま先"],
                   "左右"),
    "smpl": spelled(["m_avg_Pelvis", "m_avg_Spine1", "m_avg_Spine2", "m_avg_Neck", "m_avg_Head"],
                    ["m_avg_{}_Collar", "m_avg_{}_Shoulder", "m_avg_{}_Elbow", "m_avg_{}_Wrist"],
                    ["m_avg_{}_Hip", "m_avg_{}_Knee", "m_avg_{}_Ankle", "m_avg_{}_Foot"], "LR"),
    "mocopi": spelled(["root", "torso_2", "torso_5", "neck_1", "head"],
                      ["{}_shoulder", "{}_up_arm", "{}_low_arm", "{}_hand"],
                      ["{}_up_leg", "{}_low_leg", "{}_foot", "{}_toes"], "lr"),
}


class Names(FieldTest):
    def setUp(self):
        super().setUp()
        self.reference = self.play(CASES / "13-mixamo-prefixes" / "bare.bvh")[0]

    def assert_same_take(self, take, what, degrees=0.05):
        self.assertEqual(take.joints, self.reference.joints, what)
        self.assertEqual(len(take.rotations), len(self.reference.rotations), what)
        for joint in self.reference.joints:
            for key in (0, 15, -1):
                a, b = take.rotation(joint, key), self.reference.rotation(joint, key)
                dot = min(1.0, abs(sum(x * y for x, y in zip(a, b))))
                self.assertLess(2 * math.degrees(math.acos(dot)), degrees,
                                f"{what}: {joint} at key {key}")

    def notes(self, said):
        return re.findall(r'note text="((?:[^"\\]|\\.)*)"', said)

    def test_13_mixamo_with_any_prefix(self):
        """makehumancommunity/mpfb2 #180, omimo/PyMO #20, upf-gti/retargeting-threejs #3"""
        for path in sorted((CASES / "13-mixamo-prefixes").glob("*.bvh")):
            take, said = self.play(path)
            self.assert_same_take(take, path.name)
            self.assertEqual(self.notes(said), [], path.name)

    def test_14_classic_names(self):
        """facebookresearch/AnimatedDrawings #179, jsan3386/avatar #2, YanjieZe/GMR #87"""
        take, said = self.play(CLASSIC)
        self.assert_same_take(take, "classic")
        self.assertEqual(self.notes(said), [])
        self.assertGreater(take.degrees("l_shoulder"), 78)
        mapped, _ = self.play(CLASSIC, "--map", CASES / "14-bvh-classic-names" / "classic.map")
        self.assert_same_take(mapped, "with a map")

    def test_14_a_skeleton_that_rises_along_z_is_turned_and_told(self):
        """jsan3386/avatar #2: CMU takes for 3ds Max, Z up, in CMU's units"""
        z_up = {"x": (0, 1), "y": (2, 1), "z": (1, -1)}
        for name, axes in {"z": z_up, "x": {"x": (1, -1), "y": (0, 1), "z": (2, 1)}}.items():
            path = self.scratch(f"{name}_up.bvh")
            Bvh(CLASSIC).write(path, axes=axes, scale=0.1771)
            take, said = self.play(path)
            self.assert_same_take(take, name)
            self.assertRegex("\n".join(self.notes(said)), f"rises along \\+{name.upper()}.*--up")
            told, said = self.play(path, "--up", name)
            self.assert_same_take(told, name)
            self.assertNotIn("--up", "\n".join(self.notes(said)))
        lying, said = self.play(path, "--up", "y")
        self.assertIn("lies or hangs in the first pose", said)
        self.run_program("a2f_source", "play", path, "--up", "w", "--out", "-", code=2)

    def lying_at_rest(self, path):
        """CLASSIC with each bone's axes turned so that all bones point along +X where all angles are 0,
        as in the LAFAN1 captures; the movement is the same."""
        clip = Bvh(CLASSIC)
        children = [[c for c, j in enumerate(clip.joints) if j[1] == i]
                    for i in range(len(clip.joints))]

        def axis(name, degrees):
            a = math.radians(degrees)
            c, s = math.cos(a), math.sin(a)
            return np.array({"X": [[1, 0, 0], [0, c, -s], [0, s, c]],
                             "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                             "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[name])

        along = []  # of each joint, in the model at rest
        for i, joint in enumerate(clip.joints):
            way = np.array(clip.joints[children[i][0]][2] if children[i] else joint[4] or [1, 0, 0])
            x = way / np.linalg.norm(way)
            z = np.cross(x, [0, 1, 0] if abs(x[1]) < 0.9 else [0, 0, 1])
            z /= np.linalg.norm(z)
            along.append(np.stack([x, np.cross(z, x), z], axis=1))
        for i, joint in enumerate(clip.joints):
            if joint[1] >= 0:
                joint[2] = list(along[joint[1]].T @ joint[2])
            if joint[4]:
                joint[4] = list(along[i].T @ joint[4])
        for frame in clip.frames:
            at = 0
            for i, (_, parent, _, channels, _) in enumerate(clip.joints):
                turns = [c for c in channels if c.endswith("rotation")]
                first = at + len(channels) - 3
                turn = np.eye(3)
                for k, channel in enumerate(turns):
                    turn = turn @ axis(channel[0], frame[first + k])
                turn = (along[parent].T if parent >= 0 else np.eye(3)) @ turn @ along[i]
                # As Zrotation Xrotation Yrotation.
                assert [c[0] for c in turns] == ["Z", "X", "Y"]
                x = math.asin(max(-1, min(1, turn[2, 1])))
                z = math.atan2(-turn[0, 1], turn[1, 1])
                y = math.atan2(-turn[2, 0], turn[2, 2])
                frame[first:first + 3] = [math.degrees(z), math.degrees(x), math.degrees(y)]
                at += len(channels)
        clip.write(path)

    def test_14_a_skeleton_that_lies_at_rest_stands_as_in_its_first_pose(self):
        """ubisoft/ubisoft-laforge-animation-dataset: all offsets along +X"""
        path = self.scratch("lafan.bvh")
        self.lying_at_rest(path)
        take, said = self.play(path)
        self.assertIn("its first pose is taken for that", said)
        # Limbs point where they do; the trunk turns from its first pose on.
        for joint in ("l_shoulder", "l_elbow", "r_shoulder", "r_elbow", "l_knee", "r_knee"):
            for key in (0, 15, -1):
                self.assertAlmostEqual(take.degrees(joint, key), self.reference.degrees(joint, key),
                                       delta=1.5, msg=f"{joint} at key {key}")

    def test_14_pictures_and_servers_are_told_too(self):
        clips = self.scratch("clips")
        os.mkdir(clips)
        path = os.path.join(clips, "z_up.bvh")
        Bvh(CLASSIC).write(path, axes={"x": (0, 1), "y": (2, 1), "z": (1, -1)})
        drawn = self.run_program("renderer_sink", "render", path, self.scratch("z.png"), "--at", "0.5")
        self.assertIn("rises along +Z", drawn.err)
        server = Server("anim_graph", "--clips", clips)
        self.addCleanup(server.stop)
        server.await_log("rises along +Z")

    def test_14_a_person_of_an_unlikely_height_is_told(self):
        path = self.scratch("giant.bvh")
        Bvh(CLASSIC).write(path, scale=1000)
        take, said = self.play(path)
        self.assert_same_take(take, "giant", 0.2)
        self.assertRegex(said, "units tall, which are taken as .*--unit")
        told, said = self.play(path, "--unit", "0.00001")
        self.assert_same_take(told, "a giant in hundredths of millimetres", 0.2)
        self.assertEqual(self.notes(said), [])
        centimetres, said = self.play(CLASSIC, "--unit", "cm")
        self.assert_same_take(centimetres, "what it is")
        self.assertEqual(self.notes(said), [])
        low = self.play(CLASSIC, "--unit", "mm")[0]
        self.assertEqual(len(low.rotations), len(self.reference.rotations))

    def test_15_poser_and_daz_names(self):
        """pKrime/Expy-Kit #18, Neos-Metaverse/NeosPublic #2025, JLPM22/MotionMatching #10"""
        take, said = self.play(CASES / "15-bvh-daz-names" / "poser.bvh")
        self.assert_same_take(take, "poser")
        self.assertEqual(self.notes(said), [])
        path = self.scratch("genesis8.bvh")
        twists = [(side + part, f"{short}{name}Twist")
                  for side, short in (("Left", "l"), ("Right", "r"))
                  for part, name in (("Shoulder", "Shldr"), ("Elbow", "Forearm"), ("Hip", "Thigh"))]
        Bvh(CLASSIC).write(path, GENESIS8, twists=twists)
        take, said = self.play(path)
        self.assert_same_take(take, "genesis 8")
        self.assertEqual(self.notes(said), [])

    def test_names_of_other_tools_are_the_same_take(self):
        for tool, names in OTHERS.items():
            path = self.scratch("tool.bvh")
            Bvh(CLASSIC).write(path, names)
            take, said = self.play(path)
            self.assert_same_take(take, tool)
            self.assertEqual(self.notes(said), [], tool)

    def test_unknown_names_are_told(self):
        path = self.scratch("numbers.bvh")
        joints = [joint[0] for joint in Bvh(CLASSIC).joints]
        Bvh(CLASSIC).write(path, {name: f"Bone.{i:03}" for i, name in enumerate(joints)})
        _, said = self.play(path)
        self.assertRegex(said, "21 joints are not known as a person's bones .*Bone.000.*--map FILE")

    def test_a_small_skeleton_of_unknown_names_is_told(self):
        path = self.scratch("small.bvh")
        offset, channels = "OFFSET 0 1 0", "CHANNELS 3 Zrotation Xrotation Yrotation"
        joints = "".join(f"JOINT b{i} {{ {offset} {channels} " for i in range(4))
        with open(path, "w") as out:
            out.write(f"HIERARCHY ROOT b {{ {offset} {channels} {joints} End Site {{ {offset} }} "
                      f"{'}' * 5} MOTION Frames: 1 Frame Time: 0.033 {' '.join('0' * 15)}\n")
        _, said = self.play(path)
        self.assertRegex(said, "its 5 joints are not known as a person's bones")

    def test_a_take_without_a_frame_is_told(self):
        for name, text in (
                ("empty.bvh", "HIERARCHY ROOT b { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation "
                              "Yrotation End Site { OFFSET 0 1 0 } } MOTION Frames: 0 "
                              "Frame Time: 0.033\n"),
                ("empty.csv", "Timecode,BlendshapeCount,JawOpen,EyeBlinkLeft\n")):
            path = self.scratch(name)
            with open(path, "w") as out:
                out.write(text)
            voice = self.scratch("empty.wav")
            for with_voice in (False, True):  # which is heard, but moves nothing
                if with_voice:
                    with wave.open(voice, "wb") as out:
                        out.setparams((1, 2, 16000, 0, "NONE", ""))
                        out.writeframes(bytes(3200))
                said = self.run_program("animclip", "convert", path,
                                        self.scratch("out.animdata")).err
                self.assertEqual(said.count("the clip has no frame, so nothing moves"), 1, said)
            os.remove(voice)

    def test_a_limb_without_bones_is_told(self):
        path = self.scratch("limb.bvh")
        Bvh(CLASSIC).write(path, {f"Left{p}": f"prop_{p}"
                                  for p in ("Collar", "Shoulder", "Elbow", "Wrist")})
        _, said = self.play(path)
        self.assertRegex(said, r"no joint is known as left arm \(other joints: prop_Collar.*--map")
        info = self.run_program("animclip", "info", path).out
        self.assertRegex(info, "missing +left arm\n")
        self.assertRegex(info, r"right arm: Shoulder = RightCollar, UpperArm = RightShoulder")
        self.assertRegex(info, "named as +bvh\n")

    def test_a_thigh_that_never_turns_is_told(self):
        clip = Bvh(CLASSIC)
        at = 0
        for name, _, _, channels, _ in clip.joints:
            for k, frame in enumerate(clip.frames):
                for c in range(len(channels)):
                    if name == "LeftHip":
                        frame[at + c] = 0
                    if name == "LeftKnee" and channels[c] == "Xrotation":
                        frame[at + c] = k
            at += len(channels)
        path = self.scratch("stiff.bvh")
        clip.write(path)
        _, said = self.play(path)
        self.assertRegex(said, r"LeftUpperLeg \(LeftHip\) never turns, while LeftLowerLeg turns by 29")
        converted = self.run_program("animclip", "retarget", path, self.scratch("out.jsonl"),
                                     "--to", "hanim_loa3")
        self.assertIn("never turns", converted.err)

    def test_a_face_stays_on_the_rig_of_a_character(self):
        """docs/retargeting.md: weights are copied"""
        said, out = self.scratch("said.jsonl"), self.scratch("out.jsonl")
        self.run_program("a2f_source", "say", "Papa moves home.", "--out", said)
        people = {}
        for kind in ("mixamo", "vrm1"):
            people[kind] = self.scratch(f"{kind}.glb")
            with open(people[kind], "wb") as f:
                f.write(small_person(kind))
        before = Take(said)
        for kind, person in people.items():
            self.run_program("animclip", "retarget", said, out, "--to", person)
            after = Take(out)
            for shape in ("jawOpen", "eyeBlinkLeft", "mouthPucker"):
                was = [key["values"][before.shapes.index(shape)] for key in before.weights]
                now = [key["values"][after.shapes.index(shape)] for key in after.weights]
                self.assertEqual(was, now, f"{kind} {shape}")
            self.assertGreater(max(was), 0.05)

    def test_what_would_never_end_is_refused(self):
        capture = self.scratch("gap.jsonl")
        with open(capture, "w") as f:
            for time in (0, 1e300):
                f.write('{"time": %g, "buffer": "L1ZNQy9FeHQvT0sALGkAAAAAAAE="}\n' % time)
        out = self.scratch("out.animdata")
        said = self.run_program("a2f_source", "vmc", "--replay", capture, "--out", out, code=2)
        self.assertIn("at most a day", said.err)
        said = self.run_program("a2f_source", "play", CLASSIC, "--loop", "--out", out, code=2)
        self.assertIn("--loop: never ends", said.err)
        said = self.run_program("a2f_source", "play", CLASSIC, "--rig", "none", "--up", "z", "--out",
                                out, code=2)
        self.assertIn("--rig is none", said.err)

    def test_17_thumbs_of_vrm_1(self):
        """vrm-c/UniVRM #1713, vrm-c/vrm-specification #380, ExpiredPopsicle/SnekStudio PR #159"""
        takes = {}
        for name in ("unity_names", "vrm1_names"):
            out = self.scratch(f"{name}.jsonl")
            said = self.run_program("a2f_source", "vmc", "--replay",
                                    CASES / "17-vmc-vrm1-thumbs" / f"{name}.jsonl", "--out", out)
            takes[name] = Take(out)
            self.assertEqual("as VRM 1.0 does" in said.err, name == "vrm1_names", said)
        for joint in ("l_thumb1", "l_thumb2", "l_thumb3"):
            self.assertAlmostEqual(takes["unity_names"].degrees(joint),
                                   takes["vrm1_names"].degrees(joint), 1, joint)
        self.assertGreater(takes["vrm1_names"].degrees("l_thumb2"), 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
