"""Measures what the directory's commands cost a Redis: its processor time, bytes and memory.

    ./bench redis                                a table; two minutes
    ./bench redis --storm 300 667 --batch 256    300 nodes with 667 streams each, after a loss

Starts a redis-server of its own and sends the scripts of
services/anim_graph/directory/redis_lease_store.cc with the arguments that a node sends: each command
by itself, in batches, and once more by EVALSHA, which the program does not use. The cost is the
processor time of redis-server, which other work on the machine changes less than the clock's.

--storm shows what a Redis that lost its data goes through: all nodes claim their streams again, as
LeaseKeeper does, in batches, and give up a batch after 0.4 s. Standard library only.
"""
import argparse
import functools
import hashlib
import os
import random
import re
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "services/anim_graph/directory/redis_lease_store.cc"
ADDRESS = "10.20.30.40:51000"
ALONE = ("kRelease", "kSave", "kNodes")  # scripts without kRun before them
KEYS = 100_000  # streams of each kind that exist


def scripts():
    """The Lua scripts of the lease store, by the names of their constants."""
    found = dict(re.findall(r'constexpr char (\w+)\[\] = R"lua\((.*?)\)lua";', SOURCE.read_text(),
                            re.S))
    missing = {"kRun", "kOpen", "kRenew", "kTake", "kRelease", "kSave", "kNodes"} - found.keys()
    if missing:
        sys.exit(f"{SOURCE.name} has no script {', '.join(sorted(missing))}")
    return found


def parts(words):
    words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
    return b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words)


def encode(*words):
    return b"*%d\r\n" % len(words) + parts(words)


class Redis:
    """A redis-server, and a connection to it."""

    def __init__(self):
        path = shutil.which("redis-server")
        if path is None:
            sys.exit("redis-server is not on the PATH")
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "redis")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [path, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly",
             "no", "--dir", self.folder.name], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while True:
            try:
                self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
                break
            except OSError:
                if time.monotonic() > deadline:
                    sys.exit("redis-server does not start")
                time.sleep(0.02)
        self.answers = self.connection.makefile("rb")

    def answer(self):
        line = self.answers.readline()
        if line[:1] == b"$":
            return self.answers.read(int(line[1:]) + 2)[:-2] if line[1:2] != b"-" else None
        if line[:1] in (b"+", b":"):
            return line[1:].strip()
        sys.exit(f"Redis answered {line.decode().strip()}")

    def call(self, *commands):
        """The answers to encoded commands, sent at once."""
        self.connection.sendall(b"".join(commands))
        return [self.answer() for _ in commands]

    def cpu_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        info = self.call(encode("INFO", "memory"))[0]
        return int(re.search(rb"used_memory:(\d+)", info)[1])

    def stop(self):
        self.connection.close()
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class Commands:
    """Encoded commands of one node."""

    def __init__(self, redis, sha=False):
        self.redis = redis
        self.sha = sha
        self.lua = scripts()
        self.session = "%032x" % random.Random(1).getrandbits(128)
        self.claims = 0
        if sha:
            Commands(redis).load()
        self.run = redis.call(self.open(self.session))[0].decode()

    @functools.lru_cache
    def script_words(self, script):
        text = self.lua["kRun"] * (script not in ALONE) + self.lua[script]
        if self.sha:
            return parts(["EVALSHA", hashlib.sha1(text.encode()).hexdigest()])
        return parts(["EVAL", text])

    def eval(self, script, keys, arguments):
        return (b"*%d\r\n" % (3 + len(keys) + len(arguments)) + self.script_words(script)
                + parts([len(keys), *keys, *arguments]))

    def load(self):
        """Makes Redis know all scripts by their hashes."""
        for script in ("kOpen", "kRenew", "kTake", "kRelease", "kSave"):
            text = self.lua["kRun"] * (script not in ALONE) + self.lua[script]
            self.redis.call(encode("SCRIPT", "LOAD", text))

    def node_keys(self, session):
        return ["posewire:epoch", f"posewire:node:{session}", f"posewire:clock:{session}"]

    def open(self, session, address=ADDRESS):
        return self.eval("kOpen", self.node_keys(session), [address, "123456.789012"])

    def renew(self, session):
        return self.eval("kRenew", self.node_keys(session), [ADDRESS, "123456.789012", self.run])

    def take(self, stream, earlier="", in_term=False, session=None):
        session = session or self.session
        self.claims += 1
        return self.eval("kTake", ["posewire:epoch", f"posewire:node:{session}",
                                   f"posewire:stream:{stream}",
                                   f"posewire:snapshot:{stream}"],
                         [session, self.claims, earlier, "1732700000.123456",
                          "1" if in_term else "0", "1732700000.123456", "123456.789012", ""])

    def release(self, stream, number):
        return self.eval("kRelease", [f"posewire:stream:{stream}", f"posewire:snapshot:{stream}"],
                         [self.session, number])

    def save(self, stream, number, state):
        return self.eval("kSave", [f"posewire:stream:{stream}", f"posewire:snapshot:{stream}"],
                         [self.session, number, state, ""])


