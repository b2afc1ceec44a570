"""VMC in and out with real processes; the other side is python-osc, which is not ours."""

import json
import math
import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import vmc_performance as performance
from control_test import Events
from posewire_test import BIN, Client, Collector, GraphTest, Server, header, until
from vmc_performance import message, messages

LOOPBACK = "127.0.0.1"


class Program:
    """`a2f_source` or `renderer_sink` with `vmc`, or another command, and the line that says its
    ports."""

    def __init__(self, name, *args, command="vmc", says_ports=True):
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen([os.path.join(BIN, name), command, *args],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)
        if says_ports:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"{name} did not start: {self.log_text()}")
            self.ports = json.loads(line)

    def log_text(self):
        with open(self.log.name) as f:
            return f.read()

    def count(self, name):
        """A counter of the last log line."""
        return int(self.log_text().split(f" {name}=")[-1].split()[0])

    def memory_mb(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            return next(int(l.split()[1]) / 1024 for l in f if l.startswith("VmRSS"))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)  # on a busy machine
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()


def source(graph, stream, *args):
    return Program("a2f_source", "--port", "0", "--performer", "0", "--to", graph.address,
                   "--stream-id", stream, *args)


class Performer(threading.Thread):
    """Sends datagrams(t) at 60 Hz until stopped, or for some seconds. late_s is by how much a busy
    machine made it late at most: what moved meanwhile arrives in one step."""

    def __init__(self, port, datagrams, seconds=None, loss=0.0, jitter_s=0.0):
        super().__init__(daemon=True)
        self.port, self.datagrams, self.seconds = port, datagrams, seconds
        self.loss, self.jitter_s = loss, jitter_s
        self.late_s = 0.0
        self.over = threading.Event()
        self.start()

    def run(self):
        random_ = random.Random(7)
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        start = time.monotonic()
        waiting = []
        k = 0
        while not self.over.is_set() and (self.seconds is None or k < self.seconds * 60):
            now = time.monotonic() - start
            if now >= k / 60:
                self.late_s = max(self.late_s, now - k / 60)
                for d in self.datagrams(k / 60):
                    if random_.random() >= self.loss:
                        waiting.append((now + self.jitter_s * random_.random(), len(waiting), d))
                k += 1
            waiting.sort()
            while waiting and waiting[0][0] <= now:
                out.sendto(waiting.pop(0)[2], (LOOPBACK, self.port))
            time.sleep(0.001)  # until the next datagram is due
        out.close()

    def stop(self):
        self.over.set()
        self.join(5)


def send(port, *contents):
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for content in contents:
        out.sendto(content if isinstance(content, bytes) else content.dgram, (LOOPBACK, port))
    out.close()


def names(pull):
    h = pull.messages[0].animation_data_stream_header.skel_animation_header
    return [j.split("/")[-1] for j in h.joints], list(h.blend_shapes)


def angle_deg(a, b):
    dot = abs(a.real * b.real + a.i * b.i + a.j * b.j + a.k * b.k)
    return math.degrees(2 * math.acos(min(1.0, dot)))


def largest_steps(frames):
    """Degrees and weight a frame of 1/30 s, over all joints and shapes. A busy machine leaves frames
    out: what moved meanwhile is shared among them."""
    turn = weight = 0
    for a, b in zip(frames, frames[1:]):
        a, b = a.skel_animation, b.skel_animation
        passed = max(1, round(30 * (b.rotations[0].time_code - a.rotations[0].time_code)))
        turn = max([turn] + [angle_deg(x, y) / passed for x, y in
                             zip(a.rotations[0].values, b.rotations[0].values)])
        weight = max([weight] + [abs(x - y) / passed
                                 for x, y in zip(a.blend_shape_weights[0].values,
                                                 b.blend_shape_weights[0].values)])
    return turn, weight


def requests_ended(client, stream):
    """Waits until all that was pushed to the stream has played."""
    return until(lambda: not any(a.requests for s in client.control("ListStreams").streams
                                 if s.stream_id == stream for a in s.avatars))


