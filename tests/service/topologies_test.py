"""A source and a sink with no compositor between them, either way round, and foreign clients of both."""

import base64
import concurrent.futures
import json
import os
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import grpc

from http_client import Frames
from packed import varint
from posewire_test import (BIN, PULL, PUSH, SERVICE, Client, Collector, Server, clip, header, keys,
                           spoken, tool, until)

TEXT = "Good morning, this is a sentence for two processes alone."
STREAM, REQUEST = "duo", "one"
IDS = ("--stream-id", STREAM, "--request-id", REQUEST)


def run(*command, **options):
    done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], capture_output=True,
                          text=True, timeout=60, **options)
    assert done.returncode == 0, done.stderr
    return done


def parts(path, field):
    """One part of each message of a .jsonl clip that is there so far."""
    # Read whole: a file object goes on behind the half line at the end of a file that grows.
    with open(path) as f:
        lines = [json.loads(line) for line in f.read().splitlines(True) if line.endswith("\n")]
    return [line[field] for line in lines if field in line]


def data(path):
    """Without the entry by which play says which clip it is."""
    found = parts(path, "animationData")
    for one in found:
        one.get("metadata", {}).pop("posewire.contributions", None)
        if not one.get("metadata"):
            one.pop("metadata", None)
    return found


def voice(path):
    return b"".join(base64.b64decode(d["audio"].get("audioBuffer", "")) for d in data(path)
                    if "audio" in d)


class TopologyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.clip = cls.path("clip.jsonl")
        run("a2f_source", "say", TEXT, "--out", cls.clip, *IDS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def start(self, *args):
        server = Server(*args)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server

    def source(self, *args, command=None):
        command = command or ("play", self.clip)
        return self.start("a2f_source", *command, "--to", "none", *args)

    def sink(self, name, *args):
        return self.start("renderer_sink", "record", self.path(name), "--from", "none", *args)

    def client(self, server, **options):
        client = Client(server.address, **options)
        self.addCleanup(client.close)
        return client

    def until(self, condition, server, timeout=15):
        self.assertTrue(until(condition, timeout),
                        f"not within {timeout} s: {server.log_text()[-1500:]}")

    def assertSame(self, take):
        """Pose and voice are those of the clip, bit for bit."""
        self.assertEqual(voice(take), voice(self.clip))
        self.assertGreater(len(voice(take)), 50000)
        self.assertEqual(data(take), data(self.clip))


class SourceToSink(TopologyTest):
    def test_a_sink_pulls_from_a_source(self):
        source = self.source(*IDS)
        take = self.path("pulled.jsonl")
        run("renderer_sink", "record", take, "--from", source.address, *IDS, "--until-end")
        self.assertEqual(source.process.wait(10), 0, source.log_text())
        self.assertSame(take)
        self.assertEqual(parts(take, "status")[-1].get("code", "SUCCESS"), "SUCCESS")

    def test_a_source_pushes_to_a_sink(self):
        sink = self.sink("pushed.jsonl", "--until-end")
        done = run("a2f_source", "play", self.clip, "--to", sink.address, "--rate", "burst", *IDS)
        self.assertIn(f"SUCCESS: {len(data(self.clip))} messages accepted", done.stderr)
        self.assertEqual(sink.process.wait(10), 0, sink.log_text())
        self.assertSame(self.path("pushed.jsonl"))

    def test_a_pull_is_a_second_reader_of_what_is_pushed(self):
        sink = self.sink("first.jsonl", "--until-end")
        source = self.start("a2f_source", "play", self.clip, "--to", sink.address, *IDS)
        run("renderer_sink", "record", self.path("second.jsonl"), "--from", source.address, *IDS,
            "--until-end")
        self.assertEqual(source.process.wait(10), 0, source.log_text())
        self.assertEqual(sink.process.wait(10), 0, sink.log_text())
        self.assertSame(self.path("first.jsonl"))
        # It may have come after the first words.
        self.assertTrue(voice(self.clip).endswith(voice(self.path("second.jsonl"))))

    def test_a_file_beside_pulls_waits_for_the_first_of_them_too(self):
        written = self.path("written.jsonl")
        source = self.source("--out", written, *IDS)
        self.assertFalse(os.path.exists(written))
        run("renderer_sink", "record", self.path("beside.jsonl"), "--from", source.address, *IDS,
            "--until-end")
        self.assertEqual(source.process.wait(10), 0, source.log_text())
        self.assertSame(written)
        self.assertSame(self.path("beside.jsonl"))

    def test_a_source_that_is_stopped_says_so(self):
        sink = self.sink("stopped.jsonl", "--until-end")
        source = self.start("a2f_source", "play", self.clip, "--loop", "--to", sink.address,
                            *IDS)
        window = Collector(self.client(source).pull(STREAM, REQUEST)).wait_started()
        self.assertTrue(window.wait_for(lambda c: len(c.data()) > 5))
        self.assertEqual(source.stop(), 143)
        self.assertEqual(sink.process.wait(10), 0, sink.log_text())
        last = parts(self.path("stopped.jsonl"), "status")[-1]
        self.assertEqual(last, {"code": "INFO", "message": "the source was stopped"})
        window.join(10)
        self.assertEqual(window.statuses()[-1].code, 1)  # INFO

    def test_a_burst_waits_for_who_pulls_it(self):
        source = self.source("--rate", "burst", *IDS)
        began = time.monotonic()
        run("renderer_sink", "record", self.path("burst.jsonl"), "--from", source.address, *IDS,
            "--until-end")
        self.assertLess(time.monotonic() - began, 2.5)
        self.assertSame(self.path("burst.jsonl"))

    def test_a_sink_takes_one_push_after_the_other(self):
        sink = self.sink("two.jsonl")
        for request in ("first", "second"):
            run("a2f_source", "play", self.clip, "--to", sink.address, "--rate", "burst",
                "--stream-id", STREAM, "--request-id", request)
        self.until(lambda: sink.log_text().count("a push has ended") == 2
                   and len(data(self.path("two.jsonl"))) == 2 * len(data(self.clip)), sink)
        self.assertEqual(sink.stop(), 0)
        self.assertEqual(len(voice(self.path("two.jsonl"))), 2 * len(voice(self.clip)))


class RawServer(grpc.GenericRpcHandler):
    """Takes a push, and keeps the bytes of its messages as they came."""

    def __init__(self):
        self.messages = []
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), [self])
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def service(self, details):
        return grpc.stream_unary_rpc_method_handler(self.push) if details.method == PUSH else None

    def push(self, messages, context):
        self.messages += messages
        return b""  # SUCCESS


