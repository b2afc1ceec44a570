"""VMC with two libraries that are not ours, vmcp (Python) and osc.js (Node), as performers and as
marionettes. Each runs in a process of its own; what we expect is computed here, from the protocol."""

import json
import math
import os
import random
import subprocess
import tempfile
import threading
import time
import unittest

from control_test import Events
from posewire_test import Collector, GraphTest, header, tool, until
from vmc_performance import ARKIT, SKELETON, TOOLS, VENV
from vmc_test import LOOPBACK, Program, names, requests_ended, source

HERE = os.path.dirname(os.path.abspath(__file__))
HIPS_HEIGHT_M = SKELETON["Hips"][1]


class Peer:
    """One of the libraries; `said` has the lines that it wrote."""

    def __init__(self, library, *args):
        if library == "vmcp":
            command = [os.path.join(VENV, "bin", "python"), "-B", os.path.join(HERE, "vmc_peer.py")]
        else:
            command = [tool("node"), os.path.join(HERE, "vmc_peer.js")]
        modules = {"NODE_PATH": os.path.join(TOOLS, "osc_js", "node_modules")}
        self.process = subprocess.Popen([*command, *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **modules})
        self.said = []

    def receives(self):
        """Starts to read what the marionette writes; returns its port."""
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"it did not start: {self.process.stderr.read()}")
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        return json.loads(line)["port"]

    def read(self):
        for line in self.process.stdout:
            self.said.append(json.loads(line))

    def send(self, frame):
        try:
            self.process.stdin.write(json.dumps(frame) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as e:
            raise AssertionError(f"it ended: {self.process.stderr.read()}") from e

    def close(self):
        """Returns what it wrote to standard error, and its exit code."""
        self.process.stdin.close()
        code = self.process.wait(20)
        if hasattr(self, "reader"):
            self.reader.join(20)
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return errors, code


LIBRARIES = ("vmcp", "osc.js")


# Quaternions are (w, x, y, z), in our space unless Unity's is said.
def mul(a, b):
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw)


def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


def rotated(q, v):
    return mul(mul(q, (0, *v)), conjugate(q))[1:]


def mirrored(q):
    """Between Unity's space and ours, both ways: x is mirrored."""
    return (q[0], q[1], -q[2], -q[3])


def off(a, b):
    """Of two rotations: q and -q are the same."""
    sign = 1 if sum(x * y for x, y in zip(a, b)) >= 0 else -1
    return max(abs(sign * x - y) for x, y in zip(a, b))


# The stance of the standard rig has its arms down, that of VRM out. Bone, joint, and how a rotation
# goes over: "arm" turns the arm down, "below" is a joint further down that arm.
BONES = {
    "Hips": ("HumanoidRoot", ""), "Spine": ("vl5", ""), "Head": ("skullbase", ""),
    "LeftUpperArm": ("l_shoulder", "arm"), "LeftLowerArm": ("l_elbow", "below"),
    "LeftHand": ("l_wrist", "below"), "LeftIndexProximal": ("l_index1", "below"),
    "RightUpperArm": ("r_shoulder", "arm"), "RightLowerArm": ("r_elbow", "below"),
    "RightHand": ("r_wrist", "below"), "RightLittleIntermediate": ("r_pinky2", "below"),
    "LeftUpperLeg": ("l_hip", ""), "LeftLowerLeg": ("l_knee", ""), "RightFoot": ("r_ankle", ""),
}
HALF = math.sqrt(0.5)


def down(bone):
    return (HALF, 0, 0, HALF if bone.startswith("Left") else -HALF)


def joint_rotation(bone, q):
    """The joint's, of a bone's in our space."""
    how = BONES[bone][1]
    if how == "arm":
        return mul(q, down(bone))
    return mul(mul(conjugate(down(bone)), q), down(bone)) if how else q


def bone_rotation(bone, q):
    """The opposite."""
    how = BONES[bone][1]
    if how == "arm":
        return mul(q, conjugate(down(bone)))
    return mul(mul(down(bone), q), conjugate(down(bone))) if how else q


def rest(rig):
    """Where the joints of one of our rigs are at rest, each from its parent."""
    with open(os.path.join(HERE, "..", "..", "data", "rigs", f"{rig}.rig")) as f:
        lines = [line.split() for line in f if line.startswith("joint ")]
    return {words[1].split("/")[-1]: [float(word) for word in words[3:6]] for words in lines}


