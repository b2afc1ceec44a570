"""Tables of shapes, BVH, WAV, captures of VMC, VRM animations and numpy's archives, written a
hundred other legal ways: each is the same clip, or is refused in one line that says what and where.
Python's csv module, numpy and python-osc, where they are installed, judge that they are legal."""

import base64
import csv
import glob
import importlib.util
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

import bvh_mutations
import capture_mutations
import npz_mutations
import table_mutations
import vrma_mutations
import wav_mutations
from field import Take
from mutation_checks import MutationTest, clip_of
from posewire_test import BIN, long_level

TOOLS = pathlib.Path(os.environ.get(
    "POSEWIRE_TOOLS_DIR", pathlib.Path(__file__).resolve().parents[2] / "build/tools")) / "venv"


def without_case(clip):
    """Names of shapes are compared without their case, as everywhere."""
    return [[(t, {name.lower(): value for name, value in values.items()}) for t, values in track]
            for track in clip]


class Tables(MutationTest):
    def clip(self, out):
        return without_case(clip_of(Take(out)))

    def test_tables_of_audio2face(self):
        original, files = self.mutated(table_mutations.A2F, table_mutations.audio2face_table(),
                                       table_mutations.written_table)

        def read(path):
            text = pathlib.Path(path).read_bytes().decode("utf-8-sig")
            rows = [row for row in csv.reader(io.StringIO(re.sub("\r\n?", "\n", text)))
                    if any(cell.strip() for cell in row)]
            names = [name.strip().lower() for name in rows[0]]
            return [{name: float(cell) for name, cell in zip(names, row)
                     if name == "timecode" or name.startswith("blendshapes.")} for row in rows[1:]]

        for how, path in files:
            self.assertEqual(read(path), read(original), f"{how}: the second reader")
        self.assert_all_the_same(files, original)

    def test_tables_of_live_link_face(self):
        original, files = self.mutated(table_mutations.LIVE_LINK, table_mutations.live_link_table(),
                                       table_mutations.written_table)
        self.assert_all_the_same(files, original)

    def test_other_separators_are_refused_with_their_line(self):
        rows = table_mutations.audio2face_table()["rows"]
        for separator, point in ((";", "."), (";", ","), ("\t", ".")):
            path = pathlib.Path(self.scratch("table.csv"))
            lines = [separator.join(cell.replace(".", point) if k else cell for cell in row)
                     for k, row in enumerate(rows)]
            path.write_text("\n".join(lines))
            done, _ = self.convert(str(path))
            self.assertEqual(1, done.returncode)
            self.assertRegex(done.stderr, "^[^\n]*line 1: [^\n]*\n$")


def with_one_sign(clip):
    """A quaternion and its negative are the same turn."""
    def one(q):
        return tuple(-v + 0.0 for v in q) if max(q, key=abs) < 0 else q
    turns, *others = clip
    return [(t, {joint: one(q) for joint, q in values.items()}) for t, values in turns], *others


class Captures(MutationTest):
    def clip(self, out):
        return with_one_sign(clip_of(Take(out)))

    def convert(self, path):
        out = path + ".out.jsonl"
        done = subprocess.run([os.path.join(BIN, "a2f_source"), "vmc", "--replay", path, "--rate",
                               "burst", "--out", out], capture_output=True, text=True, timeout=60,
                              env={k: v for k, v in os.environ.items() if "POSEWIRE" not in k})
        return done, out

    def remarks(self, done):
        return "".join(line for line in done.stderr.splitlines(True)
                       if not re.match(r"\S+ info ", line))

    def test_captures_of_vmc(self):
        original, files = self.mutated(capture_mutations.VMC, capture_mutations.capture(),
                                       capture_mutations.written_capture)
        self.assert_all_the_same(files, original)

    def test_bundles_divided_over_datagrams_move_the_same(self):
        """But for when each bone is taken to have been sent."""
        original, files = self.mutated(
            [capture_mutations.datagrams_divided], capture_mutations.capture(),
            capture_mutations.written_capture)
        good = self.clip(self.convert(original)[1])
        for how, path in files[:5]:
            done, out = self.convert(path)
            self.assertEqual((0, ""), (done.returncode, self.remarks(done)), how)
            for ours, theirs in zip(self.clip(out), good):
                self.assertEqual(len(theirs), len(ours))
                for (time, values), (good_time, good_values) in zip(ours, theirs):
                    self.assertEqual(good_time, time)
                    self.assertEqual(good_values.keys(), values.keys())
                    for name, value in values.items():
                        pairs = zip(*(v if isinstance(v, tuple) else (v,)
                                      for v in (value, good_values[name])))
                        self.assertLess(max(abs(a - b) for a, b in pairs), 0.01, f"{how}: {name}")

    @long_level
    def test_python_osc_reads_the_same_of_captures(self):
        """python-osc is the judge of what is legal, and of what it means; it knows no symbols."""
        sys.path += glob.glob(str(TOOLS / "lib/python3*/site-packages"))
        if not importlib.util.find_spec("pythonosc"):
            self.skipTest("python-osc is not installed")
        from pythonosc.osc_bundle import OscBundle
        from pythonosc.osc_message import OscMessage

        def flat(packet):
            if isinstance(packet, OscMessage):
                return [packet]
            return [m for p in packet for m in flat(p)]

        def read(path):
            frames = {}
            for line in pathlib.Path(path).read_text().splitlines():
                datagram = json.loads(line)
                values = {}
                for message in flat(OscBundle(base64.b64decode(datagram["buffer"]))):
                    if message.address.endswith("Blend/Val"):
                        values[message.params[0].lower()] = message.params[1]
                    elif message.address.endswith("Bone/Pos"):
                        turn = [float(v) for v in message.params[4:8]]
                        by = math.copysign(math.hypot(*turn), turn[3])
                        values[message.params[0]] = [*map(float, message.params[1:4]),
                                                     *(round(v / by, 6) + 0.0 for v in turn)]
                frames[datagram["time"]] = values
            return [frames[time] for time in sorted(frames)]

        functions = [f for f in capture_mutations.VMC if f not in (
            capture_mutations.texts_as_symbols, capture_mutations.lines_otherwise,
            capture_mutations.members_more)]
        original, files = self.mutated(functions, capture_mutations.capture(),
                                       capture_mutations.written_capture)
        for how, path in files:
            self.assertEqual(read(path), read(original), how)