def read_clip(path):
    """Header, frames and last status of a .jsonl clip."""
    with open(path) as f:
        first, *frames, last = [json.loads(line) for line in f]
    return first["animationDataStreamHeader"]["skelAnimationHeader"], frames, last


class Marionette:
    """A receiver of python-osc's."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind((LOOPBACK, 0))
        self.socket.settimeout(10)
        self.address = f"{LOOPBACK}:{self.socket.getsockname()[1]}"

    def receive(self, seconds):
        """Datagrams with their arrival times."""
        end = time.monotonic() + seconds
        found = []
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                datagram = self.socket.recv(65536)
            except socket.timeout:
                break
            found.append((time.monotonic(), datagram))
        return found

    def close(self):
        self.socket.close()


class FromPerformers(GraphTest):
    ARGS = ("--graph", "default")

    def test_bundles_of_all_styles_over_a_bad_network_become_a_smooth_avatar(self):
        for style in performance.STYLES:
            with self.subTest(style=style):
                stream = f"style-{style}"
                vmc = source(self.server, stream)
                pull = Collector(self.client.pull(stream)).wait_started()
                performer = Performer(vmc.ports["vmc_port"],
                                      lambda t: performance.datagrams(t, style),
                                      seconds=3, loss=0.05, jitter_s=0.03)
                performer.join(20)
                pull.wait_for_more(15)
                self.assertEqual(vmc.stop(), 0, vmc.log_text()[-2000:])
                pull.call.cancel()
                self.assertEqual(vmc.count("refused"), 0)
                self.assertEqual(vmc.count("requests"), 1)
                joints, shapes = names(pull)
                frames = pull.data()
                turn, weight = largest_steps(frames)
                print(f"{style}: {len(frames)} frames, largest step {turn:.1f} deg, {weight:.2f}; "
                      f"the performer was up to {1000 * performer.late_s:.0f} ms late")
                self.assertLess(turn, 40)
                self.assertLess(weight, 0.6 + performer.late_s / performance.BLINK_S)
                # The right hand was waved beside the head, the jaw moved, the eyes blinked.
                elbow = [f.skel_animation.rotations[0].values[joints.index("r_elbow")]
                         for f in frames]
                self.assertGreater(max(angle_deg(elbow[0], q) for q in elbow), 60)
                for shape in ("jawOpen", "eyeBlinkLeft", "eyeBlinkRight"):
                    values = [f.skel_animation.blend_shape_weights[0].values[shapes.index(shape)]
                              for f in frames]
                    self.assertGreater(max(values), 0.5, shape)

    def test_a_performer_that_goes_leaves_an_idle_avatar_and_may_come_back(self):
        events = Events(self.client, "come")
        vmc = source(self.server, "come", "--gone-s", "1", "--hold-s", "0.3")
        pull = Collector(self.client.pull("come")).wait_started()
        performer = Performer(vmc.ports["vmc_port"], lambda t: performance.datagrams(t, "one"))
        events.wait_for("REQUEST_STARTED")
        performer.stop()
        events.wait_for("UNDERRUN")
        events.wait_for("REQUEST_ENDED")
        again = Performer(vmc.ports["vmc_port"],
                          lambda t: performance.datagrams(t, "one", first_time=0.0))
        events.wait_for("REQUEST_STARTED", count=2)
        # It says that it has no model any more.
        again.stop()
        send(vmc.ports["vmc_port"], message("/VMC/Ext/OK", 0))
        events.wait_for("REQUEST_ENDED", count=2)
        self.assertEqual(vmc.stop(), 0)
        pull.call.cancel()
        events.stop()
        turn, weight = largest_steps(pull.data())
        print(f"comes and goes: largest step {turn:.1f} deg, {weight:.2f}")
        self.assertLess(turn, 40)
        self.assertLess(weight, 0.6)

    def test_a_performer_port_changes_the_rate_and_everything_is_dumped(self):
        with tempfile.TemporaryDirectory() as folder:
            dump = os.path.join(folder, "take.jsonl")
            vmc = source(self.server, "rate", "--dump", dump)
            send(vmc.ports["performer_port"], message("/VMC/Ext/Set/Period", 1, 1, 4, 1, 1, 1))
            pull = Collector(self.client.pull("rate")).wait_started()
            performer = Performer(vmc.ports["vmc_port"],
                                  lambda t: performance.datagrams(t, "split"), seconds=2)
            performer.join(20)
            self.assertEqual(vmc.stop(), 0)
            pull.call.cancel()
            out = os.path.join(folder, "take.animdata")
            clip = os.path.join(folder, "clip.jsonl")
            with open(dump) as f:
                lines = [json.loads(l) for l in f]
            self.assertEqual(len(lines), vmc.count("datagrams"))
            self.assertEqual(lines[0]["port"], "performer")
            for target in (out, clip):
                subprocess.run([os.path.join(BIN, "a2f_source"), "vmc", "--replay", dump, "--out",
                                target], check=True, stderr=subprocess.PIPE)
            size = os.path.getsize(out)
            again = subprocess.run([os.path.join(BIN, "a2f_source"), "vmc", "--replay", dump,
                                    "--out", out], check=True, capture_output=True, text=True)
            self.assertIn("take-2.animdata", again.stderr)
            self.assertEqual((os.path.getsize(out), os.path.getsize(out[:-9] + "-2.animdata")),
                             (size, size))
            _, frames, last = read_clip(clip)
            self.assertIn("status", last)
            with_bones = [f for f in frames if "rotations" in f["animationData"]["skelAnimation"]]
            self.assertGreater(len(frames), 90)
            self.assertAlmostEqual(len(with_bones), len(frames) / 4, delta=2)
            self.assertGreater(os.path.getsize(out), 10000)


EVENTS_GRAPH = """
name: "watcher"
output: "look"
events: "bow"
nodes { name: "stand" pose {} }
nodes { name: "bow" clip { clip: "bow" loop: false } }
nodes {
  name: "acts"
  state_machine {
    states { name: "Stand" node: "stand" }
    states { name: "Bow" node: "bow" }
    transitions { from: "Stand" to: "Bow" event: "bow" duration_s: 0.2 }
    transitions { from: "Bow" to: "Stand" at_end: true duration_s: 0.2 }
  }
}
nodes { name: "look" look_at { below: "acts" targets { name: "you" user_head: "visitor" } } }
"""


class Devices(unittest.TestCase):
    def test_headsets_are_looked_at_trackers_move_props_and_keys_fire_events(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txtpb") as file:
            file.write(EVENTS_GRAPH)
            file.flush()
            graph = Server("anim_graph", "--graph", file.name)
            client = Client(graph.address)
            events = Events(client, "watch")
            vmc = source(graph, "watch", "--user", "visitor", "--event", "key:B=bow",
                         "--event", "shortcut:Take.Bow=bow", "--device", "LHR-9=prop:ball")
            pull = Collector(client.pull("watch")).wait_started()
            # Unity's X is the avatar's right: the visitor stands at its left.
            head = message("/VMC/Ext/Hmd/Pos", "LHR-1", -2.0, 1.6, 2.0, 0.0, 0.0, 0.0, 1.0)
            # A tracker on a real ball, a quarter to the right of its front; and one of nothing.
            half = math.sqrt(0.5)
            ball = message("/VMC/Ext/Tra/Pos", "LHR-9", 0.5, 1.25, 0.75, 0.0, half, 0.0, half)
            other = message("/VMC/Ext/Tra/Pos", "LHR-8", 9.0, 9.0, 9.0, 0.0, 0.0, 0.0, 1.0)
            client.control("SetProp", stream_id="watch", prop={"name": "ball", "shape": "box"})
            visitor = Performer(vmc.ports["vmc_port"], lambda t: [head.dgram, ball.dgram, other.dgram])
            joints = names(pull)[0]

            def looks_left(c):
                if not c.data():
                    return False
                q = c.data()[-1].skel_animation.rotations[0].values[joints.index("skullbase")]
                return 2 * math.degrees(math.atan2(q.j, q.real)) > 8
            self.assertTrue(pull.wait_for(looks_left), "the head was not turned to the headset")

            def props():
                return client.control("ListProps", stream_id="watch").props
            # Our X is the avatar's left, and turns go the other way.
            self.assertTrue(until(lambda: abs(props()[0].position.y - 1.25) < 1e-3))
            at, turn = props()[0].position, props()[0].rotation
            self.assertEqual(len(props()), 1)
            for is_, wanted in zip((at.x, at.z, turn.w, turn.y), (-0.5, 0.75, half, -half)):
                self.assertAlmostEqual(is_, wanted, 3)
            send(vmc.ports["vmc_port"], message("/VMC/Ext/Key", 1, "B", 66))
            self.assertEqual(events.wait_for("STATE_ENTERED").name, "Bow")
            events.wait_for("STATE_ENTERED", count=2)
            send(vmc.ports["performer_port"], message("/VMC/Ext/Set/Shortcut", "Take.Bow"))
            events.wait_for("STATE_ENTERED", count=3)
            visitor.stop()
            self.assertEqual(vmc.stop(), 0)
            self.assertEqual(vmc.count("events"), 2)
            pull.call.cancel()
            events.stop()
            client.close()
            self.assertEqual(graph.stop(), 0)


class Arrangement(unittest.TestCase):
    def test_start_clip_then_performer_then_end_clip_without_a_pop(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        graph = Server("anim_graph", "--graph",
                       os.path.join(root, "data/graphs/examples/vmc_performer.graph.txtpb"))
        client = Client(graph.address)
        events = Events(client, "stage")
        vmc = source(graph, "stage", "--gone-s", "1", "--hold-s", "0.3")
        pull = Collector(client.pull("stage")).wait_started()

        def playing():
            return {v.name: v.value for v in
                    client.control("ListVariables", stream_id="stage").variables}["stage"]
        self.assertEqual(playing(), "none")
        performer = Performer(vmc.ports["vmc_port"], lambda t: performance.datagrams(t, "split"),
                              seconds=6)
        events.wait_for("REQUEST_STARTED")
        self.assertTrue(until(lambda: playing() == "performance"))
        performer.join(20)
        self.assertEqual(events.wait_for("ARRANGEMENT_ENDED").name, "performance")
        self.assertEqual(playing(), "none")
        self.assertEqual(vmc.stop(), 0)
        pull.call.cancel()
        events.stop()
        client.close()
        self.assertEqual(graph.stop(), 0)
        turn, weight = largest_steps(pull.data())
        print(f"arrangement: largest step {turn:.1f} deg, {weight:.2f}")
        self.assertLess(turn, 40)
        # A blink moves by up to 0.6 in a frame; on a busy machine a frame is missed.
        self.assertLess(weight, 0.8)


class ToMarionettes(GraphTest):
    ARGS = ("--graph", "passthrough")

    def pose(self, turns, seconds, stream, request, weights=()):
        """Pushes still poses, one after the other; a pose is {joint: (w, x, y, z)}."""
        joints = ["HumanoidRoot"] + sorted({j for pose in turns for j in pose})
        first = header(self.client, stream, request, rate=0, shapes=[n for n, _ in weights],
                       joints=joints)
        m = self.client.stream_message()
        for p, pose in enumerate(turns):
            for k in range(int(30 * seconds)):
                code = (p * int(30 * seconds) + k) / 30
                keys = m.animation_data.skel_animation.rotations.add(time_code=code)
                for joint in joints:
                    w, x, y, z = pose.get(joint, (1, 0, 0, 0))
                    keys.values.add(real=w, i=x, j=y, k=z)
                if weights:
                    m.animation_data.skel_animation.blend_shape_weights.add(
                        time_code=code, values=[v for _, v in weights])
        self.client.push([first, m])

    def sink(self, stream, *args, ports=True):
        return Program("renderer_sink", "--from", self.server.address, "--stream-id", stream, *args,
                       says_ports=ports)

    def test_a_foreign_receiver_gets_whole_frames_in_the_forms_of_the_protocol(self):
        one, two = Marionette(), Marionette()
        sink = self.sink("out", "--to", one.address, "--to", two.address, "--performer", "0")
        half = math.sqrt(0.5)
        pusher = threading.Thread(target=self.pose, daemon=True, args=(
            [{"l_shoulder": (1, 0, 0, 0), "l_elbow": (half, 0, -half, 0)}], 4, "out", "r",
            [("jawOpen", 0.5), ("mouthSmileLeft", 0.25)]))
        pusher.start()
        # All but what comes before the push: its avatar stands at rest.
        received = one.receive(3)
        other = two.receive(0.2)
        self.assertEqual([d for _, d in received[:50]], [d for _, d in other[:50]])
        self.assertLessEqual(max(len(d) for _, d in received), 1452)
        frames, current = [], []
        for _, datagram in received:
            for address, args in messages(datagram):
                if address == "/VMC/Ext/OK" and current:
                    frames.append(current)
                    current = []
                current.append((address, args))
        frame = frames[-2]
        by = lambda address: [args for a, args in frame if a == address]
        self.assertEqual(by("/VMC/Ext/OK"), [[1, 3, 0]])
        self.assertEqual(len(by("/VMC/Ext/T")), 1)
        self.assertEqual([len(a) for a in by("/VMC/Ext/Root/Pos")], [8])
        bones = {a[0]: a[1:] for a in by("/VMC/Ext/Bone/Pos")}
        self.assertEqual({len(v) for v in bones.values()}, {7})
        # Arm down from the T-pose, and the elbow bent forward in its own space.
        for got, want in zip(bones["LeftUpperArm"][3:], (0, 0, half, half)):
            self.assertAlmostEqual(got, want, places=5)
        turned = bones["LeftLowerArm"][3:]
        self.assertAlmostEqual(abs(turned[3]), half, places=5)
        values = [a for a, args in frame if a.startswith("/VMC/Ext/Blend")]
        self.assertEqual(values.count("/VMC/Ext/Blend/Apply"), 1)
        self.assertEqual(values[-1], "/VMC/Ext/Blend/Apply")
        shapes = dict(by("/VMC/Ext/Blend/Val"))
        self.assertAlmostEqual(shapes["JawOpen"], 0.5, places=5)
        self.assertAlmostEqual(shapes["MouthSmileLeft"], 0.25, places=5)
        self.assertEqual(len([n for n in shapes if n in performance.ARKIT]), 52)
        self.assertEqual({a[0] for a in by("/VMC/Ext/Tra/Pos")},
                         {"Head", "Spine", "LeftHand", "RightHand", "LeftFoot", "RightFoot"})
        # A marionette asks for a fifth of the bones.
        send(sink.ports["performer_port"], message("/VMC/Ext/Set/Period", 1, 1, 5, 1, 1, 1))
        one.receive(0.3)
        found = [a for _, d in one.receive(1.5) for a, _ in messages(d)]
        self.assertAlmostEqual(found.count("/VMC/Ext/OK") / 5,
                               sum(1 for a in found if a == "/VMC/Ext/Bone/Pos") / len(bones),
                               delta=1.5)
        self.assertEqual(sink.stop(), 0, sink.log_text()[-2000:])
        last = [(a, args) for _, d in one.receive(0.3) for a, args in messages(d)]
        self.assertIn(("/VMC/Ext/OK", [0, 3, 0]), last)
        pusher.join(10)
        one.close()
        two.close()

    def test_the_face_survives_in_the_shapes_of_another_set(self):
        face = [("jawOpen", 0.3), ("mouthFunnel", 0.5), ("mouthSmileLeft", 0.4),
                ("eyeBlinkRight", 0.9), ("cheekPuff", 0.2)]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "back.jsonl")
            back = Program("a2f_source", "--port", "0", "--out", out)
            witness = Marionette()
            sink = self.sink("set", "--to", f"{LOOPBACK}:{back.ports['vmc_port']}",
                             "--to", witness.address, "--shapes", "unified", ports=False)
            self.pose([{}], 2, "set", "r", face)
            self.assertTrue(requests_ended(self.client, "set"))
            sent = {args[0] for _, d in witness.receive(0.2) for a, args in messages(d)
                    if a == "/VMC/Ext/Blend/Val"}
            witness.close()
            self.assertEqual(sink.stop(), 0, sink.log_text()[-2000:])
            self.assertEqual(back.stop(), 0, back.log_text()[-2000:])
            skel, frames, _ = read_clip(out)
        self.assertIn("LipFunnelUpperLeft", sent)
        self.assertNotIn("MouthFunnel", sent)
        self.assertNotIn("Joy", sent)
        self.assertEqual(back.log_text().count("expressions recognised"), 1)
        self.assertIn('shapes="unified"', back.log_text())
        off = [9.0]
        for line in frames:
            for keys in line["animationData"]["skelAnimation"].get("blendShapeWeights", []):
                weights = dict(zip(skel["blendShapes"], keys["values"]))
                off.append(max(abs(weights[name] - weight) for name, weight in face))
        self.assertLess(min(off), 1e-4)

    def test_an_unknown_shape_set_is_an_error_with_the_nearest(self):
        sink = Program("renderer_sink", "--stream-id", "x", "--shapes", "unifid", says_ports=False)
        self.assertNotEqual(sink.process.wait(10), 0)
        self.assertIn("did you mean unified?", sink.log_text())
        sink.stop()

    def test_poses_survive_the_way_out_and_back_in(self):
        rng = random.Random(5)

        def some_turn():
            axis = [rng.uniform(-1, 1) for _ in range(3)]
            size = math.sqrt(sum(a * a for a in axis))
            angle = rng.uniform(-0.7, 0.7)
            return (math.cos(angle), *(math.sin(angle) * a / size for a in axis))
        joints = ["l_shoulder", "l_elbow", "l_wrist", "r_shoulder", "r_elbow", "r_wrist", "l_hip",
                  "l_knee", "r_hip", "r_knee", "skullbase", "l_index1", "r_pinky2"]
        poses = [{j: some_turn() for j in joints} for _ in range(3)]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "back.jsonl")
            back = Program("a2f_source", "--port", "0", "--out", out)
            sink = self.sink("round", "--to", f"{LOOPBACK}:{back.ports['vmc_port']}", ports=False)
            self.pose(poses, 1.5, "round", "r", [("jawOpen", 0.3), ("browInnerUp", 0.75)])
            self.assertTrue(requests_ended(self.client, "round"))
            self.assertEqual(sink.stop(), 0, sink.log_text()[-2000:])
            self.assertEqual(back.stop(), 0, back.log_text()[-2000:])
            skel, frames, last = read_clip(out)
        self.assertIn("status", last)
        order = [j.split("/")[-1] for j in skel["joints"]]
        worst, weights_off = [9.0] * len(poses), 9.0
        for line in frames:
            anim = line["animationData"]["skelAnimation"]
            got = anim["rotations"][0]["values"]
            for p, pose in enumerate(poses):
                off = 0
                for joint, want in pose.items():
                    q = got[order.index(joint)]
                    q = [q.get(n, 0) for n in ("real", "i", "j", "k")]
                    sign = 1 if sum(a * b for a, b in zip(q, want)) >= 0 else -1
                    off = max([off] + [abs(sign * a - b) for a, b in zip(q, want)])
                worst[p] = min(worst[p], off)
            weights = dict(zip(skel["blendShapes"],
                               anim["blendShapeWeights"][0]["values"]))
            weights_off = min(weights_off, max(abs(weights["jawOpen"] - 0.3),
                                               abs(weights["browInnerUp"] - 0.75)))
        print("round trip off by", ", ".join(f"{w:.1e}" for w in worst), f"weights {weights_off:.1e}")
        self.assertLess(max(worst), 1e-5)
        self.assertLess(weights_off, 1e-5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
