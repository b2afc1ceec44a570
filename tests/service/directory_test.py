"""One owner per stream: leases in a real redis-server, and two nodes under faults."""

import re
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

import grpc

from http_client import Http
from posewire_test import (PUSH, Client, Collector, Server, clip, header, keys, sample, until,
                           wait_for_more)
from redis_server import Redis

TERM_S = 2


def moments(pull):
    """Unix times of the frames."""
    epoch = pull.messages[0].animation_data_stream_header.start_time_code_since_epoch
    return [epoch + d.skel_animation.rotations[0].time_code for d in pull.data()]


SENTENCE = struct.pack("<80000h", *map(sample, range(80000)))  # 5 s


def voice(pull):
    """The samples from the first that is not 0."""
    audio = pull.audio()
    return audio[re.match(rb"(?:\0\0)*", audio).end():]


def longest_gap(pull):
    """In seconds of the stream, between two of its frames."""
    times = moments(pull)
    return max(b - a for a, b in zip(times, times[1:]))


class Wire:
    """A TCP relay to Redis that can be cut: what is sent then is never delivered."""

    def __init__(self, to_port):
        self.to_port = to_port
        self.whole = True
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near = self.listening.accept()[0]
            far = socket.create_connection(("127.0.0.1", self.to_port))
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(a, b), daemon=True).start()

    def carry(self, a, b):
        try:
            while data := a.recv(65536):
                if self.whole:
                    b.sendall(data)
        except OSError:
            pass
        for s in (a, b):
            s.close()


