"""a2f_source serve: texts over gRPC and HTTP come out of anim_graph as voice and face."""

import json
import os
import struct
import subprocess
import time
import unittest

import grpc

from http_client import Http
from posewire_test import BIN, Client, Collector, Server, until

STREAM = "talk"
SOURCE = "posewire.source.v1.SourceService"
SENTENCE = "Wonderful weather we are having today, said the old captain."


class Source(Client):
    """A client of SourceService, by reflection."""

    def call(self, method, /, timeout=15, **fields):
        call = self.method(f"/{SOURCE}/{method}")
        return call(self.type(f"posewire.source.v1.{method}Request")(**fields), timeout=timeout)

    def say(self, text, **fields):
        return self.call("Say", text=text, **fields)


def serve(graph, *args):
    return Server("a2f_source", "serve", "--to", graph.address, "--stream-id", STREAM, *args)


def loudest(audio):
    samples = struct.unpack(f"<{len(audio) // 2}h", audio)
    return max(map(abs, samples), default=0)


class Pulled(Collector):
    """A pull, and what can be seen and heard in it."""

    def jaw(self, since=0):
        header = next(m for m in self.messages if m.HasField("animation_data_stream_header"))
        shapes = list(header.animation_data_stream_header.skel_animation_header.blend_shapes)
        at = next(i for i, name in enumerate(shapes) if name.lower() == "jawopen")
        return [w.values[at] for d in self.data()[since:]
                for w in d.skel_animation.blend_shape_weights]

    def speaks(self, since=0):
        return (max(self.jaw(since), default=0) > 0.1
                and loudest(b"".join(d.audio.audio_buffer for d in self.data()[since:])) > 1000)


class SourceTest(unittest.TestCase):
    ARGS = ()
    GRAPH = ()

    def setUp(self):
        self.graph = Server("anim_graph", *self.GRAPH)
        self.source = serve(self.graph, *self.ARGS)
        self.client = Source(self.source.address)
        self.graph_client = Client(self.graph.address)

    def tearDown(self):
        self.client.close()
        self.graph_client.close()
        code = self.source.stop()
        self.graph.stop()
        self.assertEqual(code, 0, self.source.log_text()[-2000:])

    def pull(self, stream=STREAM, client=None):
        return Pulled((client or self.graph_client).pull(stream)).wait_started()

    def streams(self):
        return self.graph_client.control("ListStreams").streams

    def playing(self):
        return [r.request_id for s in self.streams() for a in s.avatars for r in a.requests]

    def until(self, condition, timeout=15):
        if not until(condition, timeout):
            self.fail(f"not within {timeout} s; the source's log: {self.source.log_text()[-1500:]}")

    def assertRefused(self, code, words, **fields):
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.call("Say", **fields)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        self.assertIn(words, caught.exception.details())


