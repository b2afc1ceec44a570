"""iFacialMocap with real processes. The phone's side is written by hand: the app's text datagrams, in
both versions."""

import math
import os
import socket
import tempfile
import threading
import unittest

from control_test import Events
from livelink_test import talking, weights_of
from posewire_test import Collector, GraphTest, until
from vmc_test import (LOOPBACK, Performer, Program, angle_deg, largest_steps, names, read_clip,
                      send)

REQUEST = b"iFacialMocap_sahuasouryya9218sauhuiayeta91555dy3719"
VERSION_2 = b"|sendDataVersion=v2"


def name_of(shape):
    """EyeBlinkLeft is eyeBlink_L on the wire, but the mouth's and the jaw's own sides stay."""
    name = shape[0].lower() + shape[1:]
    if name not in ("jawLeft", "jawRight", "mouthLeft", "mouthRight"):
        for side in ("Left", "Right"):
            name = name.removesuffix(side) + f"_{side[0]}" if name.endswith(side) else name
    return name


def face(shapes, version=1, status=1):
    """A datagram. shapes: those of Live Link, {"JawOpen": 0.5, "HeadYaw": 0.2}."""
    shapes = dict(shapes)
    yaw, pitch = shapes.pop("HeadYaw", 0.0), shapes.pop("HeadPitch", 0.0)
    fields = [f"trackingStatus{'-&'[version - 1]}{status}"]
    fields += [f"{name_of(name)}{'-&'[version - 1]}{round(100 * value)}"
               for name, value in shapes.items()]
    fields += [f"=head#{math.degrees(pitch):.6f},{-math.degrees(yaw):.6f},0.0,0.01,-0.1,-0.4",
               "rightEye#1.5,-2.5,0.1", "leftEye#1.5,1.0,0.1"]
    return ("|".join(fields) + "|").encode()


def source(graph, stream, *args):
    return Program("a2f_source", "--port", "0", "--to", graph.address, "--stream-id", stream, *args,
                   command="ifacialmocap")


