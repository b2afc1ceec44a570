"""The clips of data/clips: grpcurl pushes each through anim_graph, and pulls what must come out."""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, PULL, PUSH, Client, Server, tool, until

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import make_clips  # noqa: E402

TOLERANCE = 1e-5


def animclip(*args):
    done = subprocess.run([os.path.join(BIN, "animclip"), *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def streams(server):
    """Those that a pull or a push has made."""
    client = Client(server.address)
    try:
        return [s.stream_id for s in client.control("ListStreams").streams]
    finally:
        client.close()


def part(messages, name):
    return [m[name] for m in messages if name in m]


def voice(messages):
    """The samples, without the silence behind them."""
    buffers = [d.get("audio", {}).get("audioBuffer", "") for d in part(messages, "animationData")]
    return b"".join(map(base64.b64decode, buffers)).rstrip(b"\0")


def frames(messages):
    """By their number: what moves, without voice and metadata."""
    found = {}
    for data in part(messages, "animationData"):
        key = next(iter(data["skelAnimation"].values()))[0]
        found[round(key["timeCode"] * make_clips.FPS)] = {
            name: data[name] for name in ("skelAnimation", "camera") if name in data}
    return found


class Clips(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_they_are_small_and_valid_and_end_with_a_status(self):
        names = {path.name for path in make_clips.CLIPS.glob("*.jsonl")}
        self.assertEqual(names, {name + end for name in make_clips.SERVERS
                                 for end in (".jsonl", ".pull.jsonl")})
        for name in sorted(names):
            path = make_clips.CLIPS / name
            told = animclip("validate", path, *([] if ".pull." in name else ["--push"]))
            self.assertRegex(told, r"valid, \d+ messages\n$", name)
            self.assertLess(path.stat().st_size, 300 << 10, name)

    def test_they_hold_what_they_are_for(self):
        clips = {name: make_clips.read(make_clips.CLIPS / f"{name}.jsonl")
                 for name in make_clips.SERVERS}
        self.assertGreater(len(voice(clips["speech"])), 16000)
        names = make_clips.header_of(clips["gesture"])["skelAnimationHeader"]
        self.assertIn("r_shoulder", names["joints"])
        data = part(clips["camera_emotion"], "animationData")
        self.assertEqual(len(part(data, "camera")[0]), 4)
        self.assertEqual(len(part(data, "metadata")), 4)
        ace = make_clips.header_of(clips["ace"])["skelAnimationHeader"]["blendShapes"]
        with open(ROOT / "data/rigs/arkit52.shapes") as file:
            arkit = re.findall(r"^shape (\w)(\w+)", file.read(), re.M)
        self.assertEqual(ace, [first.upper() + rest for first, rest in arkit])

    def push_and_pull(self, name):
        """What the push is answered, and what a pull of its request gets."""
        clip = make_clips.CLIPS / f"{name}.jsonl"
        ids = make_clips.header_of(make_clips.read(clip))["animationIds"]
        pulled, plain = (os.path.join(self.folder, n) for n in ("pulled.jsonl", "plain.jsonl"))
        server = Server("anim_graph", *make_clips.SERVERS[name])
        try:
            with open(pulled, "w") as out, open(clip) as lines:
                pull = subprocess.Popen(
                    [tool("grpcurl"), "-plaintext", "-max-time", "40", "-d",
                     json.dumps({"stream_id": ids["streamId"], "request_id": ids["requestId"]}),
                     server.address, PULL.strip("/")],
                    stdout=out, stderr=subprocess.PIPE, text=True)
                self.assertTrue(until(lambda: ids["streamId"] in streams(server)),
                                "the pull does not arrive")
                push = subprocess.run(
                    [tool("grpcurl"), "-plaintext", "-d", "@", server.address, PUSH.strip("/")],
                    stdin=lines, capture_output=True, text=True, timeout=40)
                self.assertEqual(push.returncode, 0, push.stderr)
                _, fault = pull.communicate(timeout=60)
                self.assertEqual(pull.returncode, 0, fault)
        finally:
            self.assertEqual(server.stop(), 0, server.log_text()[-2000:])
        animclip("convert", pulled, plain)
        return json.loads(push.stdout), make_clips.read(plain)

    def assert_close(self, want, got, where):
        """Equal but for numbers, which are within the tolerance."""
        if isinstance(want, dict):
            # JSON leaves out what is 0.
            for key in want.keys() | got.keys():
                self.assert_close(want.get(key, 0), got.get(key, 0), f"{where}.{key}")
        elif isinstance(want, list):
            self.assertEqual(len(want), len(got), where)
            for i, (a, b) in enumerate(zip(want, got)):
                self.assert_close(a, b, f"{where}[{i}]")
        elif isinstance(want, (int, float)):
            self.assertAlmostEqual(want, got, delta=TOLERANCE, msg=where)
        else:
            self.assertEqual(want, got, where)

    def test_what_comes_out_is_what_must(self):
        for name in make_clips.SERVERS:
            with self.subTest(name):
                clip = make_clips.read(make_clips.CLIPS / f"{name}.jsonl")
                want = make_clips.read(make_clips.CLIPS / f"{name}.pull.jsonl")
                answer, pulled = self.push_and_pull(name)
                sent = len(part(clip, "animationData"))
                self.assertEqual(answer, {"message": f"{sent} messages accepted"})
                got = make_clips.essence(clip, pulled)
                self.assertEqual(got[0], want[0])
                self.assertEqual(part(got, "status"), part(want, "status"))
                if "audioHeader" in make_clips.header_of(clip):
                    self.assertEqual(voice(pulled), voice(want))
                self.assert_close(part(part(want, "animationData"), "metadata"),
                                  part(part(pulled, "animationData"), "metadata"), "metadata")
                want, got = frames(want), frames(got)
                # On a busy machine a tick may be missed.
                self.assertLessEqual(len(want.keys() - got.keys()), len(want) // 10)
                self.assertLessEqual(got.keys(), want.keys())
                for k, frame in got.items():
                    self.assert_close(want[k], frame, f"frame {k}")


class LastStatus(unittest.TestCase):
    """What a2f_source writes into a file is what it sends."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, *args, stdin=None):
        """The exit code, and what was written: "header", "data" or the status's words."""
        out = self.folder / "out.jsonl"
        code = subprocess.run([os.path.join(BIN, "a2f_source"), *args, "--out", out],
                              stdin=stdin, capture_output=True).returncode
        kinds = []
        for message in make_clips.read(out):
            status = message.get("status")
            kinds.append(next(iter(message)) if status is None else
                         f'{status.get("code", "SUCCESS")} {status.get("message", "")}'.strip())
        return code, kinds

    def test_a_sentence_ends_with_success(self):
        code, kinds = self.write("say", "Yes.")
        self.assertEqual(code, 0)
        self.assertEqual(kinds[-2:], ["animationData", "SUCCESS the source has sent all"])

    def test_a_clip_keeps_its_own_and_gets_no_second_one(self):
        clip = make_clips.read(make_clips.CLIPS / "camera_emotion.jsonl")
        clip.insert(3, {"status": {"code": "WARNING", "message": "dark"}})
        clip[-1] = {"status": {"message": "that was it"}}
        path = self.folder / "clip.jsonl"
        make_clips.write(path, clip)
        code, kinds = self.write("play", path)
        self.assertEqual(code, 0)
        self.assertEqual(len(kinds), len(clip))
        self.assertEqual([kinds[3], kinds[-1]], ["WARNING dark", "SUCCESS that was it"])
        make_clips.write(path, clip[:-1])
        self.assertEqual(self.write("play", path)[1][-1], "SUCCESS the source has sent all")

    def test_a_clip_that_is_torn_is_refused_and_a_pipe_ends_with_an_error(self):
        path = self.folder / "torn.jsonl"
        whole = (make_clips.CLIPS / "camera_emotion.jsonl").read_text()
        path.write_text(whole[:len(whole) // 2])
        out = self.folder / "refused.jsonl"
        refused = subprocess.run([f"{BIN}/a2f_source", "play", path, "--out", out],
                                 capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("ends within the object", refused.stderr)
        self.assertFalse(out.exists())
        with open(path) as torn:
            code, kinds = self.write("play", "-", stdin=torn)
        self.assertEqual(code, 1)
        self.assertRegex(kinds[-1], "^ERROR the source failed: .*ends within the object")


if __name__ == "__main__":
    unittest.main()