def plus(*vectors):
    return [sum(values) for values in zip(*vectors)]


def between_hips(left, right):
    return [(a + b) / 2 for a, b in zip(left, right)]


def root_place(at, turn):
    """Where HumanoidRoot is, for hips that are `at` a place in the sender's metres: the point between
    the hip joints moves as the sender's, in proportion to its height."""
    vrm, own = rest("vrm"), rest("hanim_loa3")
    theirs = between_hips(vrm["LeftUpperLeg"], vrm["RightUpperLeg"])
    ours = plus(own["sacroiliac"], between_hips(own["l_hip"], own["r_hip"]))
    from_rest, to_rest = plus(vrm["Hips"], theirs), plus(own["HumanoidRoot"], ours)
    scale = vrm["Hips"][1] / HIPS_HEIGHT_M
    point = plus([scale * a for a in at], rotated(turn, theirs))
    moved = [to_rest[1] / from_rest[1] * (a - b) for a, b in zip(point, from_rest)]
    return plus(to_rest, moved, [-a for a in rotated(turn, ours)])


def some_turn(rng, most):
    axis = [rng.gauss(0, 1) for _ in range(3)]
    size = math.sqrt(sum(a * a for a in axis))
    angle = rng.uniform(-most, most) / 2
    return (math.cos(angle), *(math.sin(angle) * a / size for a in axis))


def unity(q):
    """As VMC has it: x, y, z, w."""
    w, x, y, z = q
    return [x, y, z, w]


def some_frame(rng):
    """A pose in VMC's terms: a root, turned bones, all expressions."""
    turns = {bone: some_turn(rng, 0.8) for bone in BONES}
    bones = {name: [*place, *unity(turns.get(name, (1, 0, 0, 0)))]
             for name, place in SKELETON.items()}
    for axis in range(3):
        bones["Hips"][axis] += rng.uniform(-0.1, 0.1)
    heading = rng.uniform(-1, 1)
    root = [rng.uniform(-0.5, 0.5), 0.0, rng.uniform(-0.5, 0.5), 0, math.sin(heading / 2), 0,
            math.cos(heading / 2)]
    shapes = {name: rng.uniform(0, 0.5) for name in ARKIT}
    shapes["JawOpen"] = rng.uniform(0.5, 1)  # more than MouthClose
    return {"loaded": 1, "root": root, "bones": bones, "shapes": shapes}


def expected(frame):
    """Rotations by joint, the hips' place in the sender's metres, weights by shape; in our space."""
    values = {bone: frame["bones"][bone] for bone in BONES}
    turns = {bone: mirrored((v[6], v[3], v[4], v[5])) for bone, v in values.items()}
    x, y, z, *turn = frame["root"]
    root = mirrored((turn[3], *turn[:3]))
    hx, hy, hz = values["Hips"][:3]
    at = [a + b for a, b in zip((-x, y, z), rotated(root, (-hx, hy, hz)))]
    turns["Hips"] = mul(root, turns["Hips"])
    weights = {name[0].lower() + name[1:]: value for name, value in frame["shapes"].items()}
    weights["jawOpen"] -= weights["mouthClose"]  # ACE's mouthClose opens the jaw by itself
    return {BONES[b][0]: joint_rotation(b, q) for b, q in turns.items()}, at, weights


