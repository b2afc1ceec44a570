"""Pushes that are refused or break off: who waits for their end hears of it, and the log says why."""

import threading
import time
import unittest

import grpc

from http_client import Http
from posewire_test import PUSH, Client, Collector, Server, clip, header, keys, spoken
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
        end = time.monotonic() + 10
        while time.monotonic() < end:
            found = [l for l in self.server.log_text().splitlines() if all(w in l for w in words)]
            if found:
                self.assertEqual(len(found), 1, found)
                return found[0]
            time.sleep(0.02)
        self.fail(f"no line with {words}: {self.server.log_text()[-2000:]}")

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
        self.assertIn("nothing came for 1 s", self.line("source lost", 'request_id="silent"'))
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


if __name__ == "__main__":
    unittest.main()
