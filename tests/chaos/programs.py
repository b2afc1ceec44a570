"""What the chaos tests share: programs of ours with the time of each line, and where they run."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("hostile", "service")]

from posewire_test import BIN, Client, Server  # noqa: E402
from witness import RATE, breaks, write_clip  # noqa: E402

TALK_S = 6
LONG_TALK_S = 120


def wait_until(condition, what, timeout=20):
    """Seconds that it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > timeout:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(0.01)
    return time.monotonic() - began


class Program:
    """A client of ours; its lines come with the time at which they came."""

    def __init__(self, *args, preexec=None):
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen([os.path.join(BIN, args[0]), *args[1:]], text=True,
                                        stdout=subprocess.PIPE, stderr=self.log,
                                        preexec_fn=preexec)
        self.lines = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line))

    def log_text(self):
        with open(self.log.name, errors="backslashreplace") as f:
            return f.read()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Sink(Program):
    """`renderer_sink print`; what it saw, as epoch + code."""

    def __init__(self, address, stream, *args):
        super().__init__("renderer_sink", "print", "--from", address, "--stream-id", stream, *args)

    def frames(self):
        """(when, epoch + code, the loudest sample)"""
        out, epoch = [], 0.0
        for at, line in list(self.lines):
            if found := re.search(r"epoch ([\d.]+)", line):
                epoch = float(found[1])
            elif found := re.match(r"([\d.]+) s: .*audio \d+ samples \(peak ([\d.]+)", line):
                out.append((at, epoch + float(found[1]), float(found[2])))
        return out

    def flows(self, after, count=15):
        """So many frames have come since `after`."""
        return sum(at > after for at, _, _ in self.frames()) >= count

    def first_after(self, moment, timeout=20):
        wait_until(lambda: self.flows(moment, 1), "a frame", timeout)
        return next(at for at, _, _ in self.frames() if at > moment)


@contextlib.contextmanager
def mute():
    """A port where all are taken, and nothing is said."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)
    kept = []

    def take():
        with contextlib.suppress(OSError):
            while True:
                kept.append(listener.accept()[0])

    threading.Thread(target=take, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for s in kept:
            s.close()


class Chaos(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.talk = os.path.join(cls.folder.name, "talk.jsonl")
        write_clip(cls.talk, TALK_S)
        cls.long_talk = os.path.join(cls.folder.name, "long_talk.jsonl")
        write_clip(cls.long_talk, LONG_TALK_S)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def server(self, name="anim_graph", *args):
        server = Server(name, *args)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server

    def started(self, kind, *args, **options):
        program = kind(*args, **options)
        self.addCleanup(program.kill)
        return program

    def client(self, address):
        client = Client(address)
        self.addCleanup(client.close)
        return client

    def talker(self, port, path, request="talk", stream="s", *args):
        return self.started(Program, "a2f_source", "play", path, "--to",
                            f"127.0.0.1:{port}", "--stream-id", stream, "--request-id", request,
                            *args)

    def assert_spoken(self, pull, seconds=TALK_S):
        """Every sample once and in order, with silence where there was none to say."""
        wrong, count = breaks(pull.audio(), whole=True)
        self.assertEqual((wrong, count), (0, seconds * RATE))

    def assert_ends(self, server):
        self.assertEqual(server.stop(), 0, server.log_text()[-2000:])