class Marked(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor,
             grpc.StreamUnaryClientInterceptor):
    """Calls as a node does that relays them: they are not relayed again."""

    def intercept(self, go_on, details, request):
        metadata = [*(details.metadata or ()), ("x-posewire-relayed", "1")]
        return go_on(details._replace(metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = intercept_stream_unary = intercept


class DirectoryTest(unittest.TestCase):
    def redis(self, port=0, **options):
        redis = Redis(port, **options)
        self.addCleanup(redis.kill)
        return redis

    def node(self, port, *args):
        server = Server("anim_graph", "--directory", f"redis://127.0.0.1:{port}", "--graph",
                        "passthrough", *args)
        self.addCleanup(server.kill)
        client = Client(server.address)
        self.addCleanup(client.close)
        client.channel = grpc.intercept_channel(client.channel, Marked())
        return server, client

    def two(self, *args):
        redis = self.redis()
        (a, at_a), (b, at_b) = self.node(redis.port, *args), self.node(redis.port, *args)
        pull = self.pull(at_a, "s", wait_s=TERM_S + 4)  # Redis has just started
        return redis, a, at_a, b, at_b, pull

    def ask(self, redis, command):
        with socket.create_connection(("127.0.0.1", redis.port), timeout=10) as s:
            s.sendall(f"{command}\r\n".encode())
            return s.recv(4096)

    def pull(self, client, stream, wait_s=10.0):
        """Tries until the stream is served."""
        end = time.monotonic() + wait_s
        while True:
            pull = Collector(client.pull(stream))
            pull.wait_started()
            if pull.messages:
                wait_for_more([pull], 3)
                return pull
            self.assertEqual(pull.code(), grpc.StatusCode.UNAVAILABLE, pull.error)
            self.assertLess(time.monotonic(), end, pull.error)
            time.sleep(0.05)

    def why_not(self, call):
        with self.assertRaises(grpc.RpcError) as caught:
            for _ in call():
                pass
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
        return caught.exception.details()

    def assert_ended(self, pull, words):
        self.assertTrue(pull.wait_for(lambda p: p.error), "the pull goes on")
        self.assertEqual(pull.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIn(words, pull.error.details())

    def assert_apart(self, earlier, later):
        self.assertLess(max(moments(earlier)), min(moments(later)))

    def test_a_stream_has_one_owner(self):
        redis, a, at_a, b, at_b, pull = self.two("--http", "127.0.0.1:0")
        served = f'stream_id "s" is served by {a.address}'
        self.assertEqual(self.why_not(lambda: at_b.pull("s")), served)
        self.assertEqual(self.why_not(lambda: [at_b.push(clip(at_b, "s", "r", 3))]), served)
        self.assertEqual(self.why_not(lambda: [at_b.control("RegisterStream", stream_id="s")]), served)
        at_b.method("/posewire.control.v1.ControlService/WatchEvents")
        watch = at_b.type("posewire.control.v1.WatchEventsRequest")(stream_id="s")
        path = "/posewire.control.v1.ControlService/WatchEvents"
        self.assertEqual(self.why_not(lambda: at_b.method(path)(watch, timeout=10)), served)
        at_b.control("RegisterStream", stream_id="t")
        at_a.push(clip(at_a, "s", "r", 3))
        wait_for_more([pull], 90)  # over several renewals
        text = Http(a.http_port).raw("GET", "/metrics")[2].decode()
        self.assertIn("posewire_leases 1\n", text)
        self.assertIn("posewire_claims_total 1\n", text)
        # An orderly end gives the stream away at once.
        self.assertEqual(a.stop(), 0)
        start = time.monotonic()
        other = self.pull(at_b, "s")
        self.assertLess(time.monotonic() - start, TERM_S)
        self.assert_apart(pull, other)
        self.assertEqual(b.stop(), 0)

    def test_a_removed_stream_is_released(self):
        redis, a, at_a, b, at_b, pull = self.two()
        at_a.control("RemoveStream", stream_id="s")
        self.pull(at_b, "s", wait_s=TERM_S + 5)
        self.assertIn(b"*1\r\n", self.ask(redis, "KEYS posewire:stream:*"))

    def test_a_killed_node_is_succeeded_after_its_term(self):
        redis, a, at_a, b, at_b, pull = self.two()
        a.kill()
        start = time.monotonic()
        other = self.pull(at_b, "s")
        self.assertLess(time.monotonic() - start, TERM_S + 1.5)
        self.assertGreater(time.monotonic() - start, TERM_S - 1)
        self.assert_apart(pull, other)

    def talk(self, client):
        """Pushes a sentence of 5 s to stream "s", and leaves the push open."""
        end = threading.Event()
        self.addCleanup(end.set)

        def messages():
            yield from clip(client, "s", "r", 150)
            end.wait(60)

        # A call without a reference is cancelled.
        self.call = client.method(PUSH).future(messages(), timeout=60)

    def resume(self, client):
        """Pushes the rest of it."""
        held = []
        asked = threading.Event()

        def messages():
            yield header(client, "s", "r")
            asked.wait(20)
            for k in range(max(0, int(held[0] * 30)), 150):
                yield keys(client, k, k + 1)

        self.rest = client.method(PUSH).future(messages(), metadata=[("x-posewire-resume", "1")],
                                               timeout=60)
        held.append(float(dict(self.rest.initial_metadata())["x-posewire-held-s"]))
        asked.set()

    def test_a_drained_sentence_goes_on_at_the_next_sample(self):
        redis, a, at_a, b, at_b, pull = self.two()
        self.talk(at_a)
        pull.wait_for_sound()
        wait_for_more([pull], 45)
        self.assertEqual(a.stop(), 0)
        self.assertEqual(self.call.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(pull.statuses()[-1].message, "the server is shutting down")
        other = self.pull(at_b, "s")
        self.assert_apart(pull, other)
        self.resume(at_b)
        first, left = voice(pull), SENTENCE[len(voice(pull)):]
        self.assertTrue(other.wait_for(lambda p: len(voice(p)) >= len(left)))
        self.assertEqual(first, SENTENCE[:len(first)])
        self.assertEqual(voice(other)[:len(left)], left)

    def test_a_killed_nodes_sentence_goes_on_where_it_was(self):
        redis, a, at_a, b, at_b, pull = self.two()
        self.talk(at_a)
        pull.wait_for_sound()
        wait_for_more([pull], 60)
        a.kill()
        self.assertTrue(pull.wait_for(lambda p: p.error))
        other = self.pull(at_b, "s")
        self.assert_apart(pull, other)
        self.resume(at_b)
        other.wait_for_sound()
        first = voice(pull)
        self.assertTrue(other.wait_for(lambda p: len(voice(p)) > 64))
        begin = SENTENCE.rindex(voice(other)[:64], 0, len(first) + 64)
        self.assertLess((len(first) - begin) / 32000, 1, "much is repeated, or some is lost")
        self.assertTrue(other.wait_for(lambda p: len(voice(p)) >= len(SENTENCE) - begin))
        self.assertEqual(voice(other)[:len(SENTENCE) - begin], SENTENCE[begin:])

    def test_a_stopped_node_makes_no_frame_beside_its_successor(self):
        redis, a, at_a, b, at_b, pull = self.two()
        a.process.send_signal(signal.SIGSTOP)
        other = self.pull(at_b, "s")
        wait_for_more([other], 30)
        a.process.send_signal(signal.SIGCONT)
        self.assert_ended(pull, f"is served by {b.address}")
        self.assert_apart(pull, other)
        self.assertEqual(self.why_not(lambda: at_a.pull("s")), f'stream_id "s" is served by {b.address}')
        a.await_log("lease lost")

    def test_a_stopped_node_keeps_a_stream_that_nobody_claimed(self):
        redis, a, at_a, b, at_b, pull = self.two()
        a.process.send_signal(signal.SIGSTOP)
        time.sleep(TERM_S + 1)
        a.process.send_signal(signal.SIGCONT)
        wait_for_more([pull], 60)
        self.assertIn(a.address, self.why_not(lambda: at_b.pull("s")))

    def test_continues_while_redis_is_away(self):
        redis, a, at_a, b, at_b, pull = self.two()
        for silence in (redis.kill, lambda: again.process.send_signal(signal.SIGSTOP)):
            silence()
            wait_for_more([pull], 30 * (TERM_S + 1))
            why = self.why_not(lambda: at_a.pull("new"))
            self.assertIn('stream_id "new": Redis (--directory) cannot be asked', why)
            connected = a.log_text().count("directory connected")
            if silence == redis.kill:
                again = self.redis(redis.port)
            else:
                again.process.send_signal(signal.SIGCONT)
            # A node that reaches Redis again before the owner does may become the next owner.
            self.assertTrue(until(lambda: a.log_text().count("directory connected") > connected))
            self.pull(at_b, "new", wait_s=TERM_S + 6)
            self.assertEqual(self.why_not(lambda: at_b.pull("s")), f'stream_id "s" is served by {a.address}')
            wait_for_more([pull], 30)
            self.assertLess(longest_gap(pull), 0.6)
        self.assertGreaterEqual(a.log_text().count("directory is away"), 2)
        self.assertEqual(pull.statuses()[1:], [])

    def test_pauses_while_redis_is_away(self):
        redis, a, at_a, b, at_b, pull = self.two("--directory-lost", "pause")
        start = time.monotonic()
        redis.kill()
        self.assertTrue(pull.wait_for(lambda p: [s for s in p.statuses() if "pauses" in s.message]))
        self.assertLess(pull.times[-1] - start, TERM_S + 0.5)
        self.assertGreater(pull.times[-1] - start, TERM_S - 1)
        count = len(pull.messages)
        time.sleep(1)
        self.assertEqual(len(pull.messages), count, "it goes on")
        self.redis(redis.port)
        wait_for_more([pull], 60)
        self.assertEqual(len([s for s in pull.statuses() if s.code == s.WARNING]), 1, pull.statuses())
        self.assertLess(longest_gap(pull), TERM_S + 4)

    def test_a_flush_changes_no_owner(self):
        for mode in ("continue", "pause"):
            with self.subTest(mode):
                redis, a, at_a, b, at_b, pull = self.two("--directory-lost", mode)
                self.ask(redis, "FLUSHALL")
                for _ in range(20):
                    why = self.why_not(lambda: at_b.pull("s"))
                    self.assertTrue(a.address in why or "leaves the streams to their owners" in why, why)
                    time.sleep(0.15)
                self.assertIn(a.address, self.why_not(lambda: at_b.pull("s")))
                wait_for_more([pull], 30)
                self.assertLess(longest_gap(pull), 0.6)

    def test_a_node_that_is_cut_off_pauses_and_yields(self):
        redis = self.redis()
        wire = Wire(redis.port)
        a, at_a = self.node(wire.port, "--directory-lost", "pause")
        b, at_b = self.node(redis.port, "--directory-lost", "pause")
        pull = self.pull(at_a, "s", wait_s=TERM_S + 4)
        wire.whole = False
        other = self.pull(at_b, "s")
        wait_for_more([other], 30)
        wire.whole = True
        self.assert_ended(pull, f"is served by {b.address}")
        self.assert_apart(pull, other)

    def test_says_that_the_password_is_wrong(self):
        redis = self.redis(password="open_sesame")
        server = Server("anim_graph", "--directory", f"redis://:wrong@127.0.0.1:{redis.port}")
        self.addCleanup(server.kill)
        client = Client(server.address)
        self.addCleanup(client.close)
        self.assertIn("WRONGPASS", self.why_not(lambda: client.pull("s")))
        server.await_log("directory is away")
        self.assertNotIn("redis://:wrong", server.log_text())
        right = Server("anim_graph", "--directory", f"redis://:open_sesame@127.0.0.1:{redis.port}/3")
        self.addCleanup(right.kill)
        client = Client(right.address)
        self.addCleanup(client.close)
        self.pull(client, "s")
        self.assertNotIn("sesame", right.log_text())

    def test_needs_an_address_that_others_can_call(self):
        redis = self.redis()
        named = Server("anim_graph", "--directory", f"redis://127.0.0.1:{redis.port}",
                       "--directory-address", "node.example:51000")
        self.addCleanup(named.kill)
        client = Client(named.address)
        self.addCleanup(client.close)
        self.pull(client, "s")
        _, other = self.node(redis.port)
        self.assertIn("node.example:51000", self.why_not(lambda: other.pull("s")))

    def test_a_node_at_a_wildcard_has_the_only_address_of_its_machine(self):
        found = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        found = [address for address in found if "." in address]
        redis = self.redis()
        start = lambda *more: Server("anim_graph", "--directory", f"redis://127.0.0.1:{redis.port}",
                                     "--allow-plaintext", *more, listen="0.0.0.0:0")
        if len(found) == 1:
            node = start()
        else:
            with self.assertRaises(RuntimeError) as caught:
                start()
            self.assertIn("--directory-address is missing", str(caught.exception))
            for address in found:
                self.assertIn(address, str(caught.exception))
            # Port 0 is that of --listen.
            found = ["127.0.0.1"]
            node = start("--directory-address", "127.0.0.1:0")
        self.addCleanup(node.kill)
        client = Client(node.address)
        self.addCleanup(client.close)
        self.pull(client, "s", wait_s=TERM_S + 4)
        _, other = self.node(redis.port)
        self.assertIn(f"{found[0]}:{node.port}", self.why_not(lambda: other.pull("s")))


if __name__ == "__main__":
    unittest.main()
