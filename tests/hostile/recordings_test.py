"""Recordings of streams that no server of ours would send: nothing is lost, and nothing grows without
bounds."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import wave

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))

import foreign_server  # noqa: E402
from foreign_server import records  # noqa: E402
from posewire_test import BIN, header, keys  # noqa: E402

STREAM = "foreign"
GARBAGE = b"\x12\xff\xff no message"
ENDINGS = ("animdata", "jsonl", "bvh", "csv", "usda", "glb", "gltf", "x3d", "x3dv")


class Together:
    """Messages that begin when so many pulls are there."""

    def __init__(self, pulls, messages):
        self.barrier = threading.Barrier(pulls)
        self.messages = messages

    def __iter__(self):
        self.barrier.wait(60)
        return iter(self.messages)


class Recordings(foreign_server.ForeignServerTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def header(self):
        return header(self.client, STREAM, "r").SerializeToString()

    def frame(self, number, shift=0.0):
        m = keys(self.client, number, number + 1)
        data = m.animation_data
        for part in (data.skel_animation.blend_shape_weights[0], data.skel_animation.rotations[0],
                     data.audio):
            part.time_code += shift
        return m.SerializeToString()

    def frames(self, first, last, shift=0.0):
        return [self.frame(k, shift) for k in range(first, last)]

    def record(self, messages, names, *flags):
        """Records it into each of these files at once; what each said."""
        address = self.serve(Together(len(names), messages)).address
        sinks = [subprocess.Popen(
            [os.path.join(BIN, "renderer_sink"), "record", self.path(name), "--from", address,
             "--stream-id", STREAM, "--until-end", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for name in names]
        try:
            done = [sink.communicate(timeout=60) for sink in sinks]
        finally:
            for sink in sinks:
                if sink.poll() is None:
                    sink.kill()
                    sink.communicate()
        for name, sink, (_, err) in zip(names, sinks, done):
            self.assertEqual(sink.returncode, 0, f"{name}: {err[-2000:]}")
        return done

    def read(self, name):
        """The good data of a clip, as protobuf's JSON."""
        if name.endswith(".animdata"):
            with open(self.path(name), "rb") as f:
                out = []
                for record in records(f.read()):
                    try:
                        out.append(self.client.stream_message.FromString(record).animation_data)
                    except Exception:  # noqa: BLE001, as protobuf's faults have no name of their own
                        pass
            return [{"skelAnimation": {
                "blendShapeWeights": [{"timeCode": key.time_code, "values": list(key.values)}
                                      for key in data.skel_animation.blend_shape_weights],
                "rotations": [{"timeCode": key.time_code}
                              for key in data.skel_animation.rotations
                              if len(key.values) == 2]}} for data in out]
        lines = subprocess.run([os.path.join(BIN, "animclip"), "convert", self.path(name), "-"],
                               capture_output=True, text=True, check=True, timeout=60).stdout
        return [message["animationData"] for message in map(json.loads, lines.splitlines())
                if "animationData" in message]

    def codes(self, name):
        """Of the weights; in BVH of the turns."""
        track = "rotations" if name.endswith(".bvh") else "blendShapeWeights"
        return [key.get("timeCode", 0) for data in self.read(name)
                for key in data.get("skelAnimation", {}).get(track, [])
                if track == "rotations" or len(key["values"]) == 2]

    def samples(self, name):
        with wave.open(self.path(name)) as f:
            return f.getnframes()

    def assert_steady(self, name, frames, missing=()):
        """So many frames at 30 a second from 0 on, but for the missing ones."""
        codes = self.codes(name)
        # Between its frames BVH has what lies between.
        want = [k / 30 for k in range(frames) if k not in missing or name.endswith(".bvh")]
        self.assertEqual(len(codes), len(want), name)
        for code, wanted in zip(codes, want):
            self.assertAlmostEqual(code, wanted, 4, name)

    def odd(self, what, missing=()):
        names = [f"take.{ending}" for ending in ENDINGS]
        names = [f"{ending}/{name}" for ending, name in zip(ENDINGS, names)]
        for ending in ENDINGS:
            os.mkdir(self.path(ending))
        self.record([self.header(), *what], names)
        for name in names:
            self.assert_steady(name, 60, missing)
            wav = name.rpartition(".")[0] + ".wav"
            self.assertAlmostEqual(self.samples(wav), 32000, delta=1)

    def test_case_59_a_jump_in_each_format(self):
        self.odd(self.frames(0, 30) + self.frames(30, 60, 400))

    def test_case_59_a_second_header_in_each_format(self):
        self.odd(self.frames(0, 30) + [self.header()] + self.frames(30, 60))

    def test_case_59_a_message_of_the_wrong_length_in_each_format(self):
        wrong = keys(self.client, 30, 31)
        wrong.animation_data.skel_animation.rotations[0].values.add(real=1)
        wrong.animation_data.skel_animation.blend_shape_weights[0].values.append(1)
        self.odd(self.frames(0, 30) + [wrong.SerializeToString()] + self.frames(31, 60), (30,))

    def test_case_59_what_is_no_message_in_each_format(self):
        self.odd(self.frames(0, 30) + [GARBAGE] + self.frames(30, 60))

    def test_case_60_a_code_far_ahead_makes_no_file_of_terabytes(self):
        names = ["take.animdata", "stage.usda"]
        for jump in 2e5, 1e8, 1e9, 9e9:
            with self.subTest(jump=jump):
                said = self.record([self.header(), *self.frames(0, 30), *self.frames(30, 60, jump)],
                                   names, "--overwrite")
                for name, (out, err) in zip(names, said):
                    self.assertIn(f", jumps 1 ({jump:.2f} s left out)", out)
                    self.assertEqual(err.count("the time codes jump"), 1, err)
                    wav = self.path(name.partition(".")[0] + ".wav")
                    self.assertEqual(os.path.getsize(wav), 44 + 64000)
                # Codes of 1e10 s have steps of 2 microseconds.
                codes = self.codes("take.animdata")
                self.assertEqual(len(codes), 60)
                for k, code in enumerate(codes):
                    self.assertAlmostEqual(code, k / 30, 4)
                subprocess.run([os.path.join(BIN, "animclip"), "validate",
                                self.path("take.animdata")], check=True, capture_output=True)

    def test_case_60_one_wrong_code_and_a_server_that_jumps_with_each_message(self):
        wrong = [*self.frames(0, 30), self.frame(30, 1e9), *self.frames(31, 60)]
        wild = [self.frame(k, (k % 3) * 1e9) for k in range(60)]
        for name, messages in ("wrong.animdata", wrong), ("wild.animdata", wild):
            (_, err), = self.record([self.header(), *messages], [name])
            self.assertEqual(err.count("the time codes jump"), 1, err)
            self.assert_steady(name, 60)
            self.assertAlmostEqual(self.samples(name.replace("animdata", "wav")), 32000, delta=60)

    def test_case_64_recordings_of_one_name_that_begin_together(self):
        endings = [ending for ending in ENDINGS if ending not in ("gltf", "x3dv")]
        self.record([self.header(), *self.frames(0, 60)], [f"take.{e}" for e in endings])
        files = sorted(os.listdir(self.folder.name))
        self.assertEqual(len(files), 2 * len(endings), files)
        stems = {name.partition(".")[0] for name in files}
        self.assertEqual(stems, {"take"} | {f"take-{n}" for n in range(2, len(endings) + 1)})
        for name in files:
            if name.endswith(".wav"):
                self.assertEqual(self.samples(name), 32000)
            else:
                self.assert_steady(name, 60)

    def test_case_66_a_recording_that_is_written_at_its_end_has_a_budget(self):
        shapes = [f"shape{i}" for i in range(500)]
        head = header(self.client, STREAM, "r", rate=0, shapes=shapes, joints=[])
        messages = [head.SerializeToString()]
        for k in range(1200):
            m = self.client.stream_message()
            weights = m.animation_data.skel_animation.blend_shape_weights.add(time_code=k / 30)
            weights.values.extend([k / 1200] * len(shapes))
            messages.append(m.SerializeToString())
        (out, err), = self.record(messages, ["take.csv"], "--take-mib", "1")
        self.assertEqual(err.count("going on in another take"), 2, err)
        names = ["take.csv", "take-2.csv", "take-3.csv"]
        self.assertEqual(out.splitlines()[:3], [f"wrote {self.path(name)}" for name in names])
        self.assertEqual(sorted(os.listdir(self.folder.name)), sorted(names))
        values = []
        for name in names:
            for data in self.read(name):
                values += [key["values"][0] if "values" in key else 0
                           for key in data["skelAnimation"]["blendShapeWeights"]]
        self.assertEqual([round(1200 * value, 3) for value in values], list(range(1200)))

    def test_case_71_a_recording_without_a_good_header_has_failed(self):
        for messages, code in ([GARBAGE], 1), ([], 0):
            done = subprocess.run(
                [os.path.join(BIN, "renderer_sink"), "record", self.path("take.bvh"), "--from",
                 self.serve(messages).address, "--stream-id", STREAM, "--until-end"],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
