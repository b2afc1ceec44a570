"""renderer_sink against a server that is not ours, and breaks the rules: nothing ends because of it."""

import os
import socket
import subprocess
import tempfile
import unittest
import urllib.request

import foreign_server
from foreign_server import records
from posewire_test import BIN, Client, Server, header, keys, until

STREAM = "foreign"
# Field 999, a varint: no message has it.
UNKNOWN = b"\xb8\x3e\x07"
GARBAGE = b"\x12\xff\xff no message"


class OddServers(foreign_server.ForeignServerTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def header(self, **options):
        return header(self.client, STREAM, "r", **options).SerializeToString()

    def frame(self, k, shift=0.0):
        """Frame k with a field that nobody knows in the key, the data and the message."""
        m = keys(self.client, k, k + 1)
        data = m.animation_data
        weights = data.skel_animation.blend_shape_weights[0]
        for part in (weights, data.skel_animation.rotations[0], data.audio):
            part.time_code = max(0.0, part.time_code + shift)
        weights.MergeFromString(UNKNOWN)
        data.MergeFromString(UNKNOWN)
        return m.SerializeToString() + UNKNOWN

    def faulty(self):
        nan, long, late = (keys(self.client, 7, 8) for _ in range(3))
        nan.animation_data.skel_animation.blend_shape_weights[0].values[0] = float("nan")
        long.animation_data.skel_animation.blend_shape_weights[0].values.append(1)
        late.animation_data.skel_animation.rotations[0].time_code = float("inf")
        return [nan.SerializeToString(), GARBAGE, long.SerializeToString(),
                late.SerializeToString()]

    def messy(self, frames=60, first=90):
        """Faulty messages before, between and behind good ones."""
        bad = self.faulty()
        sent = [bad[0], self.header(), bad[1]]
        for k in range(first, first + frames):
            sent += [self.frame(k), bad[k % 4]] if k % 20 == 0 else [self.frame(k)]
        return [*sent, bad[2]], 3 + sum(k % 20 == 0 for k in range(first, first + frames))

    def run_sink(self, command, server, *args):
        return subprocess.run(
            [os.path.join(BIN, "renderer_sink"), command, *args, "--from", server.address,
             "--stream-id", STREAM, "--until-end"], capture_output=True, text=True, timeout=60)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return records(f.read())

    def assertRecorded(self, got, sent, first):
        """All of it, in order, bit for bit; codes count from the first frame."""
        shift = -(first / 30)
        self.assertEqual(len(got), len(sent))
        seen = 0
        for came, went in zip(got, sent):
            if went == self.header():
                m = self.client.stream_message.FromString(came)
                self.assertAlmostEqual(
                    m.animation_data_stream_header.start_time_code_since_epoch, first / 30)
            elif went.endswith(UNKNOWN):
                seen += 1
                # The first code becomes 0, which may be written or not.
                if seen > 1:
                    self.assertEqual(came, self.frame(first + seen - 1, shift))
            else:
                self.assertEqual(came, went)

    def test_record_keeps_all_of_it(self):
        sent, bad = self.messy()
        done = self.run_sink("record", self.serve(sent), self.path("whole.animdata"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"faulty messages {bad}", done.stdout)
        self.assertIn("60 frames", done.stdout)
        self.assertEqual(done.stderr.count("a message breaks the rules; going on"), bad)
        self.assertIn("before the header", done.stderr)
        self.assertIn("no protobuf message", done.stderr)
        got = self.read("whole.animdata")
        # What came before the header waits for it.
        self.assertRecorded(got, [sent[1], sent[0], *sent[2:]], 90)

    def test_jsonl_leaves_out_what_json_cannot_hold(self):
        sent, _ = self.messy()
        done = self.run_sink("record", self.serve(sent), self.path("lines.jsonl"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("lines.jsonl")) as f:
            self.assertEqual(len(f.readlines()), len(sent) - sent.count(GARBAGE))

    def test_print_has_a_line_for_each(self):
        sent, bad = self.messy()
        done = self.run_sink("print", self.serve(sent))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), len(sent))
        self.assertEqual(sum(line.startswith("faulty message of ") for line in lines), bad)
        self.assertIn(f"faulty messages {bad}", done.stderr)

    def test_vmc_plays_the_rest(self):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(receiver.close)
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(0.2)
        sent, bad = self.messy()
        done = self.run_sink("vmc", self.serve(sent), "--send-hz", "240", "--to",
                             f"127.0.0.1:{receiver.getsockname()[1]}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"faulty messages {bad}", done.stdout)
        # A bundle that says who is there comes before the first pose.
        while b"/VMC/Ext/Bone/Pos" not in receiver.recv(65536):
            pass

    def test_view_goes_on_and_has_it_for_downloads(self):
        sent, bad = self.messy()
        server = self.serve(sent, hold=True)
        view = Server("renderer_sink", "view", "--from", server.address, "--stream-id", STREAM,
                      "--http", "127.0.0.1:0")
        self.addCleanup(view.stop)
        url = f"http://127.0.0.1:{view.http_port}/avatars/0/clip.animdata"
        got = []

        def all_is_there():
            try:
                with urllib.request.urlopen(url) as reply:
                    got[:] = records(reply.read())
            except urllib.error.HTTPError:
                pass
            return len(got) >= len(sent) - 1
        until(all_is_there)
        # What came before any header went with it.
        self.assertRecorded(got, sent[1:], 90)
        self.assertEqual(server.pulls, 1)

    def test_second_headers_go_on_by_epoch_and_code(self):
        def head(epoch):
            m = header(self.client, STREAM, "r")
            m.animation_data_stream_header.start_time_code_since_epoch = epoch
            return m.SerializeToString()
        sent = [head(1000), *map(self.frame, range(30)), head(1001), *map(self.frame, range(30))]
        done = self.run_sink("record", self.serve(sent), self.path("headers.animdata"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("60 frames, 2.00 s", done.stdout)
        self.assertIn("faulty messages 1", done.stdout)
        self.assertEqual(len(self.read("headers.animdata")), 61)
        subprocess.run([os.path.join(BIN, "animclip"), "validate", self.path("headers.animdata")],
                       check=True, stdout=subprocess.DEVNULL)

    def test_a_servers_limits_are_not_the_clients(self):
        joints = [f"joint{i}" for i in range(2000)]
        m = self.client.stream_message()
        rotations = m.animation_data.skel_animation.rotations.add(time_code=1)
        for _ in joints:
            rotations.values.add(real=1)
        sent = [self.header(joints=joints), m.SerializeToString()]
        done = self.run_sink("record", self.serve(sent), self.path("large.animdata"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 frames", done.stdout)
        self.assertNotIn("faulty", done.stdout)
        self.assertEqual(len(self.read("large.animdata")), 2)

    def test_a_standard_error_that_nobody_reads_holds_nothing_up(self):
        unread, full = os.pipe()
        self.addCleanup(os.close, unread)
        self.addCleanup(os.close, full)
        os.set_blocking(full, False)
        try:
            while os.write(full, bytes(4096)):
                pass
        except BlockingIOError:
            os.set_blocking(full, True)
        sent = [self.header(), *map(self.frame, range(30))]
        for command, *out in ("print",), ("record", "-"):
            done = subprocess.run(
                [os.path.join(BIN, "renderer_sink"), command, *out, "--from",
                 self.serve(sent).address, "--stream-id", STREAM, "--until-end"],
                stdout=subprocess.PIPE, stderr=full, timeout=60)
            self.assertGreater(len(done.stdout), 1000)

    def test_a_pull_that_brings_nothing_leaves_no_file(self):
        done = self.run_sink("record", self.serve([]), self.path("empty.animdata"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("wrote", done.stdout)
        self.assertFalse(os.path.exists(self.path("empty.animdata")))

    def test_what_is_pushed_is_recorded_bit_for_bit(self):
        take = self.path("pushed.animdata")
        sink = Server("renderer_sink", "record", take, "--from", "none", "--until-end")
        self.addCleanup(sink.stop)
        client = Client(sink.address)
        self.addCleanup(client.close)
        sent = [self.header() + UNKNOWN, *map(self.frame, range(30, 90))]
        self.assertEqual(client.push(sent).code, 0)
        self.assertEqual(sink.process.wait(10), 0, sink.log_text())
        got = self.read("pushed.animdata")
        self.assertTrue(got[0].endswith(UNKNOWN))
        for k in range(31, 90):
            self.assertEqual(got[k - 29], self.frame(k, -1.0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