class SayTest(SourceTest):
    def test_a_text_comes_out_as_voice_and_face(self):
        pulled = self.pull()
        said = self.client.say(SENTENCE, request_id="first")
        self.assertEqual((said.request_id, said.ahead, list(said.notes)), ("first", 0, []))
        self.assertGreater(said.duration_s, 2)
        self.assertLess(said.duration_s, 8)
        self.assertTrue(pulled.wait_for(lambda p: p.speaks()))
        # It comes to rest when all is said.
        self.until(lambda: not self.playing())
        since = len(pulled.data())
        self.assertTrue(pulled.wait_for(lambda p: len(p.data()) > since + 60))
        self.assertLess(max(pulled.jaw(since + 30)), 0.1)
        pulled.call.cancel()

    def test_texts_are_said_in_turn_and_avatars_at_once(self):
        pulled = self.pull()
        other = self.pull("other")
        self.client.say("The first text is this.", request_id="one")
        self.assertEqual(self.client.say("The second one is this.", request_id="two").ahead, 1)
        self.assertEqual(self.client.say("Elsewhere.", stream_id="other", request_id="three").ahead, 0)
        self.assertTrue(other.wait_for(lambda p: p.speaks(), 3), "the other avatar waits")
        self.until(lambda: self.playing() == ["two"])
        since = len(pulled.data())
        self.assertTrue(pulled.wait_for(lambda p: p.speaks(since)))
        pulled.call.cancel()
        other.call.cancel()

    def test_an_interrupt_and_a_stop_end_what_is_said(self):
        pulled = self.pull()
        self.client.say(SENTENCE, request_id="long")
        self.client.say(SENTENCE, request_id="waits")
        self.client.say(SENTENCE, request_id="now", policy="interrupt")
        began = time.monotonic()  # the voice has been made
        self.until(lambda: self.playing() == ["now"], 2)
        self.assertLess(time.monotonic() - began, 2.5)
        self.client.say(SENTENCE, request_id="never")
        self.assertEqual(self.client.call("Stop").texts, 2)
        self.until(lambda: self.playing() == [], 2)
        self.assertEqual(self.client.call("Stop").texts, 0)
        log = self.source.log_text()
        self.assertNotIn('"waits"', log)
        self.assertNotIn('"never"', log)
        pulled.call.cancel()

    def test_the_voice_is_as_fast_as_the_avatar_is_lively(self):
        pulled = self.pull()

        def voice_s(**variables):
            """What is loud of it, in windows of 10 ms: a late machine adds silence alone."""
            for name, value in variables.items():
                self.graph_client.control("SetVariable", stream_id=STREAM, name=name, value=value)
            since = len(pulled.data())
            self.client.say("Wonderful weather today.")
            self.until(lambda: not self.playing())
            audio = b"".join(d.audio.audio_buffer for d in pulled.data()[since:])
            samples = struct.unpack(f"<{len(audio) // 2}h", audio)
            return sum(max(map(abs, samples[i:i + 160])) > 500
                       for i in range(0, len(samples), 160)) / 100

        usual, calm, lively = voice_s(), voice_s(activity="0"), voice_s(activity="1")
        self.assertAlmostEqual(calm / usual, 1 / 0.79, delta=0.06)
        self.assertAlmostEqual(lively / usual, 1 / 1.09, delta=0.04)
        pulled.call.cancel()

    def test_what_cannot_be_said_is_refused_by_name(self):
        bad = grpc.StatusCode.INVALID_ARGUMENT
        self.assertRefused(bad, "text: 4097 bytes, at most 4096 are right", text="a" * 4097)
        self.assertRefused(bad, "text: nothing in it can be spoken", text="\u2603!")
        self.assertRefused(bad, "voice: \"bob\", one of slt, rms, awb", text="a", voice="bob")
        self.assertRefused(bad, "speed: 9", text="a", speed=9)
        self.assertRefused(bad, "policy: \"now\"", text="a", policy="now")
        self.assertRefused(bad, "stream_id", text="a", stream_id="s" * 200)
        self.assertEqual(list(self.client.say("Snow \u2603.").notes)[0][:24],
                         "text: 1 character left o")

    def test_it_tells_what_it_takes_and_is_like_every_server(self):
        voices = self.client.call("ListVoices")
        self.assertEqual(list(voices.voices), ["slt", "rms", "awb"])
        self.assertEqual((voices.default_voice, voices.max_text_bytes), ("slt", 4096))
        self.assertIn(SOURCE, self.client.services())
        self.assertEqual(self.client.health(), 1)
        check = subprocess.run([os.path.join(BIN, "a2f_source"), "--health-check",
                                self.source.address], capture_output=True, timeout=20)
        self.assertEqual(check.returncode, 0)
        done = subprocess.run([os.path.join(BIN, "a2f_source"), "serve", "--listen", "0.0.0.0:0"],
                              capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("allow-plaintext", done.stderr)

    def test_a_stop_of_the_source_ends_what_it_says(self):
        pulled = self.pull()
        self.client.say(SENTENCE)
        began = time.monotonic()
        self.assertEqual(self.source.stop(), 0)
        self.assertLess(time.monotonic() - began, 3)
        self.until(lambda: self.playing() == [], 2)
        pulled.call.cancel()
        self.source = serve(self.graph)


class LimitsTest(SourceTest):
    ARGS = ("--max-waiting", "2", "--max-speakers", "1", "--max-text-bytes", "100")

    def test_what_is_too_much_is_refused(self):
        self.client.say(SENTENCE)
        self.client.say(SENTENCE)
        self.client.say(SENTENCE)
        full = grpc.StatusCode.RESOURCE_EXHAUSTED
        self.assertRefused(full, "2 texts already wait for this avatar", text="more")
        self.assertRefused(full, "1 avatars are already speaking", text="more", stream_id="other")
        self.assertRefused(grpc.StatusCode.INVALID_ARGUMENT, "at most 100 are right", text="a" * 101)
        self.client.call("Stop")
        self.until(lambda: not self.playing())
        self.client.say("Again.")


class RefusalTest(SourceTest):
    GRAPH = ("--require-registration",)

    def test_what_anim_graph_refuses_is_the_answer(self):
        with self.assertRaises(grpc.RpcError) as refused:
            self.client.say(SENTENCE)
        self.assertIn("register", refused.exception.details())
        self.assertNotIn(refused.exception.code(),
                         (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED))
        self.graph_client.control("RegisterStream", stream_id=STREAM)
        self.client.say(SENTENCE)


class RestartTest(SourceTest):
    def kill_graph(self):
        self.graph.process.kill()
        self.graph.process.wait()
        self.graph.stop()
        self.graph_client.close()

    def start_graph(self):
        self.graph = Server("anim_graph", "--listen", f"127.0.0.1:{self.graph.port}")
        self.graph_client = Client(self.graph.address)

    def test_a_text_goes_on_when_anim_graph_comes_back(self):
        before = self.pull()
        self.client.say(" ".join([SENTENCE] * 3), request_id="long")
        self.assertTrue(before.wait_for(lambda p: p.speaks()))
        self.kill_graph()
        self.until(lambda: "lost the server" in self.source.log_text())
        self.assertRefused(grpc.StatusCode.UNAVAILABLE, "the compositor cannot be reached",
                           text="Meanwhile.")
        self.start_graph()
        pulled = self.pull()
        self.until(lambda: "long" in self.playing())
        since = len(pulled.data())
        self.assertTrue(pulled.wait_for(lambda p: p.speaks(since)))
        pulled.call.cancel()

    def test_without_anim_graph_the_caller_is_told_and_later_texts_are_said(self):
        self.kill_graph()
        began = time.monotonic()
        self.assertRefused(grpc.StatusCode.UNAVAILABLE, "the compositor cannot be reached",
                           text="Nobody hears.")
        self.assertLess(time.monotonic() - began, 7)
        self.start_graph()
        pulled = self.pull()
        self.client.say(SENTENCE)
        self.assertTrue(pulled.wait_for(lambda p: p.speaks()))
        pulled.call.cancel()


class HttpTest(SourceTest):
    """The page's way to the source, through renderer_sink view."""

    def setUp(self):
        super().setUp()
        self.view = Server("renderer_sink", "view", "--from", self.graph.address, "--http",
                           "127.0.0.1:0", "--stream-id", STREAM, "--say-to", self.source.address)
        self.http = Http(self.view.http_port)

    def tearDown(self):
        self.assertEqual(self.view.stop(), 0)
        super().tearDown()

    def post(self, path, headers=None, **fields):
        return self.http.call("POST", path, json.dumps(fields), headers)

    def test_what_is_posted_is_said(self):
        pulled = self.pull()
        status, said = self.post("/source/say", text=SENTENCE, request_id="posted")
        self.assertEqual((status, said["request_id"]), (200, "posted"))
        self.assertTrue(pulled.wait_for(lambda p: p.speaks()))
        self.assertEqual(self.post("/source/stop"), (200, {"texts": 1}))
        self.assertEqual(self.http.call("GET", "/source/voices")[1]["max_text_bytes"], 4096)
        pulled.call.cancel()

    def test_errors_are_those_of_the_source(self):
        status, reply = self.post("/source/say", text="!")
        self.assertEqual(status, 400)
        self.assertIn("nothing in it can be spoken", reply["error"])
        status, reply = self.post("/source/say", txt="a")
        self.assertEqual(status, 400)
        self.assertIn("txt", reply["error"])
        self.source.stop()
        status, reply = self.post("/source/say", text="Nobody there.")
        self.assertEqual(status, 503)
        self.assertIn(f"the source at {self.source.address} does not answer", reply["error"])
        self.source = serve(self.graph, "--listen", self.source.address)
        self.until(lambda: self.post("/source/say", text="Back again.")[0] == 200)

    def test_foreign_pages_may_not_speak(self):
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            self.assertEqual(self.post("/source/say", headers, text="Evil words.")[0], 403)
        own = {"Origin": f"http://127.0.0.1:{self.view.http_port}"}
        self.assertEqual(self.post("/source/say", own, text="Good words.")[0], 200)

    def test_without_a_source_there_is_no_such_path(self):
        view = Server("renderer_sink", "view", "--from", self.graph.address, "--http", "127.0.0.1:0")
        self.assertEqual(Http(view.http_port).raw("POST", "/source/say", "{}")[0], 404)
        self.assertEqual(view.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
