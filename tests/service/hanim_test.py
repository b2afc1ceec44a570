"""H-Anim humanoids of X3D files as rigs of anim_graph."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Client, Collector, Server
from x3d_person import JOE

CLASSIC = """#X3D V4.0 utf8
PROFILE Full
DEF human HAnimHumanoid {
  name "Ann"
  skeleton HAnimJoint {
    name "humanoid_root" center 0 0.9 0
    children [
      HAnimJoint { name "hanim_l_hip" center 0.1 0.9 0
        children HAnimJoint { name "l_talocrural" center 0.1 0.1 0 } }
      HAnimJoint { name "x_tail" center 0 0.9 -0.1 }
      HAnimJoint { name "wing" center 0 1.4 -0.1 }
    ]
  }
}
"""


def joints(server):
    client = Client(server.address)
    pull = Collector(client.pull("avatar")).wait_started()
    names = pull.messages[0].animation_data_stream_header.skel_animation_header
    found = list(names.joints), list(names.blend_shapes)
    pull.call.cancel()
    client.close()
    return found


class HAnimTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_humanoid_is_the_rig_and_the_log_warns_of_its_extras(self):
        path = self.folder / "ann.x3dv"
        path.write_text(CLASSIC)
        server = Server("anim_graph", "--rig", str(path))
        names, shapes = joints(server)
        self.assertEqual(names, ["HumanoidRoot", "HumanoidRoot/l_hip",
                                 "HumanoidRoot/l_hip/l_ankle", "HumanoidRoot/x_tail",
                                 "HumanoidRoot/wing"])
        self.assertEqual(len(shapes), 52)
        self.assertEqual(server.stop(), 0)
        warnings = [line for line in server.log_text().splitlines() if "no x_" in line]
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn("line 11: joint wing", warnings[0])

    def test_a_humanoid_that_nothing_moves_is_the_rig_of_a_target(self):
        path = self.folder / "ann.x3dv"
        path.write_text(CLASSIC)
        server = Server("anim_graph", "--target", f"ann:rig={path}")
        self.assertEqual(server.stop(), 0)

    def test_a_broken_file_is_refused_with_the_line(self):
        path = self.folder / "broken.x3dv"
        path.write_text(CLASSIC.replace("1.4", "high"))
        done = subprocess.run([os.path.join(BIN, "anim_graph"), "--rig", str(path)],
                              capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 11: ", done.stderr)

    def test_the_root_alone_is_a_rig(self):
        server = Server("anim_graph", "--rig", "hanim_loa0")
        self.assertEqual(joints(server)[0], ["HumanoidRoot"])
        self.assertEqual(server.stop(), 0)

    @unittest.skipUnless(JOE, "JoeHAnimKick1a.x3d is not here")
    def test_joe_is_a_rig(self):
        server = Server("anim_graph", "--rig", str(JOE))
        names, _ = joints(server)
        self.assertEqual(len(names), 89)
        self.assertIn("HumanoidRoot/sacroiliac/l_hip/l_knee/l_ankle", names)
        self.assertEqual(server.stop(), 0)
        self.assertNotIn("no x_", server.log_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