class FromPeers(GraphTest):
    POSES, POSE_S = 3, 1.5

    def test_bones_root_and_expressions_of_other_libraries_are_recorded_as_sent(self):
        for library in LIBRARIES:
            with self.subTest(library=library), tempfile.TemporaryDirectory() as folder:
                rng = random.Random(11)
                sent = [some_frame(rng) for _ in range(self.POSES)]
                clip = os.path.join(folder, "take.jsonl")
                self.record(library, sent, clip)
                self.check(library, sent, clip)

    def record(self, library, sent, clip):
        """Sends each pose for a while through a2f_source and anim_graph, and records what is pulled."""
        stream = f"from-{library}"
        events = Events(self.client, stream)
        vmc = source(self.server, stream, "--hips-height", str(HIPS_HEIGHT_M))
        recorder = Program("renderer_sink", clip, "--from", self.server.address, "--stream-id",
                           stream, command="record", says_ports=False)
        pulled = lambda: any(a.pulls for s in self.client.control("ListStreams").streams
                             if s.stream_id == stream for a in s.avatars)
        self.assertTrue(until(pulled))
        peer = Peer(library, "send", str(vmc.ports["vmc_port"]))
        # vmcp's examples send the time since 1970, of which a float holds steps of 128 s.
        began = time.time() if library == "vmcp" else 0
        start = time.monotonic()
        for k in range(int(60 * self.POSE_S * len(sent))):
            time.sleep(max(0, start + k / 60 - time.monotonic()))  # until the next frame is due
            peer.send({**sent[int(k / 60 / self.POSE_S)], "time": began + k / 60})
        peer.send({"loaded": 0})
        events.wait_for("REQUEST_ENDED")
        self.assertEqual(peer.close(), ("", 0))
        self.assertEqual(vmc.stop(), 0, vmc.log_text()[-2000:])
        self.assertEqual(recorder.stop(), 0, recorder.log_text()[-2000:])
        events.stop()
        self.assertEqual((vmc.count("refused"), vmc.count("requests")), (0, 1))

    def check(self, library, sent, clip):
        with open(clip) as f:
            lines = [json.loads(line) for line in f]
        skel = lines[0]["animationDataStreamHeader"]["skelAnimationHeader"]
        joints = [j.split("/")[-1] for j in skel["joints"]]
        frames = [line["animationData"]["skelAnimation"] for line in lines
                  if "rotations" in line.get("animationData", {}).get("skelAnimation", {})]
        for frame in sent:
            rotations, at, weights = expected(frame)

            def differences(shown):
                quats = shown["rotations"][0]["values"]
                turned = max(off([quats[joints.index(j)].get(n, 0) for n in ("real", "i", "j", "k")],
                                 q) for j, q in rotations.items())
                values = dict(zip(skel["blendShapes"], shown["blendShapeWeights"][0]["values"]))
                return turned, max(abs(values[n] - w) for n, w in weights.items())
            best = min(frames, key=lambda shown: max(differences(shown)))
            turned, weight = differences(best)
            root = best["translations"][0]["values"][joints.index("HumanoidRoot")]
            want = root_place(at, rotations["HumanoidRoot"])
            moved = max(abs(root.get(n, 0) - value) for n, value in zip("xyz", want))
            print(f"{library}: rotations off by {turned:.1e}, weights by {weight:.1e}, the root by "
                  f"{moved:.1e} m")
            self.assertLess(turned, 1e-5)
            self.assertLess(weight, 1e-5)
            self.assertLess(moved, 1e-4)


