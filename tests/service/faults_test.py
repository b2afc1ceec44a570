"""Hostile and unlucky callers: each gets its answer, and the stream beside it never notices."""

import os
import signal
import struct
import subprocess
import sys
import time
import unittest

import grpc

from posewire_test import (PUSH, Client, Collector, GraphTest, Server, clip, header, keys, spoken,
                           until)

IA = grpc.StatusCode.INVALID_ARGUMENT
RE = grpc.StatusCode.RESOURCE_EXHAUSTED
FP = grpc.StatusCode.FAILED_PRECONDITION


class Faults(GraphTest):
    ARGS = ("--graph", "passthrough", "--silence-timeout-s", "3")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.witness_client = Client(cls.server.address)
        cls.witness = Collector(cls.witness_client.pull("witness", timeout=600)).wait_started()

    @classmethod
    def tearDownClass(cls):
        try:
            cls.check_witness()
        finally:
            cls.witness_client.close()
            super().tearDownClass()

    @classmethod
    def check_witness(cls):
        """The undisturbed stream: hardly a tick lost, and that for a busy machine only."""
        codes = [d.skel_animation.rotations[0].time_code for d in cls.witness.data()]
        assert cls.witness.error is None, cls.witness.error
        steps = [b - a for a, b in zip(codes, codes[1:])]
        lost = round((codes[-1] - codes[0]) * 30) + 1 - len(codes)
        told = f"{len(codes)} frames, {lost} lost, widest {max(steps)}"
        assert len(codes) > 100 and max(steps) < 0.5 and lost <= 0.05 * len(codes), told

    def header(self, request="r", **options):
        return header(self.client, f"faults-{request}", request, **options)

    def data(self, **change):
        return keys(self.client, 0, 1)

    def test_case_01_not_a_number(self):
        for spoil in (lambda s: s.rotations[0].values[1].__setattr__("i", float("nan")),
                      lambda s: s.blend_shape_weights[0].values.__setitem__(1, float("inf")),
                      lambda s: s.rotations[0].__setattr__("time_code", float("nan"))):
            bad = self.data()
            spoil(bad.animation_data.skel_animation)
            self.assertRefused([self.header("nan"), bad], IA)
        bad = self.data()
        bad.animation_data.skel_animation.rotations[0].values[1].i = float("nan")
        self.assertRefused([self.header("nan"), bad], IA, "rotations", "l_shoulder", "nan")

    def test_case_02_off_unit_length(self):
        bad = self.data()
        bad.animation_data.skel_animation.rotations[0].values[0].real = 1.2
        self.assertRefused([self.header("unit"), bad], IA, "rotations", "skullbase")
        near = self.data()
        near.animation_data.skel_animation.rotations[0].values[1].real = 1.005
        answer = self.client.push([self.header("near"), near])
        self.assertIn("1 rotations normalised", answer.message)

    def test_case_04_array_length(self):
        bad = self.data()
        bad.animation_data.skel_animation.blend_shape_weights[0].values.append(1)
        self.assertRefused([self.header("len"), bad], IA, "blend_shape_weights", "3", "2")

    def test_case_05_header_order(self):
        self.assertRefused([self.data()], FP, "header")
        self.assertRefused([self.header("two"), self.header("two")], IA, "header")

    def test_case_06_time_codes(self):
        for first in (0, 1):
            self.assertRefused([self.header("time"), keys(self.client, 1, 2), keys(self.client, first,
                                                                                  first + 1)],
                               IA, "time_code")

    def test_case_08_names(self):
        self.assertRefused([self.header("dup", joints=["a/skullbase", "a/skullbase"]), self.data()], IA,
                           "skullbase")
        self.assertRefused([self.header("none", joints=["nobody"], shapes=["nothing"])], IA, "nobody")

    def test_case_10_ids(self):
        for bad in ("", "x" * 129, "a\nb", "x" * 10000):
            self.assertRefused([header(self.client, bad, "r")], IA, "stream_id")
        raw = self.header("utf").SerializeToString().replace(b"\x03utf", b"\x03\xff\xfe\xfd")
        self.assertRefused([raw], IA)
        answer = self.client.push([header(self.client, "../x", "../../etc"), self.data()])
        self.assertEqual(answer.code, 0)
        with self.assertRaises(grpc.RpcError) as caught:
            list(self.client.pull("a\x07b"))
        self.assertEqual(caught.exception.code(), IA)
        self.assertNotIn("\x07", self.server.log_text())

    def test_case_11_stream_id_metadata(self):
        self.assertRefused([self.header("meta"), self.data()], IA, "x-stream-id",
                           metadata=[("x-stream-id", "other")])
        self.assertEqual(self.client.push([self.header("meta"), self.data()],
                                          metadata=[("x-stream-id", "faults-meta")]).code, 0)

    def test_case_12_second_push(self):
        import threading
        go = threading.Event()
        def slow():
            yield header(self.client, "twelve", "r")
            yield keys(self.client, 0, 15)
            go.wait(20)
            yield keys(self.client, 15, 45)
        pull = Collector(self.client.pull("twelve", request="r"))
        first = self.client.method(PUSH).future(slow())
        pull.wait_for_sound()
        self.assertRefused(clip(self.client, "twelve", "r", 3), grpc.StatusCode.ALREADY_EXISTS)
        go.set()
        self.assertEqual(first.result(20).code, 0)
        pull.join(20)
        self.assertIsNotNone(spoken(pull.audio(), 45 * 16000 // 30))

    def test_case_12_resume_doubles_and_loses_no_sample(self):
        import threading
        hold = threading.Event()
        def broken():
            yield header(self.client, "resume", "r")
            yield keys(self.client, 0, 30)
            hold.wait(20)
        pull = Collector(self.client.pull("resume", request="r"))
        first = self.client.method(PUSH).future(broken())
        pull.wait_for_sound()
        def rest():
            yield header(self.client, "resume", "r")
            yield keys(self.client, 20, 60)
        second = self.client.method(PUSH).with_call(rest(), metadata=[("x-posewire-resume", "1")])
        hold.set()
        self.assertEqual(second[0].code, 0)
        held = dict(second[1].initial_metadata())["x-posewire-held-s"]
        self.assertAlmostEqual(float(held), 29 / 30, delta=1e-6)
        self.assertEqual(first.exception(20).code(), grpc.StatusCode.ABORTED)
        pull.join(20)
        self.assertEqual(spoken(pull.audio(), 32000), 0)

    def test_case_17_empty_messages_by_the_million(self):
        before = self.server.memory_mb()
        # 4 MB of empty translations within one key: 28 times their size once parsed.
        values = b"\x12\x00" * 1_990_000
        key = b"\x12" + varint(len(values)) + values
        anim = b"\x0a" + varint(len(key)) + key
        raw = b"\x12" + varint(len(anim)) + anim
        self.code_of([self.header("flood"), raw])
        self.assertLess(self.server.memory_mb() - before, 40)

    def test_case_18_metadata_keys(self):
        bad = self.data()
        for i in range(2000):
            bad.animation_data.metadata[f"k{i}"].type_url = "x"
        self.assertIsNone(self.retry_hint(self.code_of([self.header("keys"), bad])))

    def test_a_full_server_says_when_to_try_again(self):
        server = Server("anim_graph", "--max-streams", "1")
        client = Client(server.address)
        first = Collector(client.pull("one")).wait_started()
        refused = Collector(client.pull("two"))
        refused.join(10)
        self.assertEqual(refused.code(), RE)
        self.assertEqual(self.retry_hint(refused.error), "5000")
        del first
        client.close()
        server.stop()

    def code_of(self, messages):
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.push(messages)
        self.assertIn(caught.exception.code(), (IA, RE))
        return caught.exception

    def retry_hint(self, error):
        return dict(error.trailing_metadata()).get("grpc-retry-pushback-ms")

    def test_case_20_message_over_the_limit(self):
        big = self.data()
        big.animation_data.audio.audio_buffer = b"\0" * (5 << 20)
        self.assertRefused([self.header("big"), big], RE)
        self.assertEqual(self.client.push([self.header("after"), self.data()]).code, 0)

    def test_case_28_a_flood_is_held_back(self):
        before = self.server.memory_mb()
        sent = []
        def flood():
            yield header(self.client, "flood", "r")
            for k in range(0, 1000 * 30, 30):
                sent.append(k)
                yield keys(self.client, k, k + 30)
        push = self.client.method(PUSH).future(flood())
        pull = Collector(self.client.pull("flood")).wait_for_sound()
        pull.wait_for_more(100)
        # 30 s are held, and what lies in the transport: 36 KB a second of both.
        self.assertLess(len(sent), 400)
        self.assertLess(self.server.memory_mb() - before, 60)
        push.cancel()
        pull.call.cancel()

    def test_case_29_a_silent_source(self):
        import threading
        over = threading.Event()
        def silent():
            yield header(self.client, "silent", "r")
            yield keys(self.client, 0, 10)
            over.wait(20)
        pull = Collector(self.client.pull("silent", request="r"))
        push = self.client.method(PUSH).future(silent())
        self.assertEqual(push.exception(20).code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        over.set()
        pull.join(10)
        self.assertEqual(pull.statuses()[-1].code, 3)
        self.assertEqual(spoken(pull.audio(), 10 * 16000 // 30), 0)

    def test_case_29_a_push_without_a_header(self):
        import threading
        over = threading.Event()
        def nothing():
            over.wait(20)
            yield from ()
        client = Client(self.server.address)
        began = time.monotonic()
        push = client.method(PUSH).future(nothing())
        self.assertEqual(push.exception(20).code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertIn("no header arrived for 3 s", push.exception().details())
        self.assertGreater(time.monotonic() - began, 2.5)
        over.set()
        client.close()

    def test_case_30_a_source_that_is_killed(self):
        script = (
            "import sys; sys.path.insert(0, sys.argv[2])\n"
            "from posewire_test import *\n"
            "c = Client(sys.argv[1])\n"
            "def go():\n"
            "    yield header(c, 'killed', 'r')\n"
            "    for k in range(0, 50, 10):\n"
            "        yield keys(c, k, k + 10)\n"
            "    sys.stdin.read()\n"
            "c.push(go())\n")
        pull = Collector(self.client.pull("killed", request="r"))
        source = subprocess.Popen([sys.executable, "-c", script, self.server.address,
                                   os.path.dirname(__file__)], stdin=subprocess.PIPE)
        self.assertTrue(pull.wait_for(lambda c: spoken(c.audio(), 20 * 16000 // 30) is not None))
        source.kill()
        source.wait()
        source.stdin.close()
        def rest():
            yield header(self.client, "killed", "r")
            yield keys(self.client, 20, 90)
        answer = self.client.push(rest(), metadata=[("x-posewire-resume", "1")])
        self.assertEqual(answer.code, 0)
        pull.join(20)
        self.assertEqual(spoken(pull.audio(), 48000), 0)

    def test_case_30_what_is_lost_rests_and_blends_out(self):
        import threading
        hold = threading.Event()
        def broken():
            yield header(self.client, "lost", "r")
            yield keys(self.client, 0, 30)
            hold.wait(20)
        pull = Collector(self.client.pull("lost", request="r"))
        push = self.client.method(PUSH).future(broken())
        pull.wait_for_sound()
        push.cancel()
        hold.set()
        pull.join(10)
        self.assertEqual(pull.statuses()[-1].code, 3)
        # By codes: a busy machine may leave out ticks, but the times stay.
        codes = [d.skel_animation.rotations[0].time_code for d in pull.data()]
        self.assertEqual(round((codes[-1] - codes[0]) * 30) + 1, 30 + 3 + 90 + 9)

    def test_case_41_compressed_messages_are_refused(self):
        bomb = self.data()
        bomb.animation_data.audio.audio_buffer = b"\0" * (3 << 20)
        before = self.server.memory_mb()
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.method(PUSH)(iter([self.header("bomb"), bomb]),
                                     compression=grpc.Compression.Gzip, timeout=20)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertLess(self.server.memory_mb() - before, 20)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


class Registration(GraphTest):
    ARGS = ("--require-registration",)

    def test_case_14_only_registered_streams_where_that_is_asked_for(self):
        def pull():
            return Collector(self.client.pull("late", timeout=20))

        refused = pull()
        refused.join(20)
        self.assertEqual(refused.code(), grpc.StatusCode.NOT_FOUND)
        self.assertIn('"late" is not registered', refused.error.details())
        self.assertRefused([header(self.client, "late", "r")], grpc.StatusCode.NOT_FOUND, "late")
        for method, fields in (("SetVariable", {"name": "posture_state", "value": "Talking"}),
                               ("SetUser", {"user": {"name": "anna"}}), ("PlaceAvatar", {}),
                               ("SetProp", {"prop": {"name": "cup"}}),
                               ("RemoveStream", {})):
            with self.assertRaises(grpc.RpcError) as caught:
                self.client.control(method, stream_id="late", **fields)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND, method)
        # Nothing was made by all that.
        self.assertEqual(len(self.client.control("ListStreams").streams), 0)
        self.client.control("RegisterStream", stream_id="late")
        welcome = pull().wait_started()
        self.assertIsNone(welcome.error)
        self.assertEqual(self.client.push(clip(self.client, "late", "r", 5)).code, 0)
        self.assertTrue(welcome.wait_for(lambda c: any(c.audio())))
        self.client.control("RemoveStream", stream_id="late")
        welcome.join(20)
        again = pull()
        again.join(20)
        self.assertEqual(again.code(), grpc.StatusCode.NOT_FOUND)

    def test_case_14_streams_are_made_otherwise(self):
        server = Server("anim_graph")
        self.addCleanup(server.stop)
        client = Client(server.address)
        self.addCleanup(client.close)
        made = Collector(client.pull("new")).wait_started()
        self.assertIsNone(made.error)
        self.assertEqual([s.stream_id for s in client.control("ListStreams").streams], ["new"])
        made.call.cancel()


class SlowConsumer(GraphTest):
    def test_case_27_a_renderer_that_never_reads(self):
        # A small window, so that the transport holds little.
        slow_client = Client(self.server.address, **{"grpc.http2.lookahead_bytes": 1024,
                                                     "grpc.http2.bdp_probe": 0})
        other = Collector(self.client.pull("slow")).wait_started()
        slow = slow_client.pull("slow", timeout=120)
        next(iter(slow))
        def ended():
            streams = self.client.control("ListStreams").streams
            return [a.pulls for s in streams if s.stream_id == "slow" for a in s.avatars] == [1]
        self.assertTrue(until(ended, 60), "the pull that is not read goes on")
        with self.assertRaises(grpc.RpcError) as caught:
            for _ in slow:
                pass
        self.assertEqual(caught.exception.code(), RE)
        # A machine that keeps the server from its CPU for a frame loses that frame; nothing else may.
        codes = [d.skel_animation.rotations[0].time_code for d in other.data()
                 if d.skel_animation.rotations]
        missed = sum(round((b - a) * 30) - 1 for a, b in zip(codes, codes[1:]))
        self.assertLess(missed, 0.05 * len(codes))
        slow_client.close()


class StoppedServer(unittest.TestCase):
    def test_case_32_stop_and_continue(self):
        server = Server("anim_graph", "--graph", "passthrough")
        client = Client(server.address)
        pull = Collector(client.pull("s")).wait_started()
        self.assertTrue(pull.wait_for(lambda c: len(c.data()) > 15))
        pause = float(os.environ.get("POSEWIRE_STOP_S", "5"))
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(pause)  # as long as it stands still
        before = len(pull.data())
        server.process.send_signal(signal.SIGCONT)
        self.assertTrue(pull.wait_for(lambda c: len(c.data()) > before + 15))
        data = pull.data()
        codes = [d.skel_animation.rotations[0].time_code for d in data]
        steps = [b - a for a, b in zip(codes, codes[1:])]
        self.assertTrue(all(s > 0 for s in steps))
        self.assertEqual(sum(s > 1 for s in steps), 1)  # one jump, and no burst of stale frames
        self.assertEqual(sum(s.code == 2 for s in pull.statuses()), 1)
        client.close()
        self.assertEqual(server.stop(), 0)

    def test_case_33_sigterm_with_a_hundred_streams(self):
        server = Server("anim_graph")
        clients = [Client(server.address, **{"grpc.use_local_subchannel_pool": 1}) for _ in range(2)]
        pulls = [Collector(clients[i % 2].pull(f"s{i}")) for i in range(100)]
        for p in pulls:
            p.wait_started()
        begin = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - begin, 10)
        for p in pulls:
            p.join(5)
            self.assertEqual(p.statuses()[-1].code, 1)
            self.assertEqual(p.code(), grpc.StatusCode.UNAVAILABLE)
        for c in clients:
            c.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
