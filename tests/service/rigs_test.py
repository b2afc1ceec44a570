"""Sources on skeletons of their own, live, and targets with rigs of their own."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Client, Collector, Server, until

# A person in a T-pose, in metres, with names that say nothing. Y is up.
JOINTS = [  # name, parent, offset, bone
    ("a0", None, (0, 0.95, 0), "Hips"), ("a1", "a0", (0, 0.2, 0), "Spine"),
    ("a2", "a1", (0, 0.25, 0), "Neck"), ("a3", "a2", (0, 0.12, 0), "Head"),
    ("b0", "a1", (0.16, 0.2, 0), "LeftUpperArm"), ("b1", "b0", (0.28, 0, 0), "LeftLowerArm"),
    ("b2", "b1", (0.26, 0, 0), "LeftHand"),
    ("c0", "a1", (-0.16, 0.2, 0), "RightUpperArm"), ("c1", "c0", (-0.28, 0, 0), "RightLowerArm"),
    ("c2", "c1", (-0.26, 0, 0), "RightHand"),
    ("d0", "a0", (0.09, -0.05, 0), "LeftUpperLeg"), ("d1", "d0", (0, -0.43, 0), "LeftLowerLeg"),
    ("d2", "d1", (0, -0.4, 0), "LeftFoot"),
    ("e0", "a0", (-0.09, -0.05, 0), "RightUpperLeg"), ("e1", "e0", (0, -0.43, 0), "RightLowerLeg"),
    ("e2", "e1", (0, -0.4, 0), "RightFoot"),
]
FRAMES = 60


def bvh():
    """The left arm goes down, and the right one bends, in two seconds."""
    order, lines = [], ["HIERARCHY"]

    def write(name, depth):
        _, parent, offset, _ = next(j for j in JOINTS if j[0] == name)
        order.append(name)
        pad = "  " * depth
        lines.extend([f"{pad}{'ROOT' if parent is None else 'JOINT'} {name}", pad + "{",
                      pad + "  OFFSET " + " ".join(map(str, offset)),
                      pad + "  CHANNELS 3 Zrotation Yrotation Xrotation"])
        children = [j[0] for j in JOINTS if j[1] == name]
        for child in children:
            write(child, depth + 1)
        if not children:
            lines.extend([pad + "  End Site", pad + "  {", pad + "    OFFSET 0 0.1 0", pad + "  }"])
        lines.append(pad + "}")

    write("a0", 0)
    lines += ["MOTION", f"Frames: {FRAMES}", "Frame Time: 0.0333333"]
    for k in range(FRAMES):
        turns = {"b0": (-80 * k / FRAMES, 0, 0), "c1": (0, 70 * k / FRAMES, 0)}
        lines.append(" ".join(" ".join(map(str, turns.get(name, (0, 0, 0)))) for name in order))
    return "\n".join(lines) + "\n"


def run(program, *args, ok=True):
    done = subprocess.run([os.path.join(BIN, program), *map(str, args)], capture_output=True,
                          text=True, timeout=60)
    assert not ok or done.returncode == 0, done.stderr
    return done


def rotations(path):
    """Of a clip: per frame the turns by the joints' last names, the larger part positive."""
    out, names = [], []
    for line in path.read_text().splitlines():
        message = json.loads(line)
        if "animationDataStreamHeader" in message:
            names = message["animationDataStreamHeader"]["skelAnimationHeader"]["joints"]
        for key in message.get("animationData", {}).get("skelAnimation", {}).get("rotations", []):
            turns = {}
            for name, q in zip(names, key["values"]):
                q = [q.get(part, 0) for part in ("real", "i", "j", "k")]
                sign = -1 if max(q, key=abs) < 0 else 1
                turns[name.split("/")[-1]] = [sign * v for v in q]
            out.append(turns)
    return out


