#!/usr/bin/python3
"""Streams that break every rule, for as long as one likes, to sinks, servers and tools at once.

    tests/hostile/streams_test.py --seconds 600 --seed 1 --report FILE

A server that is not ours sends to every kind of sink: good frames, and in between time codes that
jump, second headers, names by the ten thousand, wrong lengths, values that are no numbers, noise,
floods of statuses, calls that end in every way. Sources push the same to an anim_graph and to a sink
that listens. Tools read what was recorded of it. Once a second it notes memory, threads and
descriptors of each process, and asks for its health where it has one. It fails when a process dies,
hangs at its end, or goes on growing; and adds a row of a table for each process to FILE. Without
arguments it is a test: 15 s, in the long level 60.
"""

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "service")]
os.environ.setdefault("POSEWIRE_BIN_DIR", os.path.join(HERE, "../../build/release/bin"))

import grpc  # noqa: E402
from foreign_server import ForeignServer  # noqa: E402
from posewire_test import (BIN, LONG, PUSH, Client, Server, header, memory_mb,  # noqa: E402
                           until)

FPS, RATE = 30, 16000
GROWN_MB = 64  # from the first third to the end
HEALTH_S = 2
TOOL_S = 20
FORMATS = ("animdata", "jsonl", "usda", "glb", "x3d", "bvh", "csv")
PACE_HZ = 60  # messages of a stream a second: twice as many as a good one has


class Stream:
    """One endless stream; `next` gives a message, or bytes that are none."""

    def __init__(self, client, seed, ids):
        self.client, self.random, self.ids = client, random.Random(seed), ids
        self.joints, self.shapes = ["skullbase", "l_shoulder"], ["jawOpen", "mouthFunnel"]
        self.code_s, self.acts = 0.0, iter(())

    def header(self, **other):
        return header(self.client, *self.ids, joints=other.get("joints", self.joints),
                      shapes=other.get("shapes", self.shapes), rate=other.get("rate", RATE))

    def frame(self, joints=None, shapes=None, value=0.5, voice=RATE // FPS, code_s=None):
        code_s = self.code_s if code_s is None else code_s
        m = self.client.stream_message()
        d = m.animation_data
        weights = d.skel_animation.blend_shape_weights.add(time_code=code_s)
        weights.values.extend([value] * (len(self.shapes) if shapes is None else shapes))
        turns = d.skel_animation.rotations.add(time_code=code_s)
        for _ in range(len(self.joints) if joints is None else joints):
            turns.values.add(real=1)
        if voice:
            d.audio.time_code = code_s
            d.audio.audio_buffer = b"\1\2" * voice
        return m

    def good(self):
        for _ in range(FPS):
            yield self.frame()
            self.code_s += 1 / FPS

    def jump(self):
        self.code_s += self.random.choice([1, 299, 301, 1e5, 1e8, 1.7e9])
        yield self.frame()
        self.code_s += 1 / FPS
        if self.random.random() < 0.7:  # and back
            self.code_s = self.random.choice([0.0, 1.0, self.code_s / 2])

    def again(self):
        yield self.header()

    def other_names(self):
        kind = self.random.choice(["flat", "deep", "long", "few", "none", "voiceless"])
        joints, rate = self.joints, RATE
        if kind == "flat":
            joints = [f"j{k}/a" for k in range(2000)]
        elif kind == "deep":
            joints = ["/".join(["a"] * k) for k in range(1, 300)]
        elif kind == "long":
            joints = ["x" * 100_000, "y"]
        elif kind == "few":
            joints = ["skullbase"]
        elif kind == "none":
            joints = []
        else:
            rate = 0
        yield self.header(joints=joints, rate=rate)
        yield self.frame(joints=len(joints), voice=0)
        yield self.header()

    def wrong(self):
        yield self.random.choice([
            lambda: self.frame(joints=7), lambda: self.frame(shapes=0),
            lambda: self.frame(value=float("nan")), lambda: self.frame(value=1e30),
            lambda: self.frame(code_s=float("inf")), lambda: self.frame(code_s=-1.0),
            lambda: self.frame(voice=0), lambda: self.client.stream_message(),
            lambda: self.header(rate=1), lambda: self.header(shapes=["a", "A", "a"]),
        ])()

    def noise(self):
        good = self.frame().SerializeToString()
        yield self.random.choice([
            b"\x12\xff\xff no message", bytes(self.random.randrange(256) for _ in range(200)),
            good[:-7], good * 2, b"", b"\x0a" * 1000])

    def flood(self):
        m = self.client.stream_message()
        m.status.message = "\x1b]0;hello\x07\n" * 20
        for _ in range(60):
            yield m

    def large(self):
        if self.random.random() < 0.5:
            yield self.frame(voice=500_000)
            return
        m = self.frame()
        for k in range(40):
            m.animation_data.metadata[f"key {k}\x1b"].value = b"\0" * 20_000
        yield m

    def ids_of_others(self):
        m = self.header()
        m.animation_data_stream_header.animation_ids.stream_id = "\x01\n" * 300
        yield m

    def next(self):
        while True:
            for m in self.acts:
                return m
            kind = self.random.choice([self.good] * 6 + [
                self.jump, self.again, self.other_names, self.wrong, self.wrong, self.noise,
                self.flood, self.large, self.ids_of_others])
            self.acts = kind()

    def messages(self, seconds):
        """For up to so long; serialized, and paced."""
        end = time.monotonic() + seconds
        yield self.header().SerializeToString()
        self.acts = self.good()
        while time.monotonic() < end:
            m = self.next()
            yield m if isinstance(m, bytes) else m.SerializeToString()
            time.sleep(1 / PACE_HZ)


class Foreign(ForeignServer):
    """Takes pulls, and sends each a stream of its own until it ends it, in one of many ways."""

    # Any other one is the server's last word, which a sink takes for the end.
    ENDS = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED]

    def __init__(self, client, seed):
        self.client, self.random = client, random.Random(seed)
        self.over = threading.Event()
        super().__init__(messages=None)

    def pull(self, _, context):
        stream = Stream(self.client, self.random.random(), ("s", "r"))
        for m in stream.messages(self.random.uniform(2, 60)):
            if self.over.is_set():
                break
            yield m
        context.abort(self.random.choice(self.ENDS), "\x1b[31mthe end\n" * 3)

    def close(self):
        self.over.set()
        self.server.stop(1).wait()


