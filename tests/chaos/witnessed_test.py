"""A mute Redis, a full disk, no descriptors: a witness next to each is on time and loses nothing."""

import contextlib
import os
import resource
import socket
import subprocess
import tempfile
import time
import unittest

from programs import Chaos, Program, mute, wait_until
import watch
from http_client import Http
from http2_wire import SETTINGS, Peer
from posewire_test import BIN, Collector, clip


class MuteRedis(Chaos):
    def test_case_37_a_redis_that_takes_calls_and_never_answers(self):
        with mute() as port:
            server = self.server("anim_graph", "--graph", "passthrough", "--http", "127.0.0.1:0",
                                 "--redis", f"127.0.0.1:{port}")
            witness = watch.Witness("graph", server)
            self.addCleanup(witness.kill)
            client = self.client(server.address)
            pull = Collector(client.pull("s", timeout=None)).wait_started()
            for i in range(8):
                client.push(clip(client, "s", f"r{i}", 3))
            self.assertTrue(pull.wait_for(lambda p: "redis" in server.log_text()))
            self.assertEqual(Http(server.http_port).raw("GET", "/readiness")[0], 200)
            saw = witness.end()
            self.assertEqual((saw["breaks"], saw["fault"]), (0, ""))
            self.assertTrue(saw["on_time"], saw)
            self.assert_ends(server)


class FullDisk(Chaos):
    """Case 36: a recording meets the end of its disk, with the pull going on."""

    def record(self, path, preexec=None):
        graph = self.server("anim_graph", "--graph", "passthrough")
        witness = watch.Witness("graph", graph)
        self.addCleanup(witness.kill)
        self.talker(graph.port, self.long_talk)
        sink = self.started(Program, "renderer_sink", "record", path, "--from", graph.address,
                            "--stream-id", "s", preexec=preexec)
        self.assertNotEqual(sink.process.wait(60), 0, sink.log_text())
        said = sink.log_text()
        self.assertIn(os.path.basename(path), said)
        saw = witness.end()
        self.assertEqual((saw["breaks"], saw["fault"]), (0, ""))
        self.assertTrue(saw["on_time"], saw)
        # What was written before is a clip, whole or without its last words.
        done = subprocess.run([os.path.join(BIN, "animclip"), "recover", path,
                               os.path.join(self.folder.name, f"{self.id()}.animdata")],
                              capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assert_ends(graph)
        return said

    @contextlib.contextmanager
    def small_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", folder],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                self.skipTest(f"no small disk can be mounted here: {done.stderr.strip()}")
            try:
                yield folder
            finally:
                subprocess.run(["umount", "-l", folder], check=True)

    def test_case_36_a_disk_that_is_full(self):
        with self.small_disk() as folder:
            said = self.record(os.path.join(folder, "take.animdata"))
            self.assertIn("No space left", said)

    def test_case_36_a_file_that_may_not_grow(self):
        # subprocess restores SIGXFSZ, which Python ignores; it ends a program that does not ignore it.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        said = self.record(os.path.join(self.folder.name, "quota.animdata"), limit)
        self.assertIn("File too large", said)


class Descriptors(Chaos):
    def test_case_22_within_a_second_when_they_come_back(self):
        server = self.server("anim_graph", "--graph", "passthrough", "--http", "127.0.0.1:0")
        witness = watch.Witness("graph", server)
        self.addCleanup(witness.kill)
        pid = server.process.pid
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        opened = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (opened + 5, limits[1]))
        for port in (server.port, server.http_port):
            idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
            wait_until(lambda: len(os.listdir(f"/proc/{pid}/fd")) >= opened + 5, "none are left")
            for s in idle:
                s.close()
            freed = time.monotonic()
            peer = Peer(server.port)
            self.assertTrue(peer.wait(lambda p: p.kinds.get(SETTINGS)))
            peer.close()
            self.assertEqual(Http(server.http_port).raw("GET", "/liveness")[0], 200)
            self.assertLess(time.monotonic() - freed, 1)
        saw = witness.end()
        self.assertEqual((saw["breaks"], saw["fault"]), (0, ""))
        self.assertTrue(saw["on_time"], saw)
        self.assert_ends(server)


if __name__ == "__main__":
    unittest.main(verbosity=2)
