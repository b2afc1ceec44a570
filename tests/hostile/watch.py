"""Attacked processes of ours: a witness beside them, and an eye on what they take."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "service"))

from posewire_test import BIN, LONG, Client, Server  # noqa: E402
from witness import FPS, write_clip  # noqa: E402

LATE_MS = 50
VOICE_S = 300  # of the clip; no attack lasts longer
# A machine that has other work to do is late by itself now and then; an attack is late each time.
TRIES = 3


class Watch(threading.Thread):
    """The most memory, threads and descriptors of a process; once every 20 ms."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.proc = f"/proc/{server.process.pid}"
        self.before = self.most = self.look()
        self.ended = threading.Event()
        self.start()

    def look(self):
        return (self.server.memory_mb(), len(os.listdir(f"{self.proc}/task")),
                len(os.listdir(f"{self.proc}/fd")))

    def run(self):
        while not self.ended.wait(0.02):
            try:
                self.most = tuple(map(max, self.most, self.look()))
            except OSError:
                return  # it has died; the test will find out

    def end(self):
        self.ended.set()
        self.join()
        return tuple(most - before for most, before in zip(self.most, self.before))


class Witness:
    def __init__(self, kind, server, tls=()):
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(HERE, "witness.py"), kind, server.address, *tls],
            stdin=server.process.stdout if kind == "sink" else subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line == "ready\n", f"{kind}: the witness's stream does not flow: {server.log_text()}"

    def look(self):
        """How late frames came since the last look."""
        self.process.send_signal(signal.SIGUSR1)
        return self._saw(self.process.stdout.readline())

    def end(self):
        """The same, and what became of the voice."""
        self.process.send_signal(signal.SIGTERM)
        return self._saw(self.process.communicate(timeout=90)[0])

    def _saw(self, text):
        assert text, "the witness died"
        saw = json.loads(text)
        # What the machine costs anybody is not the server's.
        saw["on_time"] = (saw["frames"] > 0 and
                          saw["late_p99_ms"] < LATE_MS + saw["machine_max_ms"])
        return saw

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class PrintingSink(Server):
    """A `renderer_sink print`, which keeps its standard output for the lines."""

    def __init__(self, *args):
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "renderer_sink"), "print", "--from", "none", "--listen",
             "127.0.0.1:0", *args], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.await_log('{"grpc_port": ')
        self.port = int(re.search(r'"grpc_port": (\d+)', self.log_text())[1])
        self.http_port = 0
        self.address = f"127.0.0.1:{self.port}"


def start(kind, *args):
    if kind == "graph":
        return Server("anim_graph", "--http", "127.0.0.1:0", *args)
    if kind == "sink":
        return PrintingSink(*args)
    with tempfile.TemporaryDirectory() as folder:
        clip = os.path.join(folder, "voice.jsonl")
        write_clip(clip, VOICE_S)
        return Server("a2f_source", "play", clip, "--to", "none", "--stream-id", "witness", *args)


def tabulate(attack, kind, took, more, saw):
    """A row of the table in the file that POSEWIRE_ATTACKS names."""
    if not (path := os.environ.get("POSEWIRE_ATTACKS")):
        return
    with open(path, "a") as f:
        if f.tell() == 0:
            f.write("| attack | on | s | memory, MiB | threads | descriptors | witness late p99, ms "
                    "| the machine by itself, ms |\n|" + " --- |" * 8 + "\n")
        f.write(f"| {attack.__name__.replace('_', ' ')} | {kind} | {took:.0f} | +{more[0]:.0f} "
                f"| +{more[1]} | +{more[2]} | {saw['late_p99_ms']:.0f} "
                f"| {saw['machine_p99_ms']:.0f} |\n")


class Stage:
    """A server, and a witness next to it, for one attack after the other."""

    def __init__(self, kind, *args):
        self.kind = kind
        self.server = start(kind, *args)
        self.witness = Witness(kind, self.server)
        self.attacks = []

    def attack(self, case, attack):
        """What it did to memory, threads and descriptors, and what the witness saw of it."""
        self.attacks.append(attack.__name__)
        watch = Watch(self.server)
        began = time.monotonic()
        attack(case, self.server)
        took = time.monotonic() - began
        more, saw = watch.end(), self.witness.look()
        told = (f"{attack.__name__}, {self.kind}: {took:.1f} s, +{more[0]:.1f} MiB, "
                f"+{more[1]} threads, +{more[2]} descriptors; witness late p99 "
                f"{saw['late_p99_ms']:.1f} max {saw['late_max_ms']:.1f} ms (machine "
                f"{saw['machine_p99_ms']:.1f}, {saw['machine_max_ms']:.1f})")
        print(told, flush=True)
        tabulate(attack, self.kind, took, more, saw)
        return told, more, saw["on_time"]

    def end(self, case):
        """The voice was whole, the server is healthy, and ends in order. Gives whether the witness was on
        time to its end."""
        saw = self.witness.end()
        told = f"{self.attacks}: {saw['voice_s']:.1f} s of voice, {saw['breaks']} breaks {saw['fault']}"
        case.assertIsNone(self.server.process.poll(), told)
        case.assertEqual((saw["fault"], saw["breaks"]), ("", 0), told)
        client = Client(self.server.address)
        case.assertEqual(client.health(), 1, told)
        client.close()
        code = self.server.stop()
        # A source that is stopped before it has said all says so.
        case.assertEqual(code, 143 if self.kind == "source" else 0, self.server.log_text()[-2000:])
        return saw["on_time"]

    def kill(self):
        self.witness.kill()
        self.server.stop()


class Attacked(unittest.TestCase):
    """A test for each kind of server: `attack` it, and then see what it cost everybody.

    At the long level each attack has a server of its own. Otherwise the attacks of a class share one
    for each kind, because servers and witnesses take longer to start and to end than most attacks."""

    # Room for buffers, for the 16 threads of gRPC's blocking calls, and for what an attack opens.
    MOST_MB, MOST_THREADS, MOST_DESCRIPTORS = 48, 20, 64
    KINDS = ("graph", "source", "sink")
    ARGS = ()
    SHARE = not LONG

    @classmethod
    def setUpClass(cls):
        cls.stages = {}
        cls.addClassCleanup(lambda: [stage.kill() for stage in cls.stages.values()])

    @classmethod
    def tearDownClass(cls):
        for stage in cls.stages.values():
            stage.end(cls())

    def attacked(self, attack):
        """Runs `attack(self, server)` against each kind of server."""
        for kind in self.KINDS:
            with self.subTest(kind):
                told, on_time = self.one(kind, attack, self.SHARE)
                for _ in range(TRIES - 1):
                    if not on_time:
                        told, on_time = self.one(kind, attack, False)
                self.assertTrue(on_time, told)

    def one(self, kind, attack, share):
        """What it cost, and whether the witness was on time; all else must be right each time."""
        if share and kind in self.stages:
            stage = self.stages[kind]
        else:
            stage = Stage(kind, *self.ARGS)
            if share:
                self.stages[kind] = stage
            else:
                self.addCleanup(stage.kill)
        told, more, on_time = stage.attack(self, attack)
        self.assertIsNone(stage.server.process.poll(), told)
        self.assertLess(more[0], self.MOST_MB, told)
        self.assertLess(more[1], self.MOST_THREADS, told)
        self.assertLess(more[2], self.MOST_DESCRIPTORS, told)
        if not share:
            on_time = stage.end(self) and on_time
        return told, on_time