class ToPeers(GraphTest):
    SECONDS = 3

    def moving(self, stream):
        """Pushes joints, hips and shapes that never stand still."""
        rng = random.Random(12)
        joints = [joint for joint, _ in BONES.values()]
        axes = {joint: some_turn(rng, 1) for joint in joints}
        shapes = [name[0].lower() + name[1:] for name in ARKIT]
        first = header(self.client, stream, "r", rate=0, shapes=shapes, joints=joints)
        m = self.client.stream_message()
        skel = m.animation_data.skel_animation
        for k in range(30 * self.SECONDS):
            t = k / 30
            rotations = skel.rotations.add(time_code=t)
            for n, joint in enumerate(joints):
                _, *axis = axes[joint]
                size = math.sqrt(sum(a * a for a in axis))
                angle = 0.3 * math.sin(1.1 * t + n)
                w, (x, y, z) = math.cos(angle), (math.sin(angle) * a / size for a in axis)
                rotations.values.add(real=w, i=x, j=y, k=z)
            skel.blend_shape_weights.add(time_code=t, values=[
                0 if name == "mouthClose" else 0.5 + 0.4 * math.sin(1.7 * t + n)
                for n, name in enumerate(shapes)])
        self.client.push([first, m])

    def test_other_libraries_decode_what_a_pull_of_the_stream_shows(self):
        stream = "to-peers"
        peers = {library: Peer(library, "receive") for library in LIBRARIES}
        targets = [word for peer in peers.values()
                   for word in ("--to", f"{LOOPBACK}:{peer.receives()}")]
        pull = Collector(self.client.pull(stream)).wait_started()
        # Exact poses, to compare them with those of the other pull.
        sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", stream,
                       "--sparse", "off", *targets, says_ports=False)
        for library, peer in peers.items():
            self.assertTrue(until(lambda: len(peer.said) > 0), f"{library} received nothing")
        self.moving(stream)
        self.assertTrue(requests_ended(self.client, stream))
        self.assertEqual(sink.stop(), 0, sink.log_text()[-2000:])
        pull.call.cancel()
        for library, peer in peers.items():
            with self.subTest(library=library):
                over = lambda: any(a == "/VMC/Ext/OK" and v[0] == 0 for a, v, *_ in peer.said)
                self.assertTrue(until(over), "the end did not come")
                self.assertEqual(peer.close(), ("", 0))
                self.check(library, peer.said, pull)

    def check(self, library, said, pull):
        frames, current = [], None
        for address, values, *types in said:
            if address == "/VMC/Ext/OK":
                if current:
                    frames.append(current)
                current = [] if values[0] == 1 else None
            # Some messages come now and then.
            if current is not None and address not in ("/VMC/Ext/VRM", "/VMC/Ext/Rcv"):
                current.append((address, values, *types))
        # The first frame may have begun before the receiver did.
        decoded = [d for d in map(self.decoded, frames[1:]) if d is not None]
        shown = self.shown(pull)
        matches = []
        for turns, weights in decoded:
            def difference(k):
                return max(*(off(turns[b], shown[k][0][b]) for b in BONES),
                           *(abs(weights[n] - w) for n, w in shown[k][1].items()))
            k = min(range(len(shown)), key=difference)
            matches.append((difference(k), k))
        far = [d for d, _ in matches if d > 1e-5]
        moving = {k for d, k in matches if d <= 1e-5}
        print(f"{library}: {len(decoded)} frames, {len(moving)} of {len(shown)} that were pulled, "
              f"off by {max(d for d, _ in matches):.1e} at most, {len(far)} that match none")
        # The sink's pull may have had a frame that ours lacks, on a busy machine.
        self.assertLess(len(far), 0.1 * len(decoded))
        self.assertGreater(len(moving), 10 * self.SECONDS)

    def decoded(self, frame):
        """Bones and expressions of one frame; None if a datagram of it was lost."""
        by = lambda address: [m[1] for m in frame if m[0] == address]
        weights = dict(by("/VMC/Ext/Blend/Val"))
        if len(by("/VMC/Ext/Blend/Apply")) != 1 or not set(ARKIT) <= set(weights):
            return None
        bones = {values[0]: values[1:] for values in by("/VMC/Ext/Bone/Pos")}
        if not set(BONES) <= set(bones):
            return None
        self.assertEqual(frame[-1][0], "/VMC/Ext/Blend/Apply")
        self.assertEqual(by("/VMC/Ext/Root/Pos"), [["root", 0, 0, 0, 0, 0, 0, 1]])
        tags = {m[0]: m[2] for m in frame if len(m) > 2}
        if tags:
            self.assertEqual((tags["/VMC/Ext/OK"], tags["/VMC/Ext/T"]), ("iii", "f"))
            self.assertEqual((tags["/VMC/Ext/Bone/Pos"], tags["/VMC/Ext/Blend/Val"]),
                             ("sfffffff", "sf"))
        return ({bone: mirrored((v[6], *v[3:6])) for bone, v in bones.items() if bone in BONES},
                weights)

    def shown(self, pull):
        """The same of each frame that was pulled."""
        joints, shapes = names(pull)
        out = []
        for data in pull.data():
            skel = data.skel_animation
            if not skel.rotations:
                continue
            quats = skel.rotations[0].values
            turns = {}
            for bone, (joint, _) in BONES.items():
                q = quats[joints.index(joint)]
                turns[bone] = bone_rotation(bone, (q.real, q.i, q.j, q.k))
            values = dict(zip(shapes, skel.blend_shape_weights[0].values))
            out.append((turns, {name: values[name[0].lower() + name[1:]] for name in ARKIT}))
        return out


if __name__ == "__main__":
    unittest.main(verbosity=2)
