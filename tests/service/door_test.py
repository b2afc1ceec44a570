"""The front door that docker/edge ships: who comes in, what it passes on, and several anim_graph
behind it, which share a directory, and of which one dies."""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from certificates import Ca
from door import EDGE, Door
from posewire_test import BIN, Client, Server, until
from redis_server import Redis


class Doors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.ca, cls.clients = Ca(cls.home.name, "servers"), Ca(cls.home.name, "clients")
        server, key = cls.ca.issue("door")
        cls.files = (server, key, str(cls.clients.cert))
        cls.own = cls.clients.issue("kiosk")
        cls.tls = ("--server-ca", str(cls.ca.cert), "--client-cert", cls.own[0], "--client-key",
                   cls.own[1])

    def nodes(self, count, *args):
        found = []
        for _ in range(count):
            found.append(Server("anim_graph", "--http", "127.0.0.1:0", *args))
            self.addCleanup(found[-1].stop)
        return found

    def door(self, nodes, changes=()):
        door = Door([n.port for n in nodes], [n.http_port for n in nodes], self.files, changes)
        self.addCleanup(door.stop)
        return door

    def context(self, own=None):
        context = ssl.create_default_context(cafile=str(self.ca.cert))
        if own:
            context.load_cert_chain(*own)
        return context

    def start(self, *args):
        log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.addCleanup(log.close)
        process = subprocess.Popen([f"{BIN}/{args[0]}", *map(str, args[1:])], text=True,
                                   stdout=subprocess.PIPE, stderr=log)
        process.log = log
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class OneNode(Doors):
    def setUp(self):
        self.node, = self.nodes(1)
        self.one = self.door([self.node])

    def test_the_script_refuses_what_nginx_would_misread(self):
        for variables, said in (
                ({"GRAPHS": "127.0.0.1"}, '"127.0.0.1" is not HOST:PORT'),
                ({"GRAPHS": "a:1;b:2"}, '"a:1;b:2" is not HOST:PORT'),
                ({"GRAPHS": "a:1 b:2"}, "the same nodes, in the same order"),
                ({"TLS": "/a b"}, '"/a b" has characters'),
                ({"LISTEN": "8443; }"}, '"8443; }" has characters')):
            with self.subTest(variables):
                env = {**os.environ, **{f"POSEWIRE_DOOR_{k}": v for k, v in variables.items()}}
                ended = subprocess.run([EDGE / "door.sh", f"{self.home.name}/refused"], env=env,
                                       capture_output=True, text=True)
                self.assertEqual(ended.returncode, 2)
                self.assertIn(said, ended.stderr)
        self.assertEqual(subprocess.run([EDGE / "door.sh"], capture_output=True).returncode, 2)

    def test_no_name_of_the_template_is_left(self):
        text = pathlib.Path(self.one.folder.name, "nginx.conf").read_text()
        self.assertNotRegex(text, r"(?m)^[^#]*@[A-Z]+@")
        self.assertNotRegex(text, "(?m)^[^#]*/etc/posewire")

    def test_who_has_a_certificate_comes_in(self):
        out = f"{self.home.name}/said.jsonl"
        sink = self.start("renderer_sink", "record", out, "--from", self.one.address,
                          "--stream-id", "s", "--request-id", "r", *self.tls)
        said = subprocess.run(
            [f"{BIN}/a2f_source", "say", "One two three.", "--to", self.one.address, "--stream-id",
             "s", "--request-id", "r", *self.tls], capture_output=True, text=True, timeout=60)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(sink.wait(20), 0)
        self.assertIn("jawopen", pathlib.Path(out).read_text().lower())
        client = Client(self.one.address, (self.ca.cert, *self.own))
        self.addCleanup(client.close)
        self.assertEqual(client.health(), 1)
        self.assertTrue(until(lambda: "PushAnimationDataStream" in self.one.audit(), 10))
        push = next(line for line in self.one.audit().splitlines() if "PushAnimation" in line)
        self.assertIn('"who":"CN=kiosk"', push)
        self.assertIn('"stream_id":"s"', push)

    def test_http_and_web_sockets(self):
        web = http.client.HTTPSConnection("127.0.0.1", self.one.port, timeout=10,
                                          context=self.context(self.own))
        self.addCleanup(web.close)
        web.request("GET", "/streams")
        reply = web.getresponse()
        self.assertEqual(reply.status, 200)
        reply.read()
        secure = self.context(self.own).wrap_socket(
            socket.create_connection(("127.0.0.1", self.one.port), timeout=10),
            server_hostname="127.0.0.1")
        self.addCleanup(secure.close)
        secure.sendall(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                       b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                       b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        self.assertIn(b"101 Switching Protocols", secure.recv(4096))

    def test_who_has_none_stays_outside(self):
        stranger = Ca(self.home.name, "strangers").issue("somebody")
        trust = ("--server-ca", str(self.ca.cert))
        for tls in ((), trust, (*trust, "--client-cert", stranger[0], "--client-key", stranger[1])):
            with self.subTest(tls):
                sink = subprocess.run(
                    [f"{BIN}/renderer_sink", "print", "--summary", "--from", self.one.address,
                     "--stream-id", "s", "--duration", "0.3", "--give-up-s", "1", *tls],
                    capture_output=True, text=True, timeout=60)
                self.assertNotEqual(sink.returncode, 0, sink.stdout)
        for own in (None, stranger):
            web = http.client.HTTPSConnection("127.0.0.1", self.one.port, timeout=10,
                                              context=self.context(own))
            self.addCleanup(web.close)
            try:
                web.request("GET", "/streams")
                self.assertEqual(web.getresponse().status, 400)
            except (ssl.SSLError, ConnectionError):
                pass  # refused in the handshake
        self.assertEqual(self.node.process.poll(), None)
        self.assertNotIn("push opened", self.node.log_text())

    def test_calls_beyond_the_rate_are_refused(self):
        tight = self.door([self.node], (("rate=100r/s", "rate=1r/s"), ("burst=400", "burst=3")))
        web = http.client.HTTPSConnection("127.0.0.1", tight.port, timeout=10,
                                          context=self.context(self.own))
        self.addCleanup(web.close)
        codes = []
        for _ in range(10):
            web.request("GET", "/streams")
            reply = web.getresponse()
            reply.read()
            codes.append(reply.status)
        self.assertEqual(codes[:4], [200] * 4)
        self.assertIn(429, codes[4:])


class Lines(threading.Thread):
    """The frames that a `renderer_sink print` shows: when each came, and whether it had a voice."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.came = process, []
        self.start()

    def run(self):
        for line in self.process.stdout:
            if found := re.match(r"([\d.]+) s: .*audio (\d+) samples", line):
                self.came.append((time.monotonic(), int(found[2])))

    def spoke_after(self, when):
        """When the first frame with a voice came behind `when`; None while there is none."""
        return next((t for t, samples in list(self.came) if t > when and samples), None)


class ThreeNodes(Doors):
    STREAMS = 12

    def setUp(self):
        redis = Redis()
        self.addCleanup(redis.kill)
        self.three = self.nodes(3, "--directory", f"redis://127.0.0.1:{redis.port}")
        self.one = self.door(self.three)

    def streams_of(self, node):
        web = http.client.HTTPConnection("127.0.0.1", node.http_port, timeout=10)
        web.request("GET", "/streams")
        text = web.getresponse().read().decode()
        web.close()
        return {s["stream_id"] for s in json.loads(text)["streams"] if not s["server"]}

    def test_a_node_dies_and_its_streams_play_on(self):
        text = "one two three four five six seven eight nine ten " * 24
        sinks, sources = [], []
        for n in range(self.STREAMS):
            sinks.append(Lines(self.start("renderer_sink", "print", "--from", self.one.address,
                                          "--stream-id", f"s{n}", *self.tls)))
            sources.append(self.start("a2f_source", "say", text, "--to", self.one.address,
                                      "--stream-id", f"s{n}", *self.tls))
        self.assertTrue(until(lambda: all(s.spoke_after(0) for s in sinks), 60))
        held = [self.streams_of(node) for node in self.three]
        # Each stream is in one node, and no node has them all.
        self.assertEqual(sum(map(len, held)), self.STREAMS)
        self.assertEqual(len(set.union(*held)), self.STREAMS)
        self.assertGreater(sum(bool(h) for h in held), 1)
        # And HTTP finds each where gRPC put it.
        web = http.client.HTTPSConnection("127.0.0.1", self.one.port, timeout=10,
                                          context=self.context(self.own))
        self.addCleanup(web.close)
        for n in range(self.STREAMS):
            web.request("GET", f"/streams/s{n}/animation_graphs/avatar/variables")
            reply = web.getresponse()
            self.assertEqual(reply.status, 200, reply.read())
            reply.read()
        dead = max(range(3), key=lambda k: len(held[k]))
        self.three[dead].process.send_signal(signal.SIGKILL)
        died = time.monotonic()
        moved = [sinks[int(name[1:])] for name in held[dead]]
        stayed = [s for s in sinks if s not in moved]
        self.assertTrue(until(lambda: all(s.spoke_after(died + 0.5) for s in moved), 20),
                        [s.process.log.name for s in moved])
        took = []
        for sink in moved:
            before = max((t for t, samples in sink.came if t <= died + 0.3 and samples), default=0)
            took.append(sink.spoke_after(died + 0.3) - before)
        print(f"{len(moved)} streams of the node that died: silent for "
              f"{min(took):.2f} to {max(took):.2f} s", flush=True)
        self.assertLess(max(took), 5)
        for sink in stayed:
            times = [t for t, _ in sink.came if died - 1 < t < died + 3]
            self.assertLess(max((b - a for a, b in zip(times, times[1:])), default=9), 1)
        left = [self.streams_of(n) for k, n in enumerate(self.three) if k != dead]
        self.assertEqual(sum(len(h) for h in left), self.STREAMS)
        for source in sources:
            self.assertIsNone(source.poll(), pathlib.Path(source.log.name).read_text()[-2000:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
