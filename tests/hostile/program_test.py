"""What surrounds a program turns against it: limits on files, signals, closed or full standard
streams, and text that a terminal would obey."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
from http_client import Http
from posewire_test import BIN, Client, Server, free_port, until

# Sets the title, a colour by C0 and by C1, turns the text around, and forges a line.
HOSTILE = "\x1b]0;pwned\x07\x1b[31mRED\x9b31m\u202e\u2028\nforged line: valid, 5 messages"
RAW = ("\x1b", "\x07", "\x9b", "\u202e", "\u2028", "\nforged")
PROGRAMS = ("anim_graph", "a2f_source", "renderer_sink", "animclip", "loadgen")


def program(name, *args):
    return [os.path.join(BIN, name), *args]


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="posewire-program-")
        cls.clip = os.path.join(cls.shared, "say.animdata")
        subprocess.run(program("a2f_source", "say", "Good morning, all of you.", "--out", cls.clip),
                       check=True, stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="posewire-program-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, name, *args, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run(program(name, *args), cwd=self.folder, timeout=60, text=True,
                              errors="surrogateescape", **options)

    def started(self, *words, **options):
        process = subprocess.Popen(words, cwd=self.folder, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        if process.stdout:
            self.addCleanup(process.stdout.close)
        return process

    def server(self, *args, **options):
        server = Server("anim_graph", *args, **options)
        self.addCleanup(server.stop)
        return server


class FilesThatMayNotGrow(ProgramTest):
    """subprocess gives the child SIGXFSZ as a shell does: it ends a program that does not ignore it."""

    @staticmethod
    def limit(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def test_case_62_a_tool_says_so_and_leaves_nothing_behind(self):
        for name in ("out.animdata", "out.jsonl", "out.usda", "out.glb", "out.bvh"):
            done = self.run_program("animclip", "convert", self.clip, name,
                                    preexec_fn=self.limit(4096))
            self.assertEqual(done.returncode, 1, (name, done.stderr))
            self.assertIn("File too large", done.stderr)
            self.assertEqual(os.listdir(self.folder), [], name)
        done = self.run_program("animclip", "gestures", "--out", ".", preexec_fn=self.limit(4096))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([f for f in os.listdir(self.folder) if "part" in f], [])

    def test_case_62_each_program_ends_by_itself(self):
        say = self.run_program("a2f_source", "say", "Hello", "--out", "a.animdata",
                               preexec_fn=self.limit(4096))
        self.assertEqual(say.returncode, 1, say.stderr)
        self.assertIn("File too large", say.stderr)
        for name in PROGRAMS:
            with open(self.path("help.txt"), "w") as out:
                done = self.run_program(name, "--help", stdout=out, preexec_fn=self.limit(100))
            self.assertEqual(done.returncode, 1, (name, done.stderr))
            self.assertIn("standard output could not be written", done.stderr, name)

    def test_case_62_a_server_goes_on_without_its_log(self):
        with open(self.path("log"), "w") as log:
            process = self.started(
                *program("anim_graph", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"),
                stdout=subprocess.PIPE, stderr=log, preexec_fn=self.limit(2000))
        ready = json.loads(process.stdout.readline())
        client = Client(f"127.0.0.1:{ready['grpc_port']}")
        self.addCleanup(client.close)
        http = Http(ready["http_port"])

        def dropped():
            with self.assertRaises(grpc.RpcError):
                client.push([client.stream_message()])
            lines = http.raw("GET", "/metrics")[2].decode().splitlines()
            return [line for line in lines if line.startswith("posewire_log_lines_left_out_total")
                    and 'why="unread"' in line and not line.endswith(" 0")]

        self.assertTrue(until(dropped, 30))
        self.assertEqual(os.path.getsize(self.path("log")), 2000)
        process.terminate()
        self.assertEqual(process.wait(20), 0)


class Signals(ProgramTest):
    ENDS = (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT)

    def test_case_63_recordings_are_closed(self):
        server = self.server("--graph", "passthrough")
        for number, endings in ((signal.SIGHUP, ("animdata", "jsonl", "usda", "glb", "x3d", "csv",
                                                 "bvh")), (signal.SIGQUIT, ("usda",))):
            sinks = {}
            for ending in endings:
                name = f"{ending}-{number}.{ending}"
                sinks[name] = self.started(
                    *program("renderer_sink", "record", name, "--from", server.address,
                             "--stream-id", "s", "--http", "127.0.0.1:0"),
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for name, sink in sinks.items():
                http = Http(json.loads(sink.stdout.readline())["http_port"])
                self.assertTrue(until(lambda http=http: self.taken(http) >= 10), name)
                sink.send_signal(number)
            for name, sink in sinks.items():
                self.assertEqual(sink.wait(20), 0, name)
                info = self.run_program("animclip", "info", name)
                self.assertEqual(info.returncode, 0, info.stderr)
                self.assertRegex(info.stdout, r"(weights|rotations) +[1-9]\d* keys", name)

    @staticmethod
    def taken(http):
        """Messages that a sink has taken."""
        for line in http.raw("GET", "/metrics")[2].decode().splitlines():
            if line.startswith("posewire_pull_messages_total"):
                return float(line.split()[-1])
        return 0

    def test_case_63_a_server_drains(self):
        for number in self.ENDS:
            server = self.server()
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(20), 0, number)
            self.assertIn("draining", server.log_text())

    def test_case_63_a_tool_removes_what_it_has_not_finished(self):
        # A header and then empty messages, more than can be read in an hour; takes no space.
        with open(self.path("endless.animdata"), "wb") as f:
            f.write(b"\x02\x0a\x00")
            f.truncate(1 << 40)
        for number in self.ENDS:
            for name in ("out.jsonl", "out.usda"):
                process = self.started(*program("animclip", "convert", "endless.animdata", name),
                                       stderr=subprocess.DEVNULL)
                self.assertTrue(until(lambda: os.path.exists(self.path(name + ".part"))))
                process.send_signal(number)
                self.assertEqual(process.wait(20), -number)
                self.assertEqual(os.listdir(self.folder), ["endless.animdata"])

    def test_case_63_nohup_goes_on(self):
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.started(*program("anim_graph", "--listen", "127.0.0.1:0"),
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=ignore)
        port = json.loads(process.stdout.readline())["grpc_port"]
        process.send_signal(signal.SIGHUP)
        # The signal has arrived before this question.
        self.assertEqual(self.run_program("anim_graph", "--health-check",
                                          f"127.0.0.1:{port}").returncode, 0)
        self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(process.wait(20), 0)


class Terminals(ProgramTest):
    def write_clip(self, name, joint="skullbase", shape="jawOpen", key="k", status="m",
                   stream="s"):
        header = {"animationDataStreamHeader": {
            "animationIds": {"requestId": "r", "streamId": stream}, "sourceServiceId": "x",
            "skelAnimationHeader": {"joints": [joint], "blendShapes": [shape]}}}
        lines = [header]
        for t in (0.0, 0.1):
            lines.append({"animationData": {
                "skelAnimation": {"rotations": [{"timeCode": t, "values": [{"real": 1}]}],
                                  "blendShapeWeights": [{"timeCode": t, "values": [0.5]}]},
                "metadata": {key: {"@type": "type.googleapis.com/google.protobuf.StringValue",
                                   "value": "v"}}}})
        lines.append({"status": {"code": "ERROR", "message": status}})
        with open(self.path(name), "w") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)

    def assert_safe(self, *words):
        done = self.run_program(*words)
        for text in (done.stdout, done.stderr):
            for raw in RAW:
                self.assertNotIn(raw, text, words)
        return done.stdout + done.stderr

    def test_case_68_a_tool_escapes_foreign_text(self):
        self.write_clip("plain.jsonl")
        self.write_clip("joint.jsonl", joint="skullbase/" + HOSTILE)
        self.write_clip("shape.jsonl", shape=HOSTILE)
        self.write_clip("key.jsonl", key=HOSTILE)
        self.write_clip("status.jsonl", status=HOSTILE)
        self.write_clip("id.jsonl", stream="s\u202e\u2028")
        named = HOSTILE.replace("/", "") + ".jsonl"
        self.write_clip(named)
        said = ""
        for name in ("joint.jsonl", "shape.jsonl", "key.jsonl", "status.jsonl", "id.jsonl", named):
            for words in (("info", name), ("validate", name),
                          ("diff", name, "plain.jsonl", "--tracks"),
                          ("diff", "plain.jsonl", name, "--tracks", "--tolerance", "0"),
                          ("mirror", name, "m.jsonl"), ("cut", name, "c.jsonl", "--keep", HOSTILE),
                          ("concat", name, "plain.jsonl", "-o", "b.jsonl"),
                          ("concat", "plain.jsonl", name, "-o", "b.jsonl"),
                          ("convert", name, "x.usda"), ("convert", name, "x.x3d"),
                          ("convert", name, HOSTILE), ("sheet", name, "-o", "s.txt"),
                          ("plot", name, "-o", "p.svg", "--tracks", HOSTILE),
                          ("recover", name, HOSTILE + ".jsonl"), ("smooth", name, "y.jsonl"),
                          ("retime", name, "z.jsonl", "--speed", "2"), ("info", HOSTILE),
                          (HOSTILE,), ("info", "--" + HOSTILE)):
                said += self.assert_safe("animclip", *words)
        self.assertIn("\\u001b]0;pwned\\u0007", said)  # it was shown

    def test_case_68_so_do_the_others(self):
        self.write_clip("all.jsonl", joint="skullbase/" + HOSTILE, shape=HOSTILE, key=HOSTILE,
                        status=HOSTILE)
        for words in (("a2f_source", "play", "all.jsonl", "--to", "127.0.0.1:1", "--give-up-s", "1",
                       "--stream-id", "s"), ("a2f_source", HOSTILE), ("a2f_source", "say", "a", "--" + HOSTILE),
                      ("a2f_source", "play", HOSTILE, "--out", "o.jsonl"),
                      ("anim_graph", "graph", "list", HOSTILE),
                      ("anim_graph", "--health-check", HOSTILE),
                      ("renderer_sink", "render", HOSTILE, "a.mp4"),
                      ("loadgen", "--to", HOSTILE), ("loadgen", HOSTILE)):
            self.assert_safe(*words)


class StandardStreams(ProgramTest):
    def test_case_69_a_full_device_is_a_failure(self):
        graph = self.server()
        for words in (("animclip", "info", self.clip), ("animclip", "validate", self.clip),
                      ("animclip", "diff", self.clip, self.clip), ("animclip", "--help"),
                      ("animclip", "--version"), ("animclip", "info", "--help"),
                      ("animclip", "convert", self.clip, "a.jsonl"),
                      ("animclip", "convert", self.clip, "-"),
                      ("animclip", "sheet", self.clip, "-o", "a.svg"),
                      ("anim_graph", "graph", "list", "default"), ("anim_graph", "graph", "show", "default"),
                      ("anim_graph", "--health-check", graph.address),
                      ("renderer_sink", "print", "--from", graph.address, "--stream-id", "s",
                       "--duration", "1"),
                      *((name, "--help") for name in PROGRAMS),
                      *((name, "--version") for name in PROGRAMS)):
            with open("/dev/full", "w") as full:
                done = self.run_program(*words, stdout=full)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, "standard output|No space left on device", words)

    def test_case_69_a_reader_that_has_gone_is_none(self):
        for name in PROGRAMS:
            ours, theirs = os.pipe()
            os.close(ours)
            done = self.run_program(name, "--help", stdout=theirs)
            os.close(theirs)
            self.assertIn(done.returncode, (0, -signal.SIGPIPE), name)
            self.assertEqual(done.stderr, "", name)

    def test_case_71_closed_ones_are_no_sockets(self):
        def close():
            for fd in (0, 1, 2):
                os.close(fd)
        port = free_port()
        address = f"127.0.0.1:{port}"
        for words in (("anim_graph", "--listen", address),
                      ("a2f_source", "serve", "--listen", address, "--to", "none"),
                      ("renderer_sink", "view", "--from", "none", "--listen", address, "--http",
                       "127.0.0.1:0")):
            process = self.started(*program(*words), preexec_fn=close)
            self.assertTrue(until(lambda: self.run_program(
                "anim_graph", "--health-check", address).returncode == 0), words)
            self.assertEqual([os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in (0, 1, 2)],
                             ["/dev/null"] * 3, words)
            process.terminate()
            self.assertEqual(process.wait(20), 0, words)
        done = self.run_program("animclip", "convert", self.clip, "a.jsonl", preexec_fn=close,
                                stdout=None, stderr=None)
        self.assertEqual(done.returncode, 0)


class Requests(ProgramTest):
    def test_case_71_requests_that_a_proxy_might_take_for_others_are_refused(self):
        server = self.server("--http", "127.0.0.1:0")
        head = "GET /liveness HTTP/1.1\r\nHost: localhost\r\n"
        for text, status in ((head, 200), (head + "Host: localhost\r\n", 400),
                             ("GET /liveness HTTP/1.1\r\n", 400),
                             (head + "Transfer-Encoding: gzip\r\n", 501),
                             (head + "Transfer-Encoding: gzip, chunked\r\n", 501),
                             (head + "Content-Length: 0\r\nContent-Length: 0\r\n", 400)):
            with socket.create_connection(("127.0.0.1", server.http_port), timeout=20) as s:
                s.sendall((text + "\r\n").encode())
                self.assertEqual(int(s.recv(4096).split()[1]), status, text)


class Reflection(ProgramTest):
    def test_case_67_calls_that_are_held_open_keep_nobody_out(self):
        server = self.server()
        greedy = Client(server.address)
        self.addCleanup(greedy.close)
        greedy.method("/grpc.health.v1.Health/Check")
        kept, stop = [], []
        self.addCleanup(lambda: [call.cancel() for call in kept])

        def forever():
            yield greedy.ask(list="*")
            until(lambda: stop, 60)

        self.addCleanup(stop.append, True)
        codes = []
        for _ in range(40):
            kept.append(greedy.reflection(forever()))
        for call in kept:
            try:
                next(iter(call))
                codes.append(grpc.StatusCode.OK)
            except grpc.RpcError as error:
                codes.append(error.code())
        self.assertEqual(codes.count(grpc.StatusCode.OK), 8)
        self.assertEqual(codes.count(grpc.StatusCode.RESOURCE_EXHAUSTED), 32)

        def other():
            client = Client(server.address, **{"grpc.use_local_subchannel_pool": 1})
            self.addCleanup(client.close)
            return client
        self.assertIn("grpc.channelz.v1.Channelz", other().services())
        channelz = other().channel.unary_unary("/grpc.channelz.v1.Channelz/GetServers")
        self.assertTrue(channelz(b"", timeout=10))
        self.assertEqual(greedy.health(), 1)

        # A hundred connections with a call each: the newest is answered.
        crowd = [other() for _ in range(100)]
        for client in crowd:
            kept.append(client.reflection(forever()))
            self.assertTrue(next(iter(kept[-1])).listed.service)
        self.assertIn("grpc.channelz.v1.Channelz", other().services())

    def test_case_67_watches_of_health_are_counted(self):
        server = self.server()
        client = Client(server.address)
        self.addCleanup(client.close)
        watch = client.method("/grpc.health.v1.Health/Watch")
        request = client.type("grpc.health.v1.HealthCheckRequest")()
        calls = [watch(request) for _ in range(17)]
        self.addCleanup(lambda: [call.cancel() for call in calls])
        for call in calls[:16]:
            self.assertEqual(next(call).status, 1)
        with self.assertRaises(grpc.RpcError) as refused:
            next(calls[16])
        self.assertEqual(refused.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        calls[0].cancel()
        self.assertEqual(client.health(), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