def measure(redis, make, answer, batch, seconds):
    """(CPU us of Redis for a command, bytes sent, bytes received) for make(i), whose answers begin
    with `answer`."""
    count, sent, received = 0, 0, 0
    began, cpu = time.monotonic(), redis.cpu_s()
    while time.monotonic() - began < seconds and count + batch <= KEYS:
        commands = [make(count + i) for i in range(batch)]
        for got in redis.call(*commands):
            if not got.startswith(answer):
                sys.exit(f"Redis answered {got.decode()}, not {answer.decode()}")
            received += len(got) + 6
        count += batch
        sent += sum(map(len, commands))
    return 1e6 * (redis.cpu_s() - cpu) / count, sent / count, received / count


def kinds(redis, commands, state_bytes):
    """What a node sends, by kind: a function that makes the i-th command, and how its answer begins.
    Fills Redis with the streams for it."""
    name = "%08x" % random.getrandbits(32)
    dead, other, renewed = (f"{name}{word:0>24}" for word in ("dead", "0abc", "0def"))
    redis.call(commands.open(other, "10.20.30.41:51000"), commands.open(commands.session),
               commands.open(renewed), encode("SET", f"posewire:clock:{dead}", "123456.789012"),
               *(encode("PERSIST", f"posewire:node:{session}")
                 for session in (other, commands.session, renewed)))
    for start in range(0, KEYS, 1000):
        redis.call(*(encode("SET", f"posewire:stream:{name}{kind}{i}", f"{owner} {i} 1732700000.123456",
                            "EX", "3600")
                     for i in range(start, start + 1000)
                     for kind, owner in (("own", commands.session), ("kept", commands.session),
                                       ("his", other), ("late", dead))))
    state = random.Random(2).randbytes(state_bytes)
    return {
        "renew": (lambda i: commands.renew(renewed), b"renewed"),
        "claim": (lambda i: commands.take(f"{name}new{i}"), b"granted"),
        "take over": (lambda i: commands.take(f"{name}late{i}"), b"granted"),
        "look up": (lambda i: commands.take(f"{name}his{i}"), b"taken"),
        "rewrite": (lambda i: commands.take(f"{name}own{i}", commands.session, True), b"granted"),
        "state": (lambda i: commands.save(f"{name}kept{i % 20_000}", i % 20_000, state), b"saved"),
        "release": (lambda i: commands.release(f"{name}own{i}", i), b""),
    }


def table(redis, options):
    plain, hashed = Commands(redis), Commands(redis, sha=True)
    time.sleep(3.2)  # Redis grants first claims 3 s after its start
    columns = ((plain, 1), (plain, 8), (plain, 256), (hashed, 8), (hashed, 256))
    found = {}
    for column, (commands, batch) in enumerate(columns):
        for _ in range(options.rounds):
            redis.call(encode("FLUSHDB"), encode("SET", "posewire:epoch", f"{commands.run} 0"))
            for kind, (make, answer) in kinds(redis, commands, options.state_bytes).items():
                got = measure(redis, make, answer, batch, options.seconds)
                found[kind, column] = min(found.get((kind, column), got), got)
    print("| command | bytes sent, received | us of Redis alone | in batches of 8 | of 256 | "
          "EVALSHA of 8 | of 256 |\n| --- | --- | --- | --- | --- | --- | --- |")
    for kind in dict.fromkeys(kind for kind, _ in found):
        cells = " | ".join(f"{found[kind, column][0]:.1f}" for column in range(len(columns)))
        _, sent, received = found[kind, 0]
        print(f"| {kind} | {sent:.0f}, {received:.0f} | {cells} |")
    redis.call(encode("FLUSHDB"))
    before = redis.memory()
    redis.call(*(encode("SET", f"posewire:stream:m{i:07}", f"{'f' * 32} {i} 1732700000.123456", "EX",
                        "3600") for i in range(50_000)))
    entry = (redis.memory() - before) / 50_000
    before = redis.memory()
    redis.call(*(encode("SET", f"posewire:snapshot:m{i:07}", bytes(options.state_bytes), "EX", "3600")
                 for i in range(20_000)))
    state = (redis.memory() - before) / 20_000
    print(f"\nmemory of Redis: an entry {entry:.0f} bytes, a state of {options.state_bytes} bytes "
          f"{state:.0f}")


