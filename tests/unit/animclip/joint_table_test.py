"""Tables of joint rotations, made by numpy, as animclip reads them."""

import io
import json
import math
import os
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

import numpy as np

ANIMCLIP = os.environ["POSEWIRE_ANIMCLIP"]
RANDOM = np.random.default_rng(5)
STAND = (math.sqrt(.5), -math.sqrt(.5), 0, 0)  # from Z up to Y up


def times(a, b):
    """One quaternion after another."""
    w, x, y, z = a
    v, i, j, k = b
    return (w * v - x * i - y * j - z * k, w * i + x * v + y * k - z * j,
            w * j - x * k + y * v + z * i, w * k + x * j - y * i + z * v)


def of_vector(turn):
    angle = float(np.linalg.norm(turn))
    axis = np.asarray(turn) / max(angle, 1e-12)
    return (math.cos(angle / 2), *(axis * math.sin(angle / 2)))


def about(axis, degrees):
    return of_vector(np.eye(3)["XYZ".index(axis)] * math.radians(degrees))


class JointTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_convert(self, name, *flags, out="out.jsonl"):
        return subprocess.run([ANIMCLIP, "convert", name, out, *flags], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def read(self, name, *flags):
        """Joints, times, rotations and translations."""
        done = self.run_convert(name, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        messages = [json.loads(line) for line in
                    (self.folder / "out.jsonl").read_text().splitlines()]
        joints = messages[0]["animationDataStreamHeader"]["skelAnimationHeader"]["joints"]
        codes, turns, places = [], [], []
        for message in messages[1:-1]:
            pose = message["animationData"]["skelAnimation"]
            key, = pose["rotations"]
            codes.append(key.get("timeCode", 0))
            turns.append([[q.get(n, 0) for n in ("real", "i", "j", "k")] for q in key["values"]])
            for key in pose.get("translations", []):
                places.append([[v.get(n, 0) for n in "xyz"] for v in key["values"]])
        self.assertEqual(messages[-1], {"status": {}})
        return joints, codes, turns, places

    def why_not(self, name, *flags):
        done = self.run_convert(name, *flags)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def near(self, ours, theirs, where):
        """Turns; a quaternion and its negative are the same one."""
        worst = min(max(abs(a - s * b) for a, b in zip(ours, theirs)) for s in (1, -1))
        self.assertLess(worst, 1e-6, where)

    def save(self, name, **arrays):
        np.savez_compressed(self.folder / name, **arrays)

    def test_an_amass_file_needs_no_map(self):
        for joints, rate in ((55, "mocap_frame_rate"), (52, "mocap_framerate"), (24, "fps")):
            poses = RANDOM.normal(0, .4, (20, joints, 3))
            poses[:, 0] = [np.pi / 2, 0, 0]  # SMPL is Y up, and AMASS's world Z up
            trans = RANDOM.normal(0, 1, (20, 3))
            self.save("a.npz", poses=poses.reshape(20, -1), trans=trans, betas=np.zeros(16),
                      gender=np.array("neutral"), **{rate: np.array(120.0)},
                      labels=np.array([{"pickled": 1}], dtype=object))
            paths, codes, turns, places = self.read("a.npz")
            self.assertEqual(len(paths), joints)
            self.assertEqual(paths[:6], ["pelvis", "pelvis/left_hip", "pelvis/right_hip",
                                         "pelvis/spine1", "pelvis/left_hip/left_knee",
                                         "pelvis/right_hip/right_knee"])
            arm = "pelvis/spine1/spine2/spine3/left_collar/left_shoulder/left_elbow/left_wrist"
            last = {24: "/left_hand", 52: "/left_thumb1/left_thumb2/left_thumb3",
                    55: "/left_thumb1/left_thumb2/left_thumb3"}[joints]
            self.assertIn(arm + last, paths)
            self.assertEqual(codes, [i / 120 for i in range(20)])
            pelvis = -0.35 if joints == 55 else -0.24
            for i in range(20):
                self.near(turns[i][0], (1, 0, 0, 0), "the root stands")
                x, y, z = trans[i]
                np.testing.assert_allclose(places[i][0], (x, z, -y - pelvis), atol=1e-5)
                for j in range(1, joints):
                    self.near(turns[i][j], of_vector(poses[i, j]), paths[j])
            # A world with Y up stays.
            poses[:, 0] = 0
            self.save("y.npz", poses=poses, trans=trans, fps=30)
            paths, codes, turns, places = self.read("y.npz")
            self.assertEqual(codes[1], 1 / 30)
            self.near(turns[0][0], (1, 0, 0, 0), "the root")
            np.testing.assert_allclose(places[3][0], trans[3] + [0, pelvis, 0], atol=1e-5)

    def test_arms_of_a_t_pose_hang_on_a_rig_whose_arms_do(self):
        poses = np.zeros((2, 55, 3))
        poses[1, 16] = [0, 0, -math.pi / 2]  # left_shoulder
        self.save("a.npz", poses=poses, fps=30)
        joints, _, turns, _ = self.read("a.npz", "--rig", "hanim_loa3")
        shoulder = next(i for i, j in enumerate(joints) if j.endswith("/l_shoulder"))
        raised, down = turns[0][shoulder], turns[1][shoulder]
        self.assertLess(abs(2 * math.degrees(math.acos(min(1, abs(raised[0])))) - 90), 12)
        self.assertLess(2 * math.degrees(math.acos(min(1, abs(down[0])))), 12)

    def test_every_form_of_numpy_is_read_alike(self):
        poses = RANDOM.normal(0, .4, (7, 22, 3)).astype("<f4")
        self.save("first.npz", poses=poses, fps=np.int16(25))
        first = self.read("first.npz")
        forms = {"f8": poses.astype("<f8"), "flat": poses.reshape(7, 66),
                 "fortran": np.asfortranarray(poses), "flat fortran":
                 np.asfortranarray(poses.reshape(7, 66))}
        for name, array in forms.items():
            with self.subTest(form=name):
                self.save("form.npz", poses=array, fps=np.float32(25))
                self.assertEqual(self.read("form.npz"), first)
        for version in ((1, 0), (2, 0), (3, 0)):
            file = io.BytesIO()
            np.lib.format.write_array(file, poses, version=version)
            for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                with zipfile.ZipFile(self.folder / "v.npz", "w", method) as archive:
                    archive.writestr("poses.npy", file.getvalue())
                    file_of_rate = io.BytesIO()
                    np.save(file_of_rate, 25)
                    archive.writestr("fps.npy", file_of_rate.getvalue())
                self.assertEqual(self.read("v.npz"), first)

    def test_a_map_says_what_is_not_known(self):
        turns = RANDOM.normal(0, 1, (5, 2, 4))
        turns /= np.linalg.norm(turns, axis=2, keepdims=True)
        self.save("q.npz", q=turns, p=RANDOM.normal(0, 100, (5, 3)))
        (self.folder / "q.map").write_text(
            "rotations quaternion_xyzw  # as scipy has them\narray q\nrate 50\n"
            "joint HumanoidRoot\njoint l_shoulder\nup Z\nroot p\nmetres 0.01\n")
        joints, codes, ours, places = self.read("q.npz", "--map", "q.map")
        self.assertEqual(joints, ["HumanoidRoot", "l_shoulder"])
        self.assertEqual(codes[1], 1 / 50)
        back = (STAND[0], -STAND[1], 0, 0)
        with np.load(self.folder / "q.npz") as arrays:
            place = arrays["p"]
        for i in range(5):
            for j in range(2):
                x, y, z, w = turns[i, j]
                self.near(ours[i][j], times(times(STAND, (w, x, y, z)), back), (i, j))
            x, y, z = place[i] / 100
            np.testing.assert_allclose(places[i][0], (x, z, -y), atol=1e-6)

    def test_a_table_of_text_with_a_column_for_each_angle(self):
        angles = RANDOM.uniform(-80, 80, (4, 2, 3)).round(4)
        lines = ["Time,\"LeftArm.x\",LeftArm.y,LeftArm.z,note,Hips.z,Hips.y,Hips.x"]
        for i, (arm, hips) in enumerate(angles):
            note = ["", "text", '"a, b"', '"a ""b"", c"'][i]
            lines.append(f"{1000 + 40 * i},{arm[0]},{arm[1]},{arm[2]},{note},"
                         f"{hips[2]},{hips[1]},{hips[0]}")
        (self.folder / "t.csv").write_text("\r\n".join(lines) + "\r\n")
        (self.folder / "t.map").write_text("rotations euler_ZXY\ntime Time 0.001\n")
        joints, codes, turns, places = self.read("t.csv", "--map", "t.map")
        self.assertEqual(joints, ["LeftArm", "Hips"])
        np.testing.assert_allclose(codes, [0, .04, .08, .12], atol=1e-12)
        self.assertEqual(places, [])
        for i in range(4):
            for j in range(2):
                x, y, z = angles[i, j]
                self.near(turns[i][j], times(times(about("Z", z), about("X", x)), about("Y", y)),
                          (i, j))
        (self.folder / "t.map").write_text(
            "rotations euler_ZXY\nrate 25\njoint l_shoulder LeftArm\n")
        joints, codes, turns, _ = self.read("t.csv", "--map", "t.map")
        self.assertEqual((joints, codes[1]), (["l_shoulder"], 1 / 25))

    def test_refusals_name_the_place(self):
        good = np.zeros((3, 22, 3))

        def why(**arrays):
            self.save("bad.npz", **arrays)
            return self.why_not("bad.npz")

        broken = good.copy()
        broken[2, 5, 1] = np.nan
        self.assertIn("bad.npz: array poses[2][5][1] is no finite number",
                      why(poses=broken, fps=30))
        self.assertIn("its rate is not known", why(poses=good))
        self.assertIn("its rate is 0 frames", why(poses=good, fps=0))
        self.assertIn("it has no array poses", why(motion=good, fps=30))
        self.assertIn("array poses: its numbers are >f4", why(poses=good.astype(">f4"), fps=30))
        self.assertIn("array poses: its numbers are |O", why(poses=np.array([None]), fps=30))
        self.assertIn("array poses is 3 x 21 x 2", why(poses=np.zeros((3, 21, 2)), fps=30))
        self.assertIn("has 21 joints, and the map names 0", why(poses=np.zeros((3, 21, 3)), fps=30))
        self.assertIn("array trans is 2 x 3; must be 3 x 3",
                      why(poses=good, trans=np.zeros((2, 3)), fps=30))
        self.assertIn("a map must say their order", why(poses=np.zeros((3, 22, 4)), fps=30))
        self.assertIn("array poses: it unpacks to", why(poses=np.zeros((90000, 66)), fps=30))
        (self.folder / "bad.npz").write_bytes(b"PK\3\4 and no more")
        self.assertIn("it is no .npz", self.why_not("bad.npz"))
        self.save("torn.npz", poses=good + RANDOM.normal(0, 1, good.shape), fps=30)
        whole = (self.folder / "torn.npz").read_bytes()
        at = whole.index(b"poses.npy") + 200
        (self.folder / "torn.npz").write_bytes(whole[:at] + b"\xff" * 9 + whole[at + 9:])
        self.assertIn("array poses: it is damaged", self.why_not("torn.npz"))
        self.assertIn(".npz is only read", self.run_convert("a.jsonl", out="b.npz").stderr
                      + self.run_convert("torn.npz", out="b.npz").stderr)

        def table(text, says):
            (self.folder / "t.csv").write_text(text)
            (self.folder / "t.map").write_text(says)
            return self.why_not("t.csv", "--map", "t.map")

        euler = "rotations euler_XYZ\nrate 30\n"
        self.assertIn("t.map:2: the rate is a number", table("", "array a\nrate 0\n"))
        self.assertIn("t.map:1: rotations are", table("", "rotations euler_XXZ\n"))
        self.assertIn("t.map:1: expected rotations, angles", table("", "rotation axis_angle\n"))
        self.assertIn("needs a map that says what rotations are", table("A.x\n", "rate 3\n"))
        self.assertIn("line 1: there is no column A.y", table("A.x,A.z\n1,2\n", euler))
        self.assertIn("line 1: two columns are A.x", table("A.x,A.x\n", euler))
        self.assertIn("line 3, column A.z: expected a number",
                      table("A.x,A.y,A.z\n1,2,3\n1,2,inf\n", euler))
        self.assertIn("line 2: has 2 columns, not 3", table("A.x,A.y,A.z\n1,2\n", euler))
        self.assertIn("line 3, column t: times do not rise",
                      table("t,A.x,A.y,A.z\n1,0,0,0\n1,0,0,0\n", euler + "time t\n"))
        self.assertIn("its quaternion has no length",
                      table("A.x,A.y,A.z,A.w\n0,0,0,0\n", "rotations quaternion_xyzw\nrate 30\n"))
        self.assertIn("places need joints of a built-in rig",
                      table("A.x,A.y,A.z,p.x,p.y,p.z\n0,0,0,0,0,0\n", euler + "root p\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
