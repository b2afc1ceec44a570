"""Stops: in order and at once while clips are read, and after the requests if there is time."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import grpc

from posewire_test import BIN, Client, Collector, Server, clip, spoken, until


class StopTest(unittest.TestCase):
    def setUp(self):
        self.clips = tempfile.mkdtemp(prefix="posewire-stop-")

    def tearDown(self):
        shutil.rmtree(self.clips)

    def add_endless_clip(self):
        """A header and then empty messages, more than can be read in an hour; takes no space."""
        self.path = os.path.join(self.clips, "endless.animdata")
        with open(self.path + ".part", "wb") as f:
            f.write(b"\x02\x0a\x00")
            f.truncate(1 << 40)
        os.rename(self.path + ".part", self.path)

    def reads(self, process):
        folder = f"/proc/{process.pid}/fd"
        try:
            return any(os.readlink(os.path.join(folder, fd)) == self.path
                       for fd in os.listdir(folder))
        except OSError:
            return False

    def assert_stops(self, process, code=0):
        self.assertTrue(until(lambda: self.reads(process), 30))
        process.send_signal(signal.SIGTERM)
        # A forced end would be 1, after 9.5 s.
        self.assertEqual(process.wait(20), code)

    def test_while_it_starts(self):
        self.add_endless_clip()
        process = subprocess.Popen(
            [os.path.join(BIN, "anim_graph"), "--listen", "127.0.0.1:0", "--clips", self.clips],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.assert_stops(process)
            self.assertEqual(process.stdout.read(), b"")  # it was never ready
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_while_a_source_looks_for_where_it_begins(self):
        self.add_endless_clip()
        for begin in ("100", "00:01:40:00"):  # the second needs the rate of the whole clip
            process = subprocess.Popen(
                [os.path.join(BIN, "a2f_source"), "play", self.path, "--from", begin, "--out",
                 os.path.join(self.clips, "rest.jsonl")], stderr=subprocess.DEVNULL)
            try:
                self.assert_stops(process, 128 + signal.SIGTERM)
            finally:
                process.kill()
                process.wait()

    def test_while_a_tool_reads_a_clip(self):
        self.add_endless_clip()
        for command in (("info",), ("validate",), ("convert", "out.jsonl"),
                        ("recover", "out.animdata")):
            process = subprocess.Popen(
                [os.path.join(BIN, "animclip"), command[0], self.path, *command[1:]],
                cwd=self.clips, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self.assert_stops(process, -signal.SIGTERM)
            finally:
                process.kill()
                process.wait()

    def test_while_a_new_clip_is_read(self):
        server = Server("anim_graph", "--clips", self.clips)
        try:
            self.add_endless_clip()
            self.assert_stops(server.process)
            self.assertNotIn("took too long", server.log_text())
        finally:
            server.stop()


class DrainTest(unittest.TestCase):
    def server(self, *args):
        server = Server("anim_graph", "--graph", "passthrough", "--drain-timeout-s", "40", *args)
        self.addCleanup(server.kill)
        client = Client(server.address)
        self.addCleanup(client.close)
        return server, client

    def rejected(self, client):
        try:
            next(client.pull("other"))
        except grpc.RpcError as e:
            return e.code() == grpc.StatusCode.UNAVAILABLE

    def test_a_request_ends_before_its_server(self):
        server, client = self.server()
        pull, quiet = Collector(client.pull("s")), Collector(client.pull("quiet"))
        client.push(clip(client, "s", "r", 120))
        pull.wait_for_sound()
        quiet.wait_started()
        server.process.send_signal(signal.SIGTERM)
        quiet.join(20)
        self.assertEqual(quiet.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIsNone(pull.error)
        # The next one of a stream that still plays is taken, a new stream is not.
        client.push(clip(client, "s", "next", 30))
        self.assertTrue(until(lambda: self.rejected(client)))
        pull.join(20)
        self.assertEqual(pull.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIsNotNone(spoken(pull.audio(), 64000))
        self.assertEqual(sum("starts at" in status.message for status in pull.statuses()), 2)
        self.assertEqual(server.process.wait(10), 0)

    def test_a_second_signal_ends_it_at_once(self):
        server, client = self.server()
        pull = Collector(client.pull("s"))
        client.push(clip(client, "s", "r", 300))
        pull.wait_for_sound()
        server.process.send_signal(signal.SIGTERM)
        self.assertTrue(until(lambda: "draining" in server.log_text()))
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(10), 128 + signal.SIGTERM)
        self.assertLess(time.monotonic() - start, 2)


if __name__ == "__main__":
    unittest.main()