class Rigs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bvh = self.folder / "odd.bvh"
        self.bvh.write_text(bvh())
        self.map = self.folder / "odd.map"
        self.map.write_text("".join(f"{name} = {bone}\n" for name, _, _, bone in JOINTS))

    def serve(self, *args):
        server = Server("anim_graph", "--graph", "passthrough", *args)
        self.addCleanup(server.stop)
        return server

    def test_a_live_source_of_odd_names_is_carried_over_as_its_file_is(self):
        wanted = self.folder / "wanted.jsonl"
        run("animclip", "retarget", self.bvh, wanted, "--to", "hanim_loa3", "--map", self.map)
        server = self.serve("--source", f"mocap:rest={self.bvh},map={self.map}")
        pushed = self.folder / "pushed.jsonl"
        # As a performer would send it: names and turns, and no word of the skeleton.
        run("a2f_source", "play", self.bvh, "--rig", "none", "--out", pushed)
        out = self.folder / "out.jsonl"
        sink = subprocess.Popen([os.path.join(BIN, "renderer_sink"), "record", str(out), "--from",
                                 server.address, "--stream-id", "s", "--request-id", "r"])
        self.addCleanup(sink.kill)
        run("a2f_source", "play", pushed, "--to", server.address, "--stream-id", "s",
            "--request-id", "r", "--source-id", "mocap")
        self.assertEqual(sink.wait(20), 0)
        is_, should = rotations(out), rotations(wanted)
        self.assertGreaterEqual(len(is_), FRAMES)
        for k in (0, 20, 45):
            for joint in ("l_shoulder", "l_elbow", "r_shoulder", "r_elbow", "r_wrist"):
                for a, b in zip(is_[k][joint], should[k][joint]):
                    self.assertAlmostEqual(a, b, 4, (k, joint))
        # From the T-pose the arm came down: hanim's arms hang at rest.
        self.assertGreater(is_[58]["l_shoulder"][0], 0.99)
        self.assertLess(is_[0]["l_shoulder"][0], 0.75)

    def test_faults_are_told_at_the_start(self):
        for value, text in ((f"mocap:map={self.map}", "rest=FILE"),
                            (f"mocap:rest={self.folder}/none.glb", "none.glb"),
                            (f"mocap:rest={self.bvh},map={self.bvh}", "odd.bvh:1: "),
                            ("mocap:rest=", "rest=FILE")):
            done = run("anim_graph", "--source", value, ok=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
        for value in ("dog", "dog:rig=", ":rig=vrm", "dog:rig=cat"):
            done = run("anim_graph", "--target", value, ok=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--target", done.stderr)

    def test_a_target_has_a_rig_of_a_file_or_of_its_header(self):
        server = self.serve("--target", f"dog:rig={self.bvh}", "--target", "prop:rig=header")
        client = Client(server.address)
        self.addCleanup(client.close)

        def joints(pull):
            names = pull.wait_started().messages[0].animation_data_stream_header
            return list(names.skel_animation_header.joints)

        dog, person = (Collector(client.pull("s", target=t)) for t in ("dog", "me"))
        prop = Collector(client.pull("s", target="prop"))
        self.assertEqual(joints(dog)[:2], ["a0", "a0/a1"])
        self.assertEqual(len(joints(person)), 94)
        cup = self.folder / "cup.jsonl"
        cup.write_text(
            '{"animationDataStreamHeader":{"skelAnimationHeader":{"joints":["cup"]}}}\n'
            '{"animationData":{"skelAnimation":{"translations":[{"timeCode":0,"values":[{"x":4}]},'
            '{"timeCode":1,"values":[{"x":4}]}]}}}\n{"status":{"code":"SUCCESS"}}\n')
        run("a2f_source", "play", cup, "--to", server.address, "--stream-id", "s",
            "--target-id", "prop")
        self.assertEqual(joints(prop), ["cup"])
        until(lambda: any(m.animation_data.skel_animation.translations[0].values[0].x == 4
                          for m in list(prop.messages)
                          if m.animation_data.skel_animation.translations))
        for pull in (dog, person, prop):
            pull.call.cancel()


if __name__ == "__main__":
    unittest.main()
