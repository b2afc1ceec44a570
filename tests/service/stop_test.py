"""A stop while clips are read: in order, and at once."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from posewire_test import BIN, Server, until


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


if __name__ == "__main__":
    unittest.main()
