"""Dead and stopped neighbours, a full disk, no descriptors: each is borne, and then all goes on."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from programs import Chaos, Program, Sink, breaks, mute, wait_until
import watch
from http_client import Http
from http2_wire import SETTINGS, Peer
from posewire_test import BIN, Collector, clip
from witness import FPS


def graph_now(pull):
    """The newest moment that has come by the pull: epoch + code."""
    heads = [m.animation_data_stream_header for m in list(pull.messages)
             if m.HasField("animation_data_stream_header")]
    data = pull.data()
    if not heads or not data:
        return None
    return heads[0].start_time_code_since_epoch + \
        data[-1].skel_animation.blend_shape_weights[0].time_code


class Neighbours(Chaos):
    def chain(self):
        """A long talk through all three."""
        graph = self.server("anim_graph", "--graph", "passthrough")
        sink = self.started(Sink, graph.address, "s")
        source = self.talker(graph.port, self.long_talk)
        wait_until(lambda: sum(peak > 0 for _, _, peak in sink.frames()) > FPS, "a voice")
        return graph, source, sink

    def test_case_31_a_compositor_that_is_killed_and_comes_back(self):
        graph, source, sink = self.chain()
        for _ in range(3):
            graph.process.kill()
            graph.process.wait()
            graph = self.server("anim_graph", "--graph", "passthrough", "--listen", graph.address)
            back = time.monotonic()
            self.assertLess(sink.first_after(back) - back, 3)
            # The voice too, from its source.
            def heard():
                return any(at > back and peak > 0 for at, _, peak in sink.frames())
            wait_until(heard, "a voice")
            self.assertLess(time.monotonic() - back, 3)
        times = [t for _, t, _ in sink.frames()]
        self.assertEqual([i for i, (a, b) in enumerate(zip(times, times[1:])) if b <= a], [])
        self.assertIsNone(source.process.poll(), source.log_text())
        self.assert_ends(graph)

    def stopped(self, program, seconds):
        program.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > seconds, "")
        program.send_signal(signal.SIGCONT)
        return time.monotonic()

    def test_a_source_that_stands_still(self):
        graph, source, sink = self.chain()
        begin = len(sink.frames())
        went_on = self.stopped(source.process, 4)
        def heard():
            return any(at > went_on and peak > 0 for at, _, peak in sink.frames())
        wait_until(heard, "a voice")
        while_it_stood = [peak for at, _, peak in sink.frames()[begin:]
                          if went_on - 2 < at < went_on]
        self.assertGreater(len(while_it_stood), 1.5 * FPS)  # it idles on
        self.assertEqual(max(while_it_stood), 0)
        self.assertIsNone(source.process.poll())
        self.assert_ends(graph)

    def test_a_sink_that_stands_still_disturbs_nobody_and_comes_back(self):
        graph, _, sink = self.chain()
        beside = Collector(self.client(graph.address).pull("s", timeout=None)).wait_started()
        self.stopped(sink.process, 8)
        self.assertIsNone(beside.error)
        codes = [d.skel_animation.blend_shape_weights[0].time_code for d in beside.data()]
        lost = round((codes[-1] - codes[0]) * FPS) + 1 - len(codes)
        self.assertLess(lost, 0.05 * len(codes))
        self.assertEqual(breaks(beside.audio())[0], 0)
        # At the present again, be it by a new pull, within what reconnecting may take.
        def present():
            last = graph_now(beside)
            seen = sink.frames()
            return bool(last and seen) and seen[-1][1] > last - 0.5
        self.assertLess(wait_until(present, "the present"), 5)
        self.assert_ends(graph)

    def test_case_32_a_compositor_that_stands_still(self):
        graph, source, sink = self.chain()
        before = len(sink.frames())
        went_on = self.stopped(graph.process, 6)
        wait_until(lambda: sink.flows(went_on, 2 * FPS), "frames")
        after = [f for f in sink.frames()[before:] if f[0] > went_on]
        # No burst of old frames: what comes in the first half second is not more than a second's.
        self.assertLess(sum(at < after[0][0] + 0.5 for at, _, _ in after), FPS)
        times = [t for _, t, _ in sink.frames()]
        self.assertEqual([i for i, (a, b) in enumerate(zip(times, times[1:])) if b <= a], [])
        def heard():
            return any(at > went_on and peak > 0 for at, _, peak in sink.frames())
        wait_until(heard, "a voice")
        self.assertIsNone(source.process.poll(), source.log_text())
        self.assert_ends(graph)

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
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
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
