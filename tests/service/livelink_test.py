"""Live Link Face in and out with real processes; the other side is pylivelinkface, which is not
ours."""

import math
import os
import struct
import tempfile
import threading
import time
import unittest

from control_test import Events
from posewire_test import Collector, GraphTest, header, until
from vmc_test import (LOOPBACK, Marionette, Performer, Program, angle_deg, largest_steps, names,
                      read_clip, requests_ended, send)

# vmc_test knows where the packages of PyPI are.
try:
    from pylivelinkface.pylivelinkface import FaceBlendShape, PyLiveLinkFace
except ImportError as e:
    raise AssertionError("pylivelinkface is missing; ./test installs it") from e

PHONE = "01234567-89AB-CDEF-0123-456789ABCDEF"


def face(shapes, subject="iPhone"):
    """A datagram of pylivelinkface's. shapes: {"JawOpen": 0.5, "HeadYaw": 0.2}."""
    live = PyLiveLinkFace(subject)
    live.uuid = f"${PHONE}"  # it takes the length of the id for a $
    for name, value in shapes.items():
        live.set_blendshape(FaceBlendShape[name], value, True)
    return live.encode()


def time_at(datagram):
    """Where the frame time begins."""
    return 45 + struct.unpack_from("!i", datagram, 41)[0]


def timed(datagram, seconds):
    """With the time code of a phone: pylivelinkface's jump by a second."""
    at = time_at(datagram)
    frames = 60 * seconds
    code = struct.pack("!ifii", int(frames), frames - int(frames), 60, 1)
    return datagram[:at] + code + datagram[at + 16:]


def without_face(datagram):
    """As a phone sends it that sees no face."""
    return datagram[:time_at(datagram) + 16]


def talking(t):
    """Talks at 3 syllables a second, blinks, and turns the head from side to side."""
    jaw = 0.3 + 0.3 * math.sin(2 * math.pi * 1.5 * t)
    blink = max(0.0, 1 - abs(t % 1.5 - 0.75) / 0.12)
    return {"JawOpen": jaw, "MouthClose": 0.2 * jaw, "EyeBlinkLeft": blink, "EyeBlinkRight": blink,
            "MouthSmileLeft": 0.4, "MouthSmileRight": 0.4, "HeadYaw": 0.5 * math.sin(2 * t),
            "HeadPitch": 0.2 * math.sin(3 * t)}


def source(graph, stream, *args):
    return Program("a2f_source", "--port", "0", "--to", graph.address, "--stream-id", stream, *args,
                   command="livelink")


def weights_of(line, shapes):
    values = line["animationData"]["skelAnimation"]["blendShapeWeights"][0]["values"]
    return dict(zip(shapes, values))


class FromPhones(GraphTest):
    ARGS = ("--graph", "default")

    def test_a_face_over_a_bad_network_becomes_a_smooth_avatar(self):
        for clock in ("phone", "library"):
            with self.subTest(clock=clock):
                stream = f"face-{clock}"
                live = source(self.server, stream)
                pull = Collector(self.client.pull(stream)).wait_started()

                def datagrams(t):
                    datagram = face(talking(t))
                    return [timed(datagram, 43200 + t) if clock == "phone" else datagram]
                performer = Performer(live.ports["livelink_port"], datagrams, seconds=4, loss=0.05,
                                      jitter_s=0.03)
                performer.join(20)
                pull.wait_for_more(15)
                self.assertEqual(live.stop(), 0, live.log_text()[-2000:])
                pull.call.cancel()
                self.assertEqual(live.count("refused"), 0)
                self.assertEqual(live.count("requests"), 1)
                jumps = "frame times jump" in live.log_text()
                self.assertEqual(jumps, clock == "library")
                joints, shapes = names(pull)
                frames = pull.data()
                turn, weight = largest_steps(frames)
                print(f"{clock}: {len(frames)} frames, largest step {turn:.1f} deg, {weight:.2f}; "
                      f"the sender was up to {1000 * performer.late_s:.0f} ms late")
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

        def datagrams(t):
            datagram = timed(face(talking(t)), 43200 + t)
            return [datagram if seen.is_set() else without_face(datagram)]
        performer = Performer(live.ports["livelink_port"], datagrams)
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
        turn, weight = largest_steps(pull.data())
        print(f"no face: largest step {turn:.1f} deg, {weight:.2f}")
        self.assertLess(turn, 40)
        self.assertLess(weight, 0.6)

    def test_malformed_datagrams_are_counted_and_explained_once(self):
        live = source(self.server, "bad")
        port = live.ports["livelink_port"]
        send(port, *[face({"HeadYaw": 45.0})] * 51)
        send(port, face({}, "two"), face({}, "one"))
        self.assertTrue(until(lambda: "another subject" in live.log_text()))
        self.assertEqual(live.stop(), 0)
        self.assertEqual(live.count("datagrams"), 53)
        self.assertEqual(live.count("refused"), 51)
        self.assertEqual(live.count("other_subjects"), 1)
        log = live.log_text()
        self.assertEqual(log.count("not understood"), 1)
        self.assertIn("HeadYaw 45: -6.2832 to 6.2832 radians is valid", log)
        self.assertIn('subject="one" shown="two"', log)

    def test_a_capture_becomes_a_clip_with_aces_mouth_and_the_named_subject(self):
        with tempfile.TemporaryDirectory() as folder:
            dump, out = os.path.join(folder, "take.jsonl"), os.path.join(folder, "clip.jsonl")
            live = source(self.server, "take", "--dump", dump, "--subject", "Anna")
            shown = {"JawOpen": 0.6, "MouthClose": 0.4, "HeadYaw": 0.5}

            def both(t):
                return [timed(face(shown, "Anna"), t), timed(face({"TongueOut": 1.0}, "Bob"), t)]
            performer = Performer(live.ports["livelink_port"], both, seconds=1)
            performer.join(10)
            self.assertEqual(live.stop(), 0)
            self.assertGreater(live.count("datagrams"), 100)
            self.assertAlmostEqual(live.count("datagrams"), 2 * live.count("other_subjects"),
                                   delta=1)
            replay = Program("a2f_source", "--replay", dump, "--subject", "Anna", "--out", out,
                             command="livelink", says_ports=False)
            self.assertEqual(replay.process.wait(20), 0, replay.log_text())
            replay.stop()
            skel, frames, last = read_clip(out)
        self.assertIn("status", last)
        self.assertEqual([j.split("/")[-1] for j in skel["joints"]], ["skullbase"])
        weights = weights_of(frames[-1], skel["blendShapes"])
        self.assertAlmostEqual(weights["jawOpen"], 0.2, places=5)
        self.assertAlmostEqual(weights["mouthClose"], 0.4, places=5)
        self.assertEqual(weights["tongueOut"], 0)
        q = frames[-1]["animationData"]["skelAnimation"]["rotations"][0]["values"][0]
        self.assertAlmostEqual(2 * math.atan2(q["j"], q["real"]), -0.5, places=4)


