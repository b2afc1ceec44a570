"""Pushes that are refused or break off: who waits for their end hears of it, and the log says why."""

import os
import subprocess
import threading
import time
import unittest

import grpc

from http_client import Http, WebSocket
from posewire_test import (BIN, PUSH, Client, Collector, Server, clip, header, keys, spoken,
                           until)
from redis_server import Redis, told


def interrupted(request):
    return lambda messages: ("request_playback_interrupted", request) in [
        (m["event_type"], m["request_id"]) for m in messages]


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis = Redis()
        cls.server = Server("anim_graph", "--graph", "passthrough", "--http", "127.0.0.1:0",
                            "--redis", f"127.0.0.1:{cls.redis.port}", "--silence-timeout-s", "1")
        cls.client = Client(cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        code = cls.server.stop()
        cls.redis.kill()
        assert code == 0, cls.server.log_text()[-2000:]

    def refused(self, messages, metadata=()):
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.push(messages, metadata=metadata, timeout=20)
        return caught.exception

    def line(self, *words):
        """The one log line with all these words."""
        def lines():
            return [l for l in self.server.log_text().splitlines() if all(w in l for w in words)]
        self.assertTrue(until(lines), f"no line with {words}: {self.server.log_text()[-2000:]}")
        found = lines()
        self.assertEqual(len(found), 1, found)
        return found[0]

    def metric(self, name, code):
        text = Http(self.server.http_port).raw("GET", "/metrics")[2].decode()
        return int(float(text.split(f'{name}{{code="{code}"}} ')[1].split()[0]))

    def events(self, request):
        return [m["event_type"] for m in self.redis.messages if m["request_id"] == request]

    def test_a_push_refused_at_its_header_is_told_counted_and_published(self):
        refused = "posewire_refused_pushes_total"
        for request, bad in (
                ("dup", header(self.client, "a", "dup", joints=["x/skullbase", "x/skullbase"])),
                ("rate", header(self.client, "a", "rate", rate=7)),
                ("alien", header(self.client, "a", "alien", joints=["nobody"], shapes=["nothing"]))):
            before = self.metric(refused, "INVALID_ARGUMENT")
            begin = time.monotonic()
            error = self.refused([bad])
            self.assertTrue(self.redis.wait(interrupted(request), 5), self.redis.messages)
            self.assertLess(time.monotonic() - begin, 1)
            self.assertEqual(self.events(request), ["request_playback_interrupted"])
            line = self.line("push refused", f'request_id="{request}"', "INVALID_ARGUMENT")
            self.assertIn(error.details()[:40].replace('"', '\\"'), line)
            self.assertIn('stream_id="a"', line)
            self.assertIn('peer="ipv4:127.0.0.1:', line)
            self.assertEqual(self.metric(refused, "INVALID_ARGUMENT"), before + 1)

    def test_wrong_metadata_is_a_refusal_too(self):
        self.refused(clip(self.client, "a", "meta", 3), metadata=[("x-posewire-mode", "x")])
        self.assertTrue(self.redis.wait(interrupted("meta"), 5))
        self.line("push refused", 'request_id="meta"', "x-posewire-mode")

    def test_a_header_without_ids_is_told_and_not_published(self):
        before = len(self.redis.messages)
        self.refused([header(self.client, "nameless", "")])
        self.line("push refused", 'stream_id="nameless"', "request_id is empty")
        self.refused([header(self.client, "b\nc", "broken-stream-id")])
        self.line("push refused", 'stream_id=""', 'request_id="broken-stream-id"')
        # What is published later has come, so what is missing was not.
        self.refused([header(self.client, "a", "fence", rate=7)])
        self.assertTrue(self.redis.wait(told("fence"), 5))
        self.assertEqual(len(self.redis.messages), before + 1)

    def test_a_second_push_does_not_end_the_one_that_plays(self):
        go = threading.Event()
        def slow():
            yield header(self.client, "two", "r")
            yield keys(self.client, 0, 15)
            go.wait(20)
            yield keys(self.client, 15, 45)
        pull = Collector(self.client.pull("two", request="r"))
        first = self.client.method(PUSH).future(slow())
        self.assertTrue(pull.wait_for(lambda p: len(p.data()) > 2))
        self.assertEqual(self.refused(clip(self.client, "two", "r", 3)).code(),
                         grpc.StatusCode.ALREADY_EXISTS)
        # Nor does one with a wrong header, which is refused before it is known as the second.
        self.refused([header(self.client, "two", "r", rate=7)])
        self.line("push refused", 'stream_id="two"', "ALREADY_EXISTS")
        self.line("push refused", 'stream_id="two"', "samples_per_second")
        go.set()
        self.assertEqual(first.result(20).code, 0)
        self.assertTrue(self.redis.wait(told("r")))
        pull.join(20)
        self.assertIsNotNone(spoken(pull.audio(), 45 * 16000 // 30))
        self.assertEqual(self.events("r"), ["request_playback_ended"])

    def test_a_fault_in_mid_stream_says_its_reason(self):
        lost = "posewire_lost_sources_total"
        before = self.metric(lost, "INVALID_ARGUMENT")
        bad = keys(self.client, 1, 2)
        bad.animation_data.skel_animation.rotations[0].values[0].real = float("nan")
        self.refused([header(self.client, "mid", "fault"), keys(self.client, 0, 1), bad])
        line = self.line("source lost", 'request_id="fault"')
        self.assertIn("INVALID_ARGUMENT", line)
        self.assertIn("rotations[0].values[0]", line)
        self.assertTrue(self.redis.wait(interrupted("fault")), self.redis.messages)
        self.assertEqual(self.metric(lost, "INVALID_ARGUMENT"), before + 1)

    def test_a_source_that_falls_silent_or_hangs_up_says_so(self):
        over = threading.Event()
        def silent():
            yield header(self.client, "mid", "silent")
            yield keys(self.client, 0, 3)
            over.wait(20)
        push = self.client.method(PUSH).future(silent())
        self.assertEqual(push.exception(20).code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertIn("nothing arrived for 1 s", self.line("source lost", 'request_id="silent"'))
        over.set()
        held = threading.Event()
        def cancelled():
            yield header(self.client, "gone", "cancelled")
            yield keys(self.client, 0, 30)
            held.wait(20)
        pull = Collector(self.client.pull("gone", request="cancelled"))
        push = self.client.method(PUSH).future(cancelled())
        self.assertTrue(pull.wait_for(lambda p: p.data()))
        push.cancel()
        held.set()
        self.assertIn("CANCELLED", self.line("source lost", 'request_id="cancelled"'))
        for request in ("silent", "cancelled"):
            self.assertTrue(self.redis.wait(interrupted(request)), self.redis.messages)


class FullTest(unittest.TestCase):
    def line(self, server, *words):
        self.assertTrue(until(lambda: any(all(w in line for w in words)
                                          for line in server.log_text().splitlines())),
                        f"no line with {words}: {server.log_text()[-2000:]}")

    def test_what_a_limit_refuses_is_logged_with_its_flag_and_counted(self):
        server = Server("anim_graph", "--max-pulls", "1", "--max-watchers", "1",
                        "--http-max-websockets", "2", "--http", "127.0.0.1:0")
        self.addCleanup(server.stop)
        client = Client(server.address)
        self.addCleanup(client.close)
        Collector(client.pull("a")).wait_started()
        refused = Collector(client.pull("b"))
        refused.join(20)
        self.assertEqual(refused.error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.line(server, "pull refused", 'stream_id="b"', "--max-pulls allows 1", "peer=")
        sockets = [WebSocket(server.http_port) for _ in range(3)]
        self.assertEqual([s.status for s in sockets], [101, 101, 503])
        self.line(server, "a WebSocket was refused", "--http-max-websockets of anim_graph")
        text = Http(server.http_port).raw("GET", "/metrics")[2].decode()
        self.assertIn('posewire_refusals_total{reason="pulls"} 1', text)


class LostServerTest(unittest.TestCase):
    def test_a_loss_and_the_return_are_one_line_each(self):
        server = Server("anim_graph")
        sink = subprocess.Popen(
            [os.path.join(BIN, "renderer_sink"), "print", "--summary", "--stream-id", "stage",
             "--from", server.address, "--log-level", "debug"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(sink.stderr.close)
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(sink.stderr.readline, "")))
        reader.start()
        def told(debug=False):
            return [line for line in lines
                    if ": connection " in line and (" debug " in line) == debug]
        self.assertTrue(until(lambda: len(told()) == 1), lines)
        for n in (1, 2):
            server.process.kill()
            server.stop()
            self.assertTrue(until(lambda: len(told()) == 2 * n), lines)
            before = len(told(debug=True))
            self.assertTrue(until(lambda: len(told(debug=True)) > before + 1), "it tries again")
            server = Server("anim_graph", listen=server.address)
            self.assertTrue(until(lambda: len(told()) == 2 * n + 1), lines)
        server.stop()
        sink.terminate()
        reader.join(20)
        sink.wait(20)
        first, lost, back = told()[:3]
        for line in (first, lost, back):
            self.assertIn(f'stream_id="stage" address="{server.address}"', line)
        self.assertIn('info renderer_sink: connection', first)
        self.assertIn('warning renderer_sink: connection', lost)
        self.assertRegex(lost, 'what="lost the server .*next attempt in')
        self.assertRegex(back, r'what="connected again after \d\.\d s"')


if __name__ == "__main__":
    unittest.main()