class UnknownFields(TopologyTest):
    """What no build knows yet goes on from a file as it lies there."""

    FIELD = varint(3000 << 3 | 2) + varint(15) + b"from the future"

    def records(self, path):
        with open(path, "rb") as f:
            rest, out = f.read(), []
        while rest:
            size = shift = used = 0
            while True:
                size |= (rest[used] & 0x7f) << shift
                shift, used = shift + 7, used + 1
                if rest[used - 1] < 0x80:
                    break
            message = rest[used:used + size]
            if not message.startswith(b"\xc2\x3e"):  # a record of checksums (docs/formats.md)
                out.append(message)
            rest = rest[used + size:]
        return out

    def setUp(self):
        plain, self.future = self.path("plain.animdata"), self.path("future.animdata")
        run("animclip", "convert", self.clip, plain)
        header, *others = self.records(plain)
        header = self.within(header)
        self.messages = [header] + [self.within(m) + self.FIELD for m in others]
        with open(self.future, "wb") as f:
            for m in self.messages:
                f.write(varint(len(m)) + m)

    def within(self, message):
        """The field at the end of the header, data or status that is the message."""
        used = 1
        while message[used] >= 0x80:
            used += 1
        part = message[used + 1:] + self.FIELD
        return message[:1] + varint(len(part)) + part

    def assertPassed(self, messages):
        self.assertEqual(messages[1:], self.messages[1:])
        self.assertTrue(messages[0].endswith(self.FIELD))

    def test_through_play_to_a_push(self):
        server = RawServer()
        self.addCleanup(lambda: server.server.stop(0).wait())
        run("a2f_source", "play", self.future, "--no-identify", "--to", server.address, "--rate", "burst", *IDS)
        self.assertPassed(server.messages)

    def test_through_play_to_a_file(self):
        out = self.path("out.animdata")
        run("a2f_source", "play", self.future, "--no-identify", "--out", out, *IDS)
        self.assertPassed(self.records(out))