class ToUnreal(GraphTest):
    ARGS = ("--graph", "passthrough")

    def push(self, stream, seconds, yaw_rad, weights):
        """A still face; the head is turned to its left."""
        first = header(self.client, stream, "r", rate=0, shapes=list(weights),
                       joints=["HumanoidRoot", "skullbase"])
        m = self.client.stream_message()
        skel = m.animation_data.skel_animation
        for k in range(int(30 * seconds)):
            keys = skel.rotations.add(time_code=k / 30)
            keys.values.add(real=1)
            keys.values.add(real=math.cos(yaw_rad / 2), j=math.sin(yaw_rad / 2))
            skel.blend_shape_weights.add(time_code=k / 30, values=weights.values())
        self.client.push([first, m])

    def sink(self, stream, *args):
        return Program("renderer_sink", "--from", self.server.address, "--stream-id", stream, *args,
                       command="livelink", says_ports=False)

    def decoded(self, unreal, wanted, seconds=10):
        """pylivelinkface's readings of what comes, until one is wanted."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _, datagram in unreal.receive(0.1):
                found, live = PyLiveLinkFace.decode(datagram)
                if found and wanted(live):
                    return live
        self.fail("the face that was pushed did not come")

    def test_pylivelinkface_reads_the_face_that_is_pushed(self):
        unreal = Marionette()
        sink = self.sink("out", "--to", unreal.address, "--subject", "Anna", "--send-hz", "30")
        pusher = threading.Thread(target=self.push, daemon=True, args=(
            "out", 4, 0.4, {"jawOpen": 0.1, "mouthClose": 0.4, "mouthSmileLeft": 0.25}))
        pusher.start()
        shape = lambda live, name: live.get_blendshape(FaceBlendShape[name])
        live = self.decoded(unreal, lambda live: shape(live, "MouthSmileLeft") > 0.249)
        self.assertEqual(live.name, "Anna")
        self.assertEqual(live.fps, 30)
        self.assertEqual(len(live.uuid), 37)  # with the $ that it takes the length for
        self.assertAlmostEqual(shape(live, "JawOpen"), 0.5, places=5)  # Apple's
        self.assertAlmostEqual(shape(live, "MouthClose"), 0.4, places=5)
        self.assertAlmostEqual(shape(live, "HeadYaw"), -0.4, places=4)
        # Within a day, and 30 frames a second.
        self.assertLess(live._frames, 86400 * 30)
        more = unreal.receive(1)
        self.assertGreater(len(more), 15)
        self.assertTrue(all(PyLiveLinkFace.decode(datagram)[0] for _, datagram in more))
        pusher.join(10)
        self.assertEqual(sink.stop(), 0, sink.log_text()[-2000:])
        last = unreal.receive(0.5)[-1][1]
        self.assertEqual(PyLiveLinkFace.decode(last)[0], False)
        self.assertGreater(sink.count("frames"), 15)
        unreal.close()

    def test_a_face_survives_the_way_out_and_back_in(self):
        want = {"jawOpen": 0.3, "mouthClose": 0.1, "browInnerUp": 0.75, "eyeLookUpLeft": 0.5}
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "back.jsonl")
            back = Program("a2f_source", "--port", "0", "--out", out, command="livelink")
            sink = self.sink("round", "--to", f"{LOOPBACK}:{back.ports['livelink_port']}")
            self.push("round", 1.5, 0.3, want)
            self.assertTrue(requests_ended(self.client, "round"))
            self.assertEqual(sink.stop(), 0, sink.log_text()[-2000:])
            self.assertEqual(back.stop(), 0, back.log_text()[-2000:])
            # If the avatar was at rest at first, the request that has a head is the second.
            clips = [os.path.join(folder, name) for name in os.listdir(folder)]
            skel, frames, last = read_clip(max(clips, key=len))
        self.assertIn("status", last)
        off, turn_off = 9.0, 9.0
        for line in frames:
            weights = weights_of(line, skel["blendShapes"])
            off = min(off, max(abs(weights[name] - value) for name, value in want.items()))
            q = line["animationData"]["skelAnimation"]["rotations"][0]["values"][0]
            turn_off = min(turn_off, abs(2 * math.atan2(q.get("j", 0), q["real"]) - 0.3))
        print(f"round trip off by {off:.1e}, the head by {turn_off:.1e} rad")
        self.assertLess(off, 1e-5)
        self.assertLess(turn_off, 1e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
