"""renderer_sink record: takes that stay, and takes of requests alone."""

import json
import os
import subprocess
import tempfile
import threading
import unittest
import wave

from posewire_test import BIN, GraphTest, Server, clip, sample, until

# Most difference of a number. A fingertip's angle is the largest: 0.2 mm over 5 cm, half of it in a
# quaternion.
TOLERANCES = {"blendShapeWeights": 1.1e-3, "translations": 2.1e-4, "scales": 2.1e-4,
              "rotations": 2.1e-3}
NUMBERS = "real", "i", "j", "k", "x", "y", "z"
SINK = os.path.join(BIN, "renderer_sink")


def voice(path):
    with wave.open(path) as f:
        return f.readframes(f.getnframes())


def pushed(frames):
    """The voice of so many frames of `clip`."""
    return b"".join(sample(n).to_bytes(2, "little", signed=True)
                    for n in range(frames * 16000 // 30))


class RecordTest(GraphTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.take = self.path("take.animdata")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def sink(self, stream, *flags):
        sink = Server("renderer_sink", "record", self.take, "--from", self.server.address,
                      "--stream-id", stream, *flags)
        self.addCleanup(sink.stop)
        return sink

    def push(self, stream, request, frames):
        self.client.push(clip(self.client, stream, request, frames))

    def avatar(self, stream):
        streams = self.client.control("ListStreams").streams
        return next((s.avatars[0] for s in streams if s.stream_id == stream and s.avatars), None)

    def wait_for(self, condition):
        self.assertTrue(until(condition))

    def wait_for_tick(self, stream, tick):
        self.wait_for(lambda: (a := self.avatar(stream)) is not None and a.pulls and a.tick >= tick)

    def record(self, *flags):
        done = subprocess.run([SINK, "record", self.take, "--from", self.server.address,
                               "--stream-id", "again", "--duration", "0.2", *flags],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_second_recording_leaves_the_first_one(self):
        self.record()
        with open(self.take, "rb") as f:
            first = f.read()
        done = self.record()
        self.assertIn("take-2.animdata", done.stdout)
        self.assertIn("the next free number", done.stderr)
        self.assertEqual(self.files(),
                         ["take-2.animdata", "take-2.wav", "take.animdata", "take.wav"])
        with open(self.take, "rb") as f:
            self.assertEqual(f.read(), first)
        self.record("--overwrite")
        with open(self.take, "rb") as f:
            self.assertNotEqual(f.read(), first)
        self.assertEqual(len(self.files()), 4)

    def test_a_sparse_pull_shows_the_same_poses(self):
        def sink(name, *flags):
            server = Server("renderer_sink", "record", self.path(name), "--from",
                            self.server.address, "--stream-id", "both", *flags)
            self.addCleanup(server.stop)
            return server

        names = "all.jsonl", "sparse.jsonl", "quantised.jsonl"
        sinks = [sink(name, "--sparse", how)
                 for name, how in zip(names, ("off", "on", "quantised"))]
        self.wait_for(lambda: (a := self.avatar("both")) is not None and a.pulls == 3)
        self.push("both", "r", 30)
        self.wait_for_tick("both", self.avatar("both").tick + 60)
        for each in sinks:
            self.assertEqual(each.stop(), 0)
        dense, *others = (self.poses(name) for name in names)
        for sparse in others:
            common = sorted(dense.keys() & sparse.keys())
            self.assertGreater(len(common), 60)
            for time_code in common:
                self.assertEqual(dense[time_code].keys(), sparse[time_code].keys())
                for track, values in dense[time_code].items():
                    for a, b in zip(values, sparse[time_code][track], strict=True):
                        self.assertAlmostEqual(a, b, delta=TOLERANCES[track])

    def poses(self, name):
        """The values of each track, by time in ms."""
        poses = {}
        with open(self.path(name)) as f:
            header, *messages = (json.loads(line) for line in f)
        epoch = header["animationDataStreamHeader"]["startTimeCodeSinceEpoch"]
        for message in messages:
            skeleton = message.get("animationData", {}).get("skelAnimation", {})
            for track, (key,) in skeleton.items():
                values = [number for value in key["values"] for number in
                          ([value.get(n, 0) for n in NUMBERS] if isinstance(value, dict)
                           else [value])]
                time_ms = round(1000 * (epoch + key.get("timeCode", 0)))
                poses.setdefault(time_ms, {})[track] = values
        return poses

    def test_a_face_can_be_written_in_another_shape_set(self):
        self.take = self.path("take.jsonl")
        self.record("--shapes", "oculus")
        with open(self.take) as f:
            messages = [json.loads(line) for line in f]
        names = messages[0]["animationDataStreamHeader"]["skelAnimationHeader"]["blendShapes"]
        self.assertEqual(len(names), 15)
        self.assertIn("viseme_PP", names)
        keys = [keys for m in messages for keys in
                m.get("animationData", {}).get("skelAnimation", {}).get("blendShapeWeights", [])]
        self.assertTrue(keys)
        self.assertEqual({len(k["values"]) for k in keys}, {15})

    def test_each_request_becomes_a_take_and_idling_none(self):
        sink = self.sink("quiet", "--requests-only")
        self.wait_for_tick("quiet", 30)
        self.assertEqual(self.files(), [])
        for number, name in (1, "take"), (2, "take-2"):
            self.push("quiet", f"r{number}", 30)
            for extension in "animdata", "wav":
                self.assertEqual(sink.process.stdout.readline(),
                                 f"wrote {self.path(name)}.{extension}\n")
            recorded = voice(self.path(name + ".wav"))
            self.assertTrue(recorded.startswith(pushed(30)), "the take begins with the voice")
            self.assertLess(len(recorded) / 32000, 1 + 3, "and ends soon after it")
            tick = self.avatar("quiet").tick
            self.wait_for_tick("quiet", tick + 20)
        self.assertEqual(sink.stop(), 0)
        self.assertEqual(self.files(),
                         ["take-2.animdata", "take-2.wav", "take.animdata", "take.wav"])

    def test_a_sink_that_was_killed_goes_on_in_the_next_take(self):
        sink = self.sink("killed", "--requests-only")
        self.wait_for_tick("killed", 1)
        # It lasts as long as it is played: 4 s.
        push = threading.Thread(target=self.push, args=("killed", "r", 120))
        push.start()
        self.wait_for(lambda: os.path.exists(self.take) and os.path.getsize(self.take) > 20000)
        sink.process.kill()
        sink.process.wait()
        with open(self.take, "rb") as f:
            first = f.read()
        sink = self.sink("killed", "--requests-only")
        self.assertEqual(sink.process.stdout.readline(), f"wrote {self.path('take-2.animdata')}\n")
        push.join()
        with open(self.take, "rb") as f:
            self.assertEqual(f.read(), first)
        rest = voice(self.path("take-2.wav")).rstrip(b"\0")
        self.assertGreater(len(rest), 16000)
        self.assertTrue(pushed(120).endswith(rest), "the rest of the voice, bit by bit")
        self.assertEqual(sink.stop(), 0)

    def test_what_cannot_be_is_said_at_once(self):
        for words, said in (
                (["-", "--requests-only"], "cannot be -"),
                (["/nowhere/take.animdata", "--requests-only"], "/nowhere")):
            done = subprocess.run([SINK, "record", *words, "--stream-id", "s"],
                                  capture_output=True, text=True, timeout=30)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