class ForeignClients(TopologyTest):
    def grpcurl(self, *args, **options):
        return subprocess.run([tool("grpcurl"), "-plaintext", *args], capture_output=True,
                              text=True, timeout=60, **options)

    def test_grpcurl_lists_and_pulls_from_a_source(self):
        source = self.source(*IDS)
        self.assertIn(SERVICE, self.grpcurl(source.address, "list").stdout.split())
        self.assertIn("SERVING", self.grpcurl(source.address, "grpc.health.v1.Health/Check").stdout)
        pulled = self.grpcurl("-d", json.dumps({"stream_id": STREAM}), source.address,
                              PULL.strip("/"))
        self.assertEqual(pulled.returncode, 0, pulled.stderr)
        take = self.path("grpcurl.json")
        with open(take, "w") as f:
            f.write(pulled.stdout)
        run("animclip", "validate", take)
        fixed = self.path("grpcurl.jsonl")
        run("animclip", "convert", take, fixed, "--request-id", REQUEST)
        self.assertEqual(voice(fixed), voice(self.clip))
        self.assertEqual(source.process.wait(10), 0)

    def test_grpcurl_pushes_to_a_sink(self):
        sink = self.sink("foreign.jsonl", "--until-end")
        self.assertIn(SERVICE, self.grpcurl(sink.address, "list").stdout.split())
        with open(self.clip) as f:
            pushed = self.grpcurl("-d", "@", sink.address, PUSH.strip("/"), input=f.read())
        self.assertEqual(pushed.returncode, 0, pushed.stderr)
        self.assertIn("messages accepted", pushed.stdout)
        self.assertEqual(sink.process.wait(10), 0, sink.log_text())
        self.assertSame(self.path("foreign.jsonl"))

    def test_what_a_process_does_not_serve_says_who_does(self):
        source = self.client(self.source(*IDS))
        with self.assertRaises(grpc.RpcError) as refused:
            source.push(clip(source, STREAM, "r", 1))
        self.assertEqual(refused.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertIn("renderer_sink", refused.exception.details())
        sink = self.client(self.sink("none.jsonl"))
        with self.assertRaises(grpc.RpcError) as refused:
            list(sink.pull(STREAM))
        self.assertEqual(refused.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertIn("a2f_source", refused.exception.details())
        idle = self.client(self.start("renderer_sink", "record", self.path("idle.jsonl"),
                                      "--from", "127.0.0.1:1", "--stream-id", STREAM))
        with self.assertRaises(grpc.RpcError) as refused:
            idle.push(clip(idle, STREAM, "r", 1))
        self.assertIn("--from none", refused.exception.details())


class Pulls(TopologyTest):
    def assertEnds(self, call, code, *words, **options):
        with self.assertRaises(grpc.RpcError) as ended:
            list(call)
        self.assertEqual(ended.exception.code(), code, ended.exception.details())
        for word in words:
            self.assertIn(word, ended.exception.details())

    def test_ids_that_do_not_fit_are_refused(self):
        client = self.client(self.source(*IDS, "--target-id", "avatar"))
        self.assertEnds(client.pull("other"), grpc.StatusCode.NOT_FOUND, "other", STREAM)
        self.assertEnds(client.pull(""), grpc.StatusCode.INVALID_ARGUMENT, "stream_id")
        self.assertEnds(client.pull(STREAM, metadata=[("x-stream-id", "other")]),
                        grpc.StatusCode.INVALID_ARGUMENT, "x-stream-id")
        first = Collector(client.pull(STREAM)).wait_started()
        self.assertEnds(client.pull(STREAM, REQUEST, "nobody"),
                        grpc.StatusCode.INVALID_ARGUMENT, "avatar", "nobody")
        first.call.cancel()

    def test_a_late_pull_joins_live_behind_a_header(self):
        source = self.source(*IDS)
        client = self.client(source)
        first = Collector(client.pull(STREAM, REQUEST))
        self.assertTrue(first.wait_for(lambda c: len(c.data()) > 30))
        late = Collector(client.pull(STREAM))
        first.join(20)
        late.join(20)
        self.assertIsNone(first.error)
        self.assertIsNone(late.error)
        self.assertEqual(first.audio(), voice(self.clip))
        head = late.messages[0].animation_data_stream_header
        self.assertEqual(head.animation_ids.stream_id, STREAM)
        self.assertEqual(head.animation_ids.request_id, "")
        self.assertGreater(head.start_time_code_since_epoch, 1e9)
        self.assertEqual(head.start_time_code_since_epoch,
                         first.messages[0].animation_data_stream_header.start_time_code_since_epoch)
        self.assertGreater(len(late.data()), 30)
        self.assertLess(len(late.data()), len(first.data()) - 20)
        self.assertTrue(first.audio().endswith(late.audio()))
        self.assertEqual(first.statuses()[-1].code, 0)
        self.assertEqual(late.statuses()[-1].code, 0)
        self.assertEqual(source.process.wait(10), 0)

    def test_a_pull_by_stream_goes_on_over_texts_and_their_requests_are_remembered(self):
        source = self.source("--stream-id", STREAM, command=("serve",))
        client = self.client(source)
        say = client.method("/posewire.source.v1.SourceService/Say")
        text = client.type("posewire.source.v1.SayRequest")
        with self.assertRaises(grpc.RpcError) as unheard:
            say(text(text="Nobody hears this."), timeout=10)
        self.assertEqual(unheard.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIn("no client pulls", unheard.exception.details())
        stream = Collector(client.pull(STREAM))
        window = Collector(client.pull(STREAM, "second"))
        say(text(text="One.", request_id="first"), timeout=10)
        say(text(text="Two.", request_id="second"), timeout=10)
        window.join(20)
        self.assertIsNone(window.error)
        self.assertEqual(window.statuses()[-1].code, 0)
        self.assertTrue(stream.wait_for(lambda c: len(c.audio()) >= len(window.audio())))
        self.assertTrue(stream.wait_for(lambda c: c.audio().endswith(window.audio())))
        codes = [w.time_code for d in stream.data() for w in d.skel_animation.blend_shape_weights]
        self.assertEqual(codes, sorted(set(codes)))
        self.assertEqual(sum(m.HasField("animation_data_stream_header") for m in stream.messages), 1)
        # Over, and remembered.
        again = list(client.pull(STREAM, "first", timeout=10))
        self.assertEqual(len(again), 2)
        self.assertTrue(again[0].HasField("animation_data_stream_header"))
        self.assertEqual(again[1].status.code, 0)
        self.assertEqual(source.stop(), 0)
        stream.join(10)
        self.assertEqual(stream.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(stream.statuses()[-1].code, 1)

    def test_who_does_not_read_is_sent_away_and_disturbs_nobody(self):
        source = self.source("--loop", *IDS)
        good = Collector(self.client(source).pull(STREAM))
        slow = self.client(source, **{"grpc.http2.bdp_probe": 0, "grpc.http2.lookahead_bytes": 1024,
                                      "grpc.use_local_subchannel_pool": 1}).pull(STREAM)
        next(iter(slow))
        self.assertTrue(good.wait_for(lambda c: c.times and c.times[-1] - c.times[0] > 12, 30))
        self.assertIsNone(good.error)
        steps = [b - a for a, b in zip(good.times, good.times[1:])]
        self.assertLess(max(steps), 1)
        with self.assertRaises(grpc.RpcError) as sent_away:
            list(slow)
        self.assertEqual(sent_away.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn(("grpc-retry-pushback-ms", "5000"),
                      [tuple(m) for m in sent_away.exception.trailing_metadata()])
        self.assertEqual(source.stop(), 143)

    def test_a_sink_that_is_killed_leaves_the_source_alone(self):
        source = self.source(*IDS)
        sink = subprocess.Popen([os.path.join(BIN, "renderer_sink"), "print", "--from",
                                 source.address, "--stream-id", STREAM], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        self.addCleanup(sink.stdout.close)
        for _ in range(20):
            self.assertTrue(sink.stdout.readline())
        sink.kill()
        sink.wait()
        rest = Collector(self.client(source).pull(STREAM))
        rest.join(20)
        self.assertIsNone(rest.error)
        self.assertTrue(voice(self.clip).endswith(rest.audio()))
        self.assertGreater(len(rest.audio()), 10000)
        self.assertEqual(source.process.wait(10), 0)

    def test_a_source_that_is_killed_is_called_again(self):
        source = self.source("--loop", *IDS)
        take = self.path("again.jsonl")
        sink = subprocess.Popen([os.path.join(BIN, "renderer_sink"), "record", take, "--from",
                                 source.address, "--stream-id", STREAM, "--until-end"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(sink.kill)
        self.until(lambda: os.path.exists(take) and len(data(take)) > 15, source)
        source.process.kill()
        source.process.wait()
        second = self.source(*IDS, "--listen", source.address)
        self.assertEqual(second.process.wait(20), 0)
        self.assertEqual(sink.wait(20), 0)
        self.assertTrue(voice(take).endswith(voice(self.clip)))


class Pushes(TopologyTest):
    def test_refusals_are_those_of_anim_graph(self):
        sink = self.sink("refused.jsonl", "--stream-id", STREAM)
        client = self.client(sink)

        def refused(messages, code, *words, **options):
            with self.assertRaises(grpc.RpcError) as caught:
                client.push(messages, **options)
            self.assertEqual(caught.exception.code(), code, caught.exception.details())
            for word in words:
                self.assertIn(word, caught.exception.details())

        head = header(client, STREAM, "bad")
        wrong, failed = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION
        refused([header(client, "other", "r")], grpc.StatusCode.NOT_FOUND, "other", STREAM)
        refused([keys(client, 0, 1)], failed, "before the header")
        refused([], failed, "before its header")
        refused([head, head], wrong, "second header")
        bad = keys(client, 0, 1)
        bad.animation_data.skel_animation.blend_shape_weights[0].values[0] = float("nan")
        refused([header(client, STREAM, "nan"), bad], wrong, "jawOpen", "nan")
        refused([head], wrong, "x-posewire-mode", metadata=[("x-posewire-mode", "fast")])
        refused([head], wrong, "x-stream-id", metadata=[("x-stream-id", "other")])
        answer = client.push(clip(client, STREAM, "good", 30))
        self.assertEqual((answer.code, answer.message), (0, "30 messages accepted"))
        self.until(lambda: len(data(self.path("refused.jsonl"))) == 30, sink)
        self.assertEqual(sink.stop(), 0)

    def test_a_request_that_goes_on_is_neither_doubled_nor_cut(self):
        sink = self.sink("resumed.jsonl", "--until-end")
        client = self.client(sink)
        messages = list(clip(client, STREAM, "r", 90))
        gone = threading.Event()

        def broken():
            yield from messages[:50]
            gone.wait(30)

        call = client.method(PUSH).future(broken(), timeout=30)
        self.until(lambda: len(data(self.path("resumed.jsonl"))) == 49, sink)
        with self.assertRaises(grpc.RpcError) as twice:
            client.push([messages[0]])
        self.assertEqual(twice.exception.code(), grpc.StatusCode.ALREADY_EXISTS)
        call.cancel()
        gone.set()
        self.until(lambda: "lost" in sink.log_text(), sink)
        again = client.method(PUSH).future(iter([messages[0], *messages[30:]]), timeout=30,
                                           metadata=[("x-posewire-resume", "1")])
        self.assertEqual(again.result().code, 0)
        held = dict(again.initial_metadata())["x-posewire-held-s"]
        self.assertAlmostEqual(float(held), 48 / 30, delta=1e-6)
        self.assertEqual(sink.process.wait(10), 0, sink.log_text())
        self.assertEqual(spoken(voice(self.path("resumed.jsonl")), 90 * 16000 // 30), 0)
        self.assertEqual(len(voice(self.path("resumed.jsonl"))), 2 * 90 * 16000 // 30)

    def test_a_source_that_is_killed_makes_room_for_the_next(self):
        sink = self.sink("killed.jsonl")
        source = subprocess.Popen([os.path.join(BIN, "a2f_source"), "play", self.clip, "--to",
                                   sink.address, *IDS], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(source.kill)
        self.until(lambda: len(data(self.path("killed.jsonl"))) > 20, sink)
        source.kill()
        source.wait()
        self.until(lambda: "source of the request was lost" in sink.log_text(), sink)
        run("a2f_source", "play", self.clip, "--to", sink.address, "--rate", "burst",
            "--stream-id", STREAM, "--request-id", "next")
        whole = voice(self.clip)
        self.until(lambda: voice(self.path("killed.jsonl")).endswith(whole), sink)
        self.assertEqual(sink.stop(), 0)

    def test_a_sink_that_is_killed_is_called_again(self):
        sink = self.sink("before.jsonl")
        source = subprocess.Popen([os.path.join(BIN, "a2f_source"), "play", self.clip, "--to",
                                   sink.address, *IDS], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(source.kill)
        self.until(lambda: len(data(self.path("before.jsonl"))) > 20, sink)
        sink.process.kill()
        sink.process.wait()
        second = self.sink("after.jsonl", "--until-end", "--listen", sink.address)
        self.assertEqual(source.wait(20), 0)
        self.assertEqual(second.process.wait(10), 0)
        after = voice(self.path("after.jsonl"))
        self.assertTrue(after and voice(self.clip).endswith(after))

    def test_a_vmc_sink_plays_a_burst_by_its_codes(self):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(receiver.close)
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(0.1)
        sink = self.start("renderer_sink", "vmc", "--from", "none", "--until-end", "--to",
                          f"127.0.0.1:{receiver.getsockname()[1]}")
        seconds = len(voice(self.clip)) / 2 / 16000
        began = time.monotonic()
        run("a2f_source", "play", self.clip, "--to", sink.address, "--rate", "burst", *IDS)
        self.assertLess(time.monotonic() - began, seconds / 2)
        jaws = 0
        while sink.process.poll() is None:
            try:
                jaws += b"/VMC/Ext/Blend/Val" in receiver.recv(65536)
            except socket.timeout:
                pass
        self.assertEqual(sink.process.returncode, 0, sink.log_text())
        self.assertGreater(time.monotonic() - began, seconds - 0.2)
        self.assertGreater(jaws, 20 * seconds)

    def test_a_sink_that_stops_tells_its_pusher(self):
        sink = self.sink("stopped.jsonl", "--duration", "0.5")
        done = run("a2f_source", "play", self.clip, "--to", sink.address, *IDS)
        self.assertIn("the sink has all that it wants", done.stderr)
        self.assertEqual(sink.process.wait(10), 0)


class Views(TopologyTest):
    """Pages that show what is pushed."""

    def view(self, *args):
        return self.start("renderer_sink", "view", "--from", "none", "--http", "127.0.0.1:0", *args)

    def viewer(self, view):
        viewer = Frames(view.http_port)
        self.addCleanup(viewer.close)
        self.assertTrue(viewer.wait(lambda v: v.last("hello")))
        return viewer

    def heard(self, viewer, avatar=0):
        """The voice of all frames so far."""
        out = b""
        for frame in viewer.frames:
            samples, = struct.unpack_from("<I", frame, 20)
            if frame[1] == avatar and samples:
                out += frame[-2 * samples:]
        return out

    def states(self, viewer):
        return [(t["stream_id"], t["state"]) for t in viewer.texts if t["type"] == "state"]

    def push(self, view, stream, *args):
        source = subprocess.Popen([os.path.join(BIN, "a2f_source"), "play", self.clip, "--to",
                                   view.address, "--stream-id", stream, "--request-id", "r", *args],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (source.kill(), source.wait()))
        return source

    def test_a_burst_is_played_by_its_codes_and_held_for_downloads(self):
        view = self.view()
        viewer = self.viewer(view)
        whole = voice(self.clip)
        seconds = len(whole) / 2 / 16000
        began = time.time()
        run("a2f_source", "play", self.clip, "--to", view.address, "--rate", "burst", *IDS)
        self.assertLess(time.time() - began, seconds / 2)
        self.assertTrue(viewer.wait(lambda v: v.last("layout")))
        layout = viewer.last("layout")
        # Code 0 is when it plays, whatever the source's clock says.
        self.assertAlmostEqual(layout["epoch_s"], time.time(), delta=2)
        self.assertTrue(viewer.wait(lambda v: self.states(v)[-2:] == [(STREAM, "connected"),
                                                                      (STREAM, "waiting")]))
        self.assertGreater(time.time() - began, seconds - 0.2)
        self.assertEqual(self.heard(viewer), whole)
        # A second request on the same avatar, behind the first.
        run("a2f_source", "play", self.clip, "--to", view.address, "--rate", "burst",
            "--stream-id", STREAM, "--request-id", "second")
        self.assertTrue(viewer.wait(lambda v: len(self.heard(v)) == 2 * len(whole)))
        second_s = viewer.last("layout")["epoch_s"]
        self.assertGreater(second_s, layout["epoch_s"] + seconds - 0.2)
        url = f"http://127.0.0.1:{view.http_port}/avatars/0/clip.wav"
        with urllib.request.urlopen(f"{url}?to={second_s - 0.01}") as reply:
            self.assertEqual(reply.read()[44:], whole)
        self.assertTrue(viewer.wait(lambda v: v.last("stats")["frames"] > 2 * 30 * seconds - 10))
        self.assertEqual(viewer.last("stats")["reconnections"], 0)
        self.assertEqual(view.stop(), 0)

    def test_each_stream_is_an_avatar_and_one_that_is_over_makes_room(self):
        view = self.view("--most-avatars", "2")
        viewer = self.viewer(view)
        first, second = self.push(view, "one", "--loop"), self.push(view, "two")
        self.assertTrue(viewer.wait(lambda v: {f[1] for f in v.frames} == {0, 1}))
        client = self.client(view)
        with self.assertRaises(grpc.RpcError) as full:
            client.push(clip(client, "three", "r", 30))
        self.assertEqual(full.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn("--most-avatars", full.exception.details())
        self.assertEqual(second.wait(20), 0)
        self.assertTrue(viewer.wait(lambda v: self.states(v)[-1] == ("two", "waiting")))
        self.assertEqual(client.push(clip(client, "three", "r", 30)).code, 0)
        self.assertTrue(viewer.wait(lambda v: ("three", "connected") in self.states(v)))
        self.assertIsNone(first.poll())
        self.assertEqual(view.stop(), 0)

    def test_the_streams_that_are_named_alone_are_taken(self):
        view = self.view("--stream-id", "one", "--stream-id", "two")
        client = self.client(view)
        with self.assertRaises(grpc.RpcError) as other:
            client.push(clip(client, "three", "r", 30))
        self.assertEqual(other.exception.code(), grpc.StatusCode.NOT_FOUND)
        self.assertIn('"one", "two"', other.exception.details())
        self.assertEqual(client.push(clip(client, "two", "r", 30)).code, 0)

    def test_a_page_that_asks_the_graph_is_told_that_there_is_none(self):
        viewer = self.viewer(self.view())
        viewer.send(json.dumps({"id": 7, "call": "ListGestures"}))
        self.assertTrue(viewer.wait(lambda v: v.last("answer")))
        self.assertEqual(viewer.last("answer")["status"], "UNIMPLEMENTED")
        self.assertIn("no anim_graph", viewer.last("answer")["error"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