class Watched:
    """A process of ours and the most that it took."""

    def __init__(self, name, process, http_port=0, log=None):
        self.name, self.process, self.http_port, self.log = name, process, http_port, log
        self.memory, self.threads, self.files, self.slowest_s, self.cpu_s = [], 0, 0, 0.0, 0.0

    def look(self):
        proc = f"/proc/{self.process.pid}"
        with contextlib.suppress(OSError):
            self.memory.append(memory_mb(self.process.pid))
            self.threads = max(self.threads, len(os.listdir(f"{proc}/task")))
            self.files = max(self.files, len(os.listdir(f"{proc}/fd")))
            with open(f"{proc}/stat") as f:
                ticks = f.read().rsplit(")", 1)[1].split()[11:13]
            self.cpu_s = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        if self.http_port:
            began = time.monotonic()
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}/healthz", timeout=10).read()
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)

    def grown_mb(self):
        third = self.memory[: max(1, len(self.memory) // 3)]
        return self.memory[-1] - max(third) if self.memory else 0.0

    def stop(self):
        """Exit status and seconds that the stop took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return code, time.monotonic() - began

    def row(self, stop_s):
        return (f"| {self.name} | {self.memory[0]:.0f} | {max(self.memory):.0f} | "
                f"{self.grown_mb():+.0f} | {self.threads} | {self.files} | {self.cpu_s:.1f} | "
                f"{self.slowest_s * 1000:.0f} | {stop_s:.1f} |")


TABLE = ("| process | MiB at first | at most | since the first third | threads | descriptors | CPU, s | "
         "slowest health, ms | stop, s |\n|" + " --- |" * 9)


class Attack:
    def __init__(self, seconds, seed, folder):
        self.seconds, self.random, self.folder = seconds, random.Random(seed), folder
        self.watched, self.faults = [], []
        self.over = threading.Event()
        self.graph = Server("anim_graph", "--http", "127.0.0.1:0")
        self.client = Client(self.graph.address)
        self.client.stream_message()
        self.foreign = Foreign(self.client, seed)
        self.watched.append(Watched("anim_graph, pushed to", self.graph.process,
                                    self.graph.http_port, self.graph.log))
        pull = ["--from", self.foreign.address, "--stream-id", "s"]
        for ending in FORMATS:
            self.sink(f"record .{ending}", "record", f"{ending}.{ending}", *pull)
        self.sink("print", "print", *pull)
        self.sink("vmc", "vmc", *pull, "--to", "127.0.0.1:9")
        if shutil.which("ffmpeg"):
            self.sink("stream", "stream", *pull, "--to", "film.mp4", "--size", "160x120")
        port = self.sink("view", "view", *pull, "--http", "127.0.0.1:0", ready="http_port")
        self.watched[-1].http_port = port
        self.listens = self.sink("print, pushed to", "print", "--from", "none", "--listen",
                                 "127.0.0.1:0", ready="grpc_port")
        self.counts = {"pushes": 0, "refused": 0, "tools": 0}
        self.threads = [threading.Thread(target=self.keep, args=(act, n), daemon=True)
                        for n, act in enumerate([self.push] * 4 + [self.read] * 2)]

    def sink(self, name, *args, ready=None):
        """`ready`: which port it says that it took; that is given."""
        log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        process = subprocess.Popen([os.path.join(BIN, "renderer_sink"), *args], cwd=self.folder,
                                   stdout=log if ready else subprocess.DEVNULL, stderr=log)
        self.watched.append(Watched(name, process, log=log))

        def said():
            with open(log.name, errors="backslashreplace") as f:
                return re.search(rf'"{ready}": (\d+)', f.read())
        if not ready:
            return None
        assert until(said), f"{name} does not start"
        return int(said()[1])

    def keep(self, act, number):
        """Again and again, each time with another seed."""
        random_ = random.Random(f"{self.random.random()} {number}")
        try:
            while not self.over.is_set():
                with contextlib.suppress(FileNotFoundError):  # a take into which nothing came
                    act(random_)
        except Exception as e:
            self.faults.append(f"{act.__name__}: {e!r}")

    def push(self, random_):
        """To the graph or to the sink, on one of a few streams."""
        to = random_.choice([self.graph.address, f"127.0.0.1:{self.listens}"])
        ids = (f"s{random_.randrange(4)}", f"r{random_.randrange(1000)}")
        stream = Stream(self.client, random_.random(), ids)
        with grpc.insecure_channel(to, [("grpc.use_local_subchannel_pool", 1)]) as channel:
            call = channel.stream_unary(PUSH, request_serializer=lambda b: b,
                                        response_deserializer=lambda b: b)
            self.counts["pushes"] += 1
            answer = call.future(
                stream.messages(random_.uniform(0.5, 10)), timeout=12,
                metadata=[("x-posewire-policy", random_.choice(["queue", "interrupt"]))])
            code = answer.code()  # waits
            self.counts["refused"] += code != grpc.StatusCode.OK
            if code in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN):
                self.faults.append(f"a push ended with {code}: {answer.details()}")

    def read(self, random_):
        """A tool on a copy of what is being recorded."""
        takes = [t for t in os.listdir(self.folder)
                 if t.rsplit(".", 1)[-1] in FORMATS and os.path.getsize(os.path.join(self.folder, t))]
        if not takes or self.over.wait(0.5):
            return
        with tempfile.TemporaryDirectory() as folder:
            take = random_.choice(takes)
            copy = os.path.join(folder, take)
            with open(os.path.join(self.folder, take), "rb") as f, open(copy, "wb") as to:
                to.write(f.read(4 << 20))
            args = random_.choice([["info"], ["validate"], ["diff", copy],
                                   ["convert", os.path.join(folder, "to.bvh")]])
            command = [os.path.join(BIN, "animclip"), args[0], copy, *args[1:]]
            try:
                done = subprocess.run(command, capture_output=True, timeout=TOOL_S)
            except subprocess.TimeoutExpired:
                self.faults.append(f"{' '.join(command)}: not within {TOOL_S} s")
                return
            self.counts["tools"] += 1
            if done.returncode < 0:
                self.faults.append(f"{' '.join(command)}: ended by signal {-done.returncode}")
            if b"\x1b" in done.stdout + done.stderr:
                self.faults.append(f"{' '.join(command)}: an escape sequence goes to the terminal")

    def run(self):
        """Rows of the table."""
        for t in self.threads:
            t.start()
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            for w in self.watched:
                w.look()
            time.sleep(1)  # between two looks
        self.over.set()
        for t in self.threads:
            t.join(TOOL_S + 15)
        rows = []
        for w in self.watched:
            died = w.process.poll()
            code, stop_s = w.stop()
            rows.append(w.row(stop_s))
            if died is not None or code not in (0, 1) or stop_s > 10:
                with open(w.log.name, errors="backslashreplace") as f:
                    self.faults.append(f"{w.name}: {f'ended with {died}' if died is not None else code}"
                                       f", {stop_s:.1f} s for its stop: {f.read()[-1500:]}")
            if w.grown_mb() > GROWN_MB:
                self.faults.append(f"{w.name} grew by {w.grown_mb():.0f} MiB")
            if w.slowest_s > HEALTH_S:
                self.faults.append(f"{w.name} answered for its health in {w.slowest_s:.1f} s")
        self.foreign.close()
        self.graph.process.stdout.close()
        return rows


def attack(seconds, seed, report=None):
    with tempfile.TemporaryDirectory() as folder:
        it = Attack(seconds, seed, folder)
        try:
            rows = it.run()
        finally:
            for w in it.watched:
                w.process.kill()
        takes = len([t for t in os.listdir(folder) if t.rsplit(".", 1)[-1] in FORMATS])
    it.counts["takes"] = takes
    it.faults += [f"no {what}: nothing was tried" for what, n in it.counts.items() if n == 0]
    print(TABLE, *rows, sep="\n")
    print(", ".join(f"{n} {what}" for what, n in it.counts.items()))
    if report:
        with open(report, "w") as f:
            print(TABLE, *rows, sep="\n", file=f)
    return it.faults


class HostileStreams(unittest.TestCase):
    def test_sinks_servers_and_tools_live_on(self):
        self.assertEqual(attack(60 if LONG else 15, seed=34), [])


if __name__ == "__main__":
    if len(sys.argv) == 1:
        unittest.main(verbosity=2)
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report")
    given = parser.parse_args()
    faults = attack(given.seconds, given.seed, given.report)
    print(*faults, sep="\n")
    sys.exit(bool(faults))
