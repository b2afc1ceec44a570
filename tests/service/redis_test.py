"""ACE's events on a real Redis server: up, away, stopped, and with a password."""

import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from certificates import Ca
from http_client import Http
from posewire_test import Client, Collector, Server, clip, free_port, spoken, tool
from redis_server import Redis, told

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RedisTest(unittest.TestCase):
    def start(self, port, *args):
        server = Server("anim_graph", "--graph", "passthrough", "--http", "127.0.0.1:0",
                        "--redis", f"127.0.0.1:{port}", *args)
        client = Client(server.address)
        self.addCleanup(server.stop)
        self.addCleanup(client.close)
        return server, client

    def plays(self, http, request):
        streams = http.call("GET", "/streams")[1]["streams"]
        return any(r["request_id"] == request and r["state"] == "playing"
                   for s in streams for a in s["avatars"] for r in a["requests"])

    def test_says_that_requests_ended_and_were_interrupted(self):
        redis = Redis()
        self.addCleanup(redis.kill)
        server, client = self.start(redis.port)
        pull = Collector(client.pull("s/1")).wait_started()
        # Two utterances in a row: the second is pushed when the first has ended.
        for request in ("r1", "r\"2"):
            client.push(clip(client, "s/1", request, 15))
            self.assertTrue(redis.wait(told(request)), redis.messages)
        self.assertEqual(redis.messages, [
            {"event_type": "request_playback_ended", "stream_id": "s/1", "request_id": "r1"},
            {"event_type": "request_playback_ended", "stream_id": "s/1", "request_id": "r\"2"}])
        self.assertIsNotNone(spoken(pull.audio(), 15 * 16000 // 30))
        client.push(clip(client, "s/1", "r3", 300))
        http = Http(server.http_port)
        self.assertTrue(pull.wait_for(lambda p: self.plays(http, "r3")))
        self.assertEqual(http.call("DELETE", "/streams/s%2F1/requests/r3")[0], 200)
        self.assertTrue(redis.wait(told("r3")))
        self.assertEqual(redis.messages[-1]["event_type"], "request_playback_interrupted")
        self.assertEqual(server.stop(), 0)

    def test_streaming_goes_on_while_redis_is_stopped(self):
        redis = Redis()
        self.addCleanup(redis.kill)
        server, client = self.start(redis.port)
        pull = Collector(client.pull("s")).wait_started()
        client.push(clip(client, "s", "before", 3))
        self.assertTrue(redis.wait(told("before")))
        redis.process.send_signal(signal.SIGSTOP)
        first = len(pull.data())
        requests = [f"stopped{i}" for i in range(8)]
        for request in requests:
            client.push(clip(client, "s", request, 3))
        self.assertTrue(pull.wait_for(lambda p: len(p.data()) > first + 75))
        self.assertTrue(pull.wait_for(lambda p: "redis is away" in server.log_text()))
        steps = [b - a for a, b in zip(pull.times[first:], pull.times[first + 1:])]
        self.assertLess(max(steps), 0.25, "frames were held up")
        redis.process.send_signal(signal.SIGCONT)
        client.push(clip(client, "s", "after", 3))
        self.assertTrue(redis.wait(told("after")), redis.messages)
        ids = [m["request_id"] for m in redis.messages]
        self.assertEqual(len(ids), len(set(ids)), "an event was told twice")
        # Of those that were under way at most the first is lost.
        self.assertGreaterEqual(len(set(ids) & set(requests)), len(requests) - 1, ids)
        self.assertEqual(server.stop(), 0)

    def test_comes_back_when_redis_does(self):
        port = free_port()
        server, client = self.start(port)
        pull = Collector(client.pull("s")).wait_started()
        self.assertTrue(pull.wait_for(lambda p: "redis is away" in server.log_text()))
        redis = Redis(port)
        client.push(clip(client, "s", "r1", 3))
        self.assertTrue(redis.wait(told("r1")))
        redis.kill()
        again = Redis(port)
        self.addCleanup(again.kill)
        client.push(clip(client, "s", "r2", 3))
        self.assertTrue(again.wait(told("r2")))
        self.assertEqual(server.stop(), 0)

    def test_comes_back_after_a_long_absence_and_says_what_it_did_not_publish(self):
        port = free_port()
        server, client = self.start(port)
        pull = Collector(client.pull("s")).wait_started()
        client.push(clip(client, "s", "lost", 3))
        self.assertTrue(pull.wait_for(lambda p: "event not published" in server.log_text(), 30))
        line = next(l for l in server.log_text().splitlines() if "event not published" in l)
        self.assertIn("redis was away for 10 s", line)
        self.assertIn('\\"request_id\\": \\"lost\\"', line)
        redis = Redis(port)
        self.addCleanup(redis.kill)
        # By itself: nothing is published that would make it try.
        self.assertTrue(pull.wait_for(lambda p: "redis connected" in server.log_text()))
        client.push(clip(client, "s", "after", 3))
        self.assertTrue(redis.wait(told("after")))
        self.assertEqual([m["request_id"] for m in redis.messages], ["after"])
        self.assertEqual(server.stop(), 0)

    def test_ends_in_time_while_redis_is_stopped(self):
        redis = Redis()
        self.addCleanup(redis.kill)
        server, client = self.start(redis.port)
        pull = Collector(client.pull("s")).wait_started()
        redis.process.send_signal(signal.SIGSTOP)
        client.push(clip(client, "s", "r1", 3))
        self.assertTrue(pull.wait_for(lambda p: len(p.data()) > 20))
        start = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - start, 6)

    def test_a_password_is_sent_and_not_shown(self):
        redis = Redis(password="open_sesame")
        self.addCleanup(redis.kill)
        server = Server("anim_graph", "--redis", f"redis://:open_sesame@127.0.0.1:{redis.port}")
        self.addCleanup(server.stop)
        client = Client(server.address)
        self.addCleanup(client.close)
        pull = Collector(client.pull("s")).wait_started()
        client.push(clip(client, "s", "r1", 3))
        self.assertTrue(redis.wait(told("r1")))
        self.assertNotIn("sesame", server.log_text())
        self.assertEqual(server.stop(), 0)
        pull.join(10)

    def test_tls_by_way_of_stunnel_as_documented(self):
        """With the configuration of docs/operations.md, but for addresses and files."""
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        ca = Ca(home.name, "ca")
        redis = Redis(password="open_sesame", tls=(*ca.issue("redis"), ca.cert))
        self.addCleanup(redis.kill)
        own, key = ca.issue("anim_graph")
        text = (ROOT / "docs/operations.md").read_text()
        text = re.search(r"```ini\n(\[redis\].*?)```", text, re.S)[1]
        port = free_port()
        for old, new in (("127.0.0.1:6380", f"127.0.0.1:{port}"),
                         ("redis.example:6379", f"localhost:{redis.tls_port}"),
                         ("checkHost = redis.example", "checkHost = localhost"),
                         ("/etc/posewire/redis-ca.pem", str(ca.cert)),
                         ("/etc/posewire/redis-client.pem", own),
                         ("/etc/posewire/redis-client.key", key)):
            self.assertIn(old, text)
            text = text.replace(old, new)
        conf = pathlib.Path(home.name, "stunnel.conf")
        conf.write_text(f"foreground = yes\npid =\n{text}")
        tunnel = subprocess.Popen([tool("stunnel"), str(conf)], stderr=subprocess.DEVNULL)
        self.addCleanup(tunnel.wait)
        self.addCleanup(tunnel.kill)
        server = Server("anim_graph", "--redis", f"redis://:open_sesame@127.0.0.1:{port}")
        self.addCleanup(server.stop)
        client = Client(server.address)
        self.addCleanup(client.close)
        Collector(client.pull("s")).wait_started()
        server.await_log("redis connected")
        client.push(clip(client, "s", "r1", 3))
        self.assertTrue(redis.wait(told("r1")))

    def test_a_bad_address_is_a_wrong_setting(self):
        with self.assertRaises(RuntimeError) as caught:
            Server("anim_graph", "--redis", "localhost:none")
        self.assertIn("no port", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