class StormNode:
    """A node that claims its streams again, by the rules of LeaseKeeper."""

    RENEW_S, TIMEOUT_S, RECLAIM_S = 0.5, 0.4, 0.25

    def __init__(self, number, streams, batch, commands, redis, first):
        self.commands, self.redis, self.batch = commands, redis, batch
        self.address = f"10.20.{number // 250}.{number % 250}:51000"
        self.random = random.Random(number)
        self.streams = [f"n{number}-{i}" for i in range(streams)]
        self.earlier = "%032x" % self.random.getrandbits(128)
        self.session = None
        self.left = []
        self.socket = None
        self.pending = None  # bytes not sent
        self.expected = 0
        self.next = first
        self.deadline = None
        self.timeouts = 0
        self.done_at = None

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.redis.port))
        self.socket.setblocking(False)

    def send(self, data, answers, now):
        self.pending, self.expected = memoryview(data), answers
        self.deadline = now + self.TIMEOUT_S

    def start(self, now):
        self.began = now
        self.next = now + self.RENEW_S
        if self.socket is None:
            self.connect()
        if self.session is None:
            self.trying = "%032x" % self.random.getrandbits(128)
            self.left = list(self.streams)
            self.send(self.commands.open(self.trying, self.address), 1, now)
        else:
            self.send_claims(now)

    def send_claims(self, now):
        claims = [self.commands.take(s, self.earlier, True, self.session)
                  for s in self.left[:self.batch]]
        self.send(b"".join(claims), len(claims), now)

    def on_answers(self, now):
        self.deadline = None
        if self.session is None:
            self.session = self.trying
        else:
            self.left = self.left[self.batch:]
        if not self.left:
            self.done_at = now
        elif now - self.began <= self.RECLAIM_S:
            self.send_claims(now)

    def on_timeout(self):
        self.timeouts += 1
        self.deadline = self.pending = None
        self.session = None
        self.socket.close()
        self.socket = None


def storm(redis, nodes, streams, batch, limit_s):
    """Prints how long nodes need to claim their streams again."""
    commands = Commands(redis)
    began = time.monotonic()
    spread = random.Random(3)
    all_nodes = [StormNode(n, streams, batch, commands, redis, began + spread.uniform(0, 0.5))
                 for n in range(nodes)]
    selector = selectors.DefaultSelector()
    while (now := time.monotonic()) < began + limit_s:
        busy = [n for n in all_nodes if n.done_at is None]
        if not busy:
            break
        for node in busy:
            if node.deadline is None and now >= node.next:
                node.start(now)
                selector.register(node.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, node)
            elif node.deadline is not None and now >= node.deadline:
                selector.unregister(node.socket)
                node.on_timeout()
        for key, events in selector.select(0.005):
            node = key.data
            if events & selectors.EVENT_WRITE and node.pending:
                node.pending = node.pending[node.socket.send(node.pending):] or None
                if node.pending is None:
                    selector.modify(node.socket, selectors.EVENT_READ, node)
            if events & selectors.EVENT_READ:
                node.expected -= node.socket.recv(1 << 16).count(b"$")
                if node.expected == 0:
                    selector.unregister(node.socket)
                    node.on_answers(time.monotonic())
                    if node.deadline is not None:
                        selector.register(node.socket,
                                          selectors.EVENT_READ | selectors.EVENT_WRITE, node)
    done = sorted(n.done_at - began for n in all_nodes if n.done_at is not None)
    print(f"{nodes} nodes with {streams} streams each, batches of {batch}: {len(done)} have claimed "
          f"all after {done[-1] if done else limit_s:.1f} s, "
          f"{sum(n.timeouts for n in all_nodes)} batches were given up")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1, help="of each measurement, at most")
    parser.add_argument("--rounds", type=int, default=3, help="of which the least counts")
    parser.add_argument("--state-bytes", type=int, default=3000, help="state of a stream")
    parser.add_argument("--storm", type=int, nargs=2, metavar=("NODES", "STREAMS"))
    parser.add_argument("--batch", type=int, default=32, help="claims at once in --storm")
    parser.add_argument("--storm-seconds", type=float, default=20, help="when --storm gives up")
    options = parser.parse_args()
    redis = Redis()
    try:
        if options.storm:
            storm(redis, *options.storm, options.batch, options.storm_seconds)
        else:
            table(redis, options)
    finally:
        redis.stop()


if __name__ == "__main__":
    main()
