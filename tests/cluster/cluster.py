"""Three nodes of anim_graph with one Redis and an Envoy in front of them, each on a machine of its own."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "service"))
sys.path.insert(0, str(HERE))

import network  # noqa: E402
from certificates import Ca  # noqa: E402
from envoy_door import ENVOY, EnvoyDoor  # noqa: E402
from posewire_test import CONTROL, Client, Server, free_port, tool, until  # noqa: E402

RATE = 8000
# Of the rate limits of a single address; all clients of a test have one.
MANY_CALLS = (("max_tokens: 400, tokens_per_fill: 100", "max_tokens: 4000, tokens_per_fill: 4000"),)


class Redis:
    def __init__(self, machine):
        self.machine, self.port = machine, free_port()
        self.address = f"{machine.host}:{self.port}"
        self.process = None
        self.start()

    def start(self):
        """With no data."""
        self.process = subprocess.Popen(
            [*self.machine.command(), tool("redis-server"), "--port", str(self.port), "--bind",
             self.machine.host, *{self.machine.watched} - {self.machine.host}, "--protected-mode",
             "no", "--save", "", "--maxmemory-policy", "noeviction"],
            stdout=subprocess.DEVNULL, cwd="/")
        assert until(lambda: self.ask("PING") == b"+PONG\r\n"), "redis-server does not start"

    def ask(self, command):
        try:
            with socket.create_connection((self.machine.watched, self.port), timeout=5) as s:
                s.sendall(f"{command}\r\n".encode())
                return s.recv(4096)
        except OSError:
            return b""

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Node:
    """A place for an anim_graph: a machine, and the process that runs there, if any."""

    def __init__(self, machine, redis, fps, args):
        self.machine, self.name = machine, machine.name
        self.port, self.http_port = free_port(), free_port()
        self.args = ("--fps", str(fps), "--audio-rate", str(RATE),
                     "--directory", f"redis://{redis.address}", "--allow-plaintext",
                     "--min-ping-interval-s", "2",
                     "--directory-address", f"{machine.host}:{self.port}", *args)
        self.server = None

    def start(self, *args):
        every = "0.0.0.0" if network.PRIVATE else self.machine.host
        self.server = Server("anim_graph", *self.args, *args, "--http", f"{every}:{self.http_port}",
                             listen=f"{every}:{self.port}", command=self.machine.command())
        self.server.address = f"{self.machine.watched}:{self.port}"

    def streams(self):
        """Those it serves."""
        client = Client(self.server.address)
        try:
            path = f"/{CONTROL}/ListStreams"
            client.method(path)
            request = client.type("posewire.control.v1.ListStreamsRequest")()
            # As another node asks: without it, the list has the streams of all nodes.
            own = client.method(path)(request, metadata=[("x-posewire-relayed", "1")], timeout=10)
            return {s.stream_id for s in own.streams}
        finally:
            client.close()

    def runs(self):
        return self.server is not None and self.server.process.poll() is None

    def kill(self):
        self.server.kill()

    def pause(self):
        self.server.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.server.process.send_signal(signal.SIGCONT)

    def drain(self, timeout=30):
        """Stops it in order, and returns its exit code."""
        return self.server.stop(timeout)


class Cluster:
    """`mode` is that of --directory-lost. Machines are called a, b, c, redis and door."""

    def __init__(self, mode="pause", running=3, args=(), fps=30, graph="passthrough"):
        for path in (ENVOY, shutil.which("redis-server")):
            assert path and os.path.exists(path), "envoy and redis-server are needed; ./test gets them"
        self.mode, self.fps = mode, fps
        self.home = tempfile.TemporaryDirectory()
        self.network = network.Network()
        self.redis = Redis(self.network.machine("redis"))
        args = ("--graph", graph, "--directory-lost", mode, *args)
        self.nodes = [Node(self.network.machine(name), self.redis, fps, args)
                      for name in "abc"]
        self.door = None
        try:
            self.begin(running)
        except BaseException:
            self.close()
            raise

    def begin(self, running):
        for node in self.nodes[:running]:
            node.start()
        self.open_door()
        # Redis has no data of earlier owners, so it waits until their terms would be over.
        client = Client(self.nodes[0].server.address)
        assert until(lambda: self.serves(client)), "no node serves a stream"
        client.close()

    def open_door(self):
        machine = self.network.machine("door")
        ca, clients = Ca(self.home.name, "servers"), Ca(self.home.name, "clients")
        server, key = ca.issue("door", names=f"IP:{machine.host}")
        self.tls = (ca.cert, *clients.issue("client"))
        self.door = EnvoyDoor([(n.machine.host, n.port) for n in self.nodes],
                              [(n.machine.host, n.http_port) for n in self.nodes],
                              (server, key, str(clients.cert)), MANY_CALLS, host=machine.host,
                              command=machine.command())
        self.door.machine = machine

    @staticmethod
    def serves(client):
        try:
            client.control("RegisterStream", stream_id="first")
            client.control("RemoveStream", stream_id="first")
            return True
        except Exception:
            return False

    def owner_of_most(self, streams):
        """The node with most of these streams, and the others."""
        nodes = sorted((n for n in self.nodes if n.runs()), key=lambda n: len(n.streams() & streams))
        return nodes[-1], nodes[:-1]

    def heal(self):
        """Cuts no link, stops nothing, and runs what was running."""
        self.network.heal()
        if self.redis.process.poll() is None:
            self.redis.go_on()
        else:
            self.redis.start()
        for node in self.nodes:
            if node.runs():
                node.go_on()

    def close(self):
        self.heal()
        for node in self.nodes:
            if node.server:
                node.kill()
        if self.door:
            self.door.process.kill()
            self.door.process.wait()
        self.redis.kill()
        self.network.close()
        self.home.cleanup()