class Phone:
    """Waits for requests as the app does."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((LOOPBACK, 0))
        self.address = f"{LOOPBACK}:{self.socket.getsockname()[1]}"

    def request(self, seconds=10):
        """The next request, and who asks."""
        self.socket.settimeout(seconds)
        return self.socket.recvfrom(1000)

    def waiting_requests(self):
        found = []
        self.socket.setblocking(False)
        try:
            while True:
                found.append(self.socket.recv(1000))
        except BlockingIOError:
            return found

    def close(self):
        self.socket.close()


class FromIfacialmocap(GraphTest):
    ARGS = ("--graph", "default")

    def test_a_face_over_a_bad_network_becomes_a_smooth_avatar(self):
        for version in (1, 2):
            with self.subTest(version=version):
                stream = f"face-{version}"
                live = source(self.server, stream)
                pull = Collector(self.client.pull(stream)).wait_started()
                performer = Performer(live.ports["ifacialmocap_port"],
                                      lambda t: [face(talking(t), version)], seconds=4, loss=0.05,
                                      jitter_s=0.03)
                performer.join(20)
                pull.wait_for_more(15)
                self.assertEqual(live.stop(), 0, live.log_text()[-2000:])
                pull.call.cancel()
                self.assertEqual(live.count("refused"), 0)
                self.assertEqual(live.count("requests"), 1)
                joints, shapes = names(pull)
                frames = pull.data()
                turn, weight = largest_steps(frames)
                print(f"version {version}: {len(frames)} frames, largest step {turn:.1f} deg, "
                      f"{weight:.2f}; the sender was up to {1000 * performer.late_s:.0f} ms late")
                self.assertLess(turn, 40)
                self.assertLess(weight, 0.6 + performer.late_s / 0.12)
                for shape, most in (("jawOpen", 0.35), ("eyeBlinkLeft", 0.5)):
                    values = [f.skel_animation.blend_shape_weights[0].values[shapes.index(shape)]
                              for f in frames]
                    self.assertGreater(max(values), most, shape)
                head = [f.skel_animation.rotations[0].values[joints.index("skullbase")]
                        for f in frames]
                self.assertGreater(max(angle_deg(head[0], q) for q in head), 15)

    def test_a_phone_that_sees_no_face_leaves_an_idle_avatar(self):
        events = Events(self.client, "away")
        live = source(self.server, "away", "--gone-s", "1", "--hold-s", "0.3")
        pull = Collector(self.client.pull("away")).wait_started()
        seen = threading.Event()
        seen.set()
        performer = Performer(live.ports["ifacialmocap_port"],
                              lambda t: [face(talking(t), status=int(seen.is_set()))])
        events.wait_for("REQUEST_STARTED")
        seen.clear()
        events.wait_for("UNDERRUN")
        events.wait_for("REQUEST_ENDED")
        seen.set()
        events.wait_for("REQUEST_STARTED", count=2)
        performer.stop()
        self.assertEqual(live.stop(), 0)
        pull.call.cancel()
        events.stop()
        self.assertGreater(live.count("without_face"), 30)

    def test_the_phone_is_asked_until_it_sends_and_again_when_it_stops(self):
        phone = Phone()
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "clip.jsonl")
            live = Program("a2f_source", "--port", "0", "--phone", phone.address, "--out", out,
                           command="ifacialmocap")
            first, asker = phone.request()
            self.assertEqual(first, REQUEST + VERSION_2)
            self.assertEqual(asker, (LOOPBACK, live.ports["ifacialmocap_port"]))
            self.assertEqual(phone.request()[0], REQUEST)
            shown = {"JawOpen": 0.6, "MouthClose": 0.4, "EyeBlinkLeft": 0.25, "HeadYaw": 0.5}
            performer = Performer(asker[1], lambda t: [face(shown, version=2)], seconds=2.5)
            performer.join(20)
            # One may have been on its way as the first datagram was.
            self.assertLessEqual(len(phone.waiting_requests()), 1 + int(performer.late_s))
            self.assertIn(phone.request()[0], (REQUEST, REQUEST + VERSION_2))
            self.assertEqual(live.stop(), 0, live.log_text()[-2000:])
            skel, frames, last = read_clip(out)
        phone.close()
        self.assertIn("status", last)
        self.assertEqual([j.split("/")[-1] for j in skel["joints"]], ["skullbase"])
        self.assertEqual(len(skel["blendShapes"]), 52)
        weights = weights_of(frames[-1], skel["blendShapes"])
        self.assertAlmostEqual(weights["jawOpen"], 0.2, places=5)  # ACE's
        self.assertAlmostEqual(weights["mouthClose"], 0.4, places=5)
        self.assertAlmostEqual(weights["eyeBlinkLeft"], 0.25, places=5)
        q = frames[-1]["animationData"]["skelAnimation"]["rotations"][0]["values"][0]
        self.assertAlmostEqual(2 * math.atan2(q["j"], q["real"]), -0.5, places=4)

    def test_malformed_datagrams_and_other_senders_are_counted_and_explained_once(self):
        live = source(self.server, "bad")
        port = live.ports["ifacialmocap_port"]
        send(port, *[b"jawOpen-10|=head#0,400,0,0,0,0|"] * 50)
        self.assertTrue(until(lambda: "not understood" in live.log_text()))
        send(port, b"\x1b[31mfoo\n")
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        other.bind(("127.0.0.2", 0))
        other.sendto(face({"JawOpen": 0.5}), (LOOPBACK, port))
        other.close()
        self.assertTrue(until(lambda: "another sender" in live.log_text()))
        self.assertEqual(live.stop(), 0)
        self.assertEqual(live.count("datagrams"), 51)
        self.assertEqual(live.count("refused"), 51)
        self.assertEqual(live.count("other_senders"), 1)
        self.assertEqual(live.count("requests"), 0)
        log = live.log_text()
        self.assertEqual(log.count("not understood"), 1)
        self.assertIn("-360 to 360 degrees is valid", log)
        self.assertNotIn("\x1b", log)
        self.assertIn('sender="127.0.0.2" shown="127.0.0.1"', log)

    def test_a_capture_is_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            dump, out = os.path.join(folder, "take.jsonl"), os.path.join(folder, "clip.jsonl")
            live = source(self.server, "take", "--dump", dump)
            Performer(live.ports["ifacialmocap_port"],
                      lambda t: [face({"JawOpen": 0.5, "HeadPitch": 0.3})], seconds=1).join(10)
            self.assertEqual(live.stop(), 0)
            replay = Program("a2f_source", "--replay", dump, "--head", "1,-1,1", "--out", out,
                             command="ifacialmocap", says_ports=False)
            self.assertEqual(replay.process.wait(20), 0, replay.log_text())
            replay.stop()
            skel, frames, _ = read_clip(out)
        self.assertAlmostEqual(weights_of(frames[-1], skel["blendShapes"])["jawOpen"], 0.5, places=5)
        q = frames[-1]["animationData"]["skelAnimation"]["rotations"][0]["values"][0]
        self.assertAlmostEqual(2 * math.atan2(q["i"], q["real"]), -0.3, places=4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