class Takes(MutationTest):
    def test_bvh(self):
        original, files = self.mutated(bvh_mutations.BVH, bvh_mutations.bvh_take(),
                                       bvh_mutations.written_bvh)
        self.assert_all_the_same(files, original)


class Voices(MutationTest):
    """A WAV as the voice of a table with the same name."""

    def convert(self, path):
        table = path.replace(".wav", ".csv")
        pathlib.Path(table).write_text("timeCode,blendShapes.JawOpen\n0,0\n1,1\n")
        return super().convert(table)

    def clip(self, out):
        return [b"".join(base64.b64decode(audio["audioBuffer"]) for audio in Take(out).audio)]

    def test_wav(self):
        original, files = self.mutated(wav_mutations.WAV, wav_mutations.wav_voice(),
                                       wav_mutations.written_wav)
        self.assert_all_the_same(files, original)


class VrmAnimations(MutationTest):
    def test_vrm_animations(self):
        original, files = self.mutated(vrma_mutations.VRMA, vrma_mutations.vrma(),
                                       vrma_mutations.vrma_written)
        done, out = self.convert(original)
        self.assertEqual(0, done.returncode, done.stderr)
        take = Take(out)
        self.assertIn("Sparkle", take.shapes)
        self.assertGreater(max(take.degrees("leftUpperArm", k) for k in range(3)), 5)
        self.assert_all_the_same(files, original)


class Archives(MutationTest):
    REFUSED = {
        "bytes_the_other_way": r"array (poses|trans): its numbers are >f4; must be little-endian",
        "halves": r"array (poses|trans): its numbers are <f2; must be little-endian"}

    def test_archives_of_numpy(self):
        original, files = self.mutated(npz_mutations.NPZ, npz_mutations.amass(),
                                       npz_mutations.written_npz)
        if importlib.util.find_spec("numpy"):
            self.assert_numpy_reads_the_same(files, original)
        self.assert_all_the_same(files, original, self.REFUSED)

    def assert_numpy_reads_the_same(self, files, original):
        import numpy

        def read(path):
            with numpy.load(path) as archive:
                rate = next(archive[n] for n in ("mocap_framerate", "mocap_frame_rate", "fps")
                            if n in archive)
                return (archive["poses"].astype("f8").ravel().tolist(), archive["trans"].tolist(),
                        float(rate.ravel()[0]))
        for how, path in files:
            self.assertEqual(read(path), read(original), f"{how}: numpy")

    def test_bodies_with_and_without_hands_move_the_same(self):
        clips = []
        for joints in (22, 24, 52):
            path = pathlib.Path(self.scratch(f"{joints}.npz"))
            path.write_bytes(npz_mutations.written_npz(npz_mutations.amass(joints), _Never())[1])
            done, out = self.convert(str(path))
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            clips.append(Take(out))
        body = clips[0].joints
        self.assertEqual(22, len(body))

        def of_body(take, keys):
            return [(key.get("timeCode", 0), [key["values"][take.joints.index(j)] for j in body])
                    for key in keys]

        for take in clips[1:]:
            self.assertEqual(of_body(clips[0], clips[0].rotations), of_body(take, take.rotations))
            self.assertEqual(of_body(clips[0], clips[0].translations),
                             of_body(take, take.translations))


class _Never:
    @staticmethod
    def random():
        return 1


if __name__ == "__main__":
    unittest.main()
