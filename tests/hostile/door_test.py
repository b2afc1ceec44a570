"""What no client sends, against the front door that docker/edge ships, by somebody whom it lets in.
The witness goes through the door as well."""

import random
import ssl
import tempfile
import threading
import time
import unittest

from http2_wire import (ACK, CONTINUATION, DATA, END_HEADERS, HEADERS, PING, PREFACE, RST_STREAM,
                        SETTINGS, Peer, call, frame, integer, literal, text)
from watch import TRIES, Witness, start
from certificates import Ca
from door import Door
from envoy_door import EnvoyDoor
from posewire_test import LONG, PULL, PUSH, Client, long_level

ATTACKER = "127.0.0.2"  # the door's limits are for each address; the witness has another one
MOST_MB = 48  # more than before, in anim_graph and in the door


def flood(peer, first, again, most_bytes, most_s=4):
    """Sends `again` until the door has enough, or for so many bytes or seconds."""
    peer.socket.settimeout(5)
    peer.send(first)
    some = again * max(1, 65536 // len(again))
    sent, end = 0, time.monotonic() + most_s
    while sent < most_bytes and time.monotonic() < end and peer.send(some):
        sent += len(some)


def rapid_reset(peers):
    for path in (PUSH, PULL, "/no/such"):
        block = call(path)
        for _ in range(4):
            peer = peers()
            calls = [frame(HEADERS, END_HEADERS, s, block) + frame(RST_STREAM, 0, s, b"\0\0\0\x08")
                     for s in range(1, 10001, 2)]
            for k in range(0, len(calls), 200):
                if not peer.send(b"".join(calls[k:k + 200])):
                    break


def headers_without_end(peers):
    for more in (literal(b"a", b""), b"", literal(b"x-abc", b"v" * 1000) * 15):
        flood(peers(), frame(HEADERS, 0, 1, call(PUSH)), frame(CONTINUATION, 0, 1, more), 40 << 20)


def control_frames(peers):
    start_call = frame(HEADERS, END_HEADERS, 1, call(PUSH))
    for first, again in ((b"", frame(PING, 0, 0, b"12345678")), (b"", frame(SETTINGS, 0, 0)),
                         (b"", frame(SETTINGS, ACK, 0)), (start_call, frame(DATA, 0, 1))):
        for read in (True, False):
            flood(peers(read=read), first, again, 10 << 20)


def header_compression(peers):
    name = call(PUSH) + b"\x00" + text(b"x-big")
    for first, again in ((name + integer(200 << 20, 7), b"a" * 16000),
                         (name + b"\x7f", b"\x80" * 16000)):
        flood(peers(), frame(HEADERS, 0, 1, first), frame(CONTINUATION, 0, 1, again), 60 << 20)
    peer = peers()
    peer.send(frame(HEADERS, END_HEADERS, 1, call(PUSH) + literal(b"x-b", b"v" * 3900, indexed=True)))
    for stream in range(3, 43, 2):
        peer.send(frame(HEADERS, END_HEADERS, stream, call(PUSH) + b"\xbe" * 15000))


def noise(peers):
    some = random.Random(26)
    for first in (b"GET / HTTP/1.1\r\n" * 3000, PREFACE + some.randbytes(5000),
                  PREFACE + b"\xff" * 9, *(some.randbytes(1 << k) for k in range(5, 16))):
        peers(greet=False).send(first)


def half_open(peers):
    opened = [peers(greet=False) for _ in range(100)]
    for k, peer in enumerate(opened):
        peer.send((b"", PREFACE[:10], PREFACE)[k % 3])


def many_calls(peers):
    """More pulls at once than an address has."""
    for _ in range(4):
        peer = peers()
        for stream in range(1, 401, 2):
            peer.send(frame(HEADERS, END_HEADERS, stream, call(PULL)))


class Stage:
    """An anim_graph behind a door, and a witness who comes through it, for one attack after the other."""

    def __init__(self, case):
        self.tls = case.attacker
        self.graph = start("graph")
        case.addCleanup(self.graph.stop)
        self.door = case.door(self.graph)
        case.addCleanup(self.door.stop)
        self.witness = Witness("graph", self.door, case.witness)
        case.addCleanup(self.witness.kill)
        self.attacks = []

    def attack(self, case, attack):
        """Whether the witness was on time, and words about it. What the attacker opened stays open until
        then."""
        self.attacks.append(attack.__name__)
        most, ended = [self.graph.memory_mb(), self.door.memory_mb()], threading.Event()
        before = list(most)

        def watch():
            while not ended.wait(0.02):
                most[:] = map(max, most, (self.graph.memory_mb(), self.door.memory_mb()))
        watcher = threading.Thread(target=watch)
        watcher.start()
        peers = []

        def peer(**options):
            try:
                peers.append(Peer(self.door.port, tls=self.tls, host=ATTACKER, **options))
            except (OSError, AssertionError):
                peers.append(Gone())  # the door has had enough of who comes
            return peers[-1]
        began = time.monotonic()
        try:
            attack(peer)
            took = time.monotonic() - began
            saw = self.witness.look()
        finally:
            ended.set()
            watcher.join()
        for one in peers:
            one.close()
        more = [a - b for a, b in zip(most, before)]
        told = (f"{attack.__name__}: {took:.1f} s, {len(peers)} connections; anim_graph "
                f"+{more[0]:.1f} MiB, the door +{more[1]:.1f}; witness late p99 "
                f"{saw['late_p99_ms']:.1f} ms (machine {saw['machine_p99_ms']:.1f})")
        print(told, flush=True)
        case.assertLess(max(more), MOST_MB, told)
        return saw["on_time"], told

    def end(self, case):
        saw = self.witness.end()
        told = f"{self.attacks}: {saw['voice_s']:.1f} s of voice, {saw['breaks']} breaks {saw['fault']}"
        case.assertEqual((saw["fault"], saw["breaks"]), ("", 0), told)
        client = Client(self.door.address, case.witness)
        case.assertEqual(client.health(), 1, told)
        client.close()
        case.assertEqual(self.graph.stop(), 0, self.graph.log_text()[-2000:])
        log = self.door.log_text()
        case.assertEqual(self.door.stop(), 0, log[-2000:])
        return saw["on_time"]


class FrontDoor(unittest.TestCase):
    def door(self, graph):
        return Door([graph.port], [graph.http_port], self.files)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        servers, clients = Ca(folder.name, "servers"), Ca(folder.name, "clients")
        self.files = (*servers.issue("door"), str(clients.cert))
        self.witness = (str(servers.cert), *clients.issue("witness"))
        self.attacker = ssl.create_default_context(cafile=str(servers.cert))
        self.attacker.load_cert_chain(*clients.issue("attacker"))
        self.attacker.set_alpn_protocols(["h2"])

    def test_the_witness_is_not_disturbed(self):
        shared = None if LONG else Stage(self)
        for attack in (rapid_reset, headers_without_end, control_frames, header_compression, noise,
                       half_open, many_calls):
            with self.subTest(attack.__name__):
                for tries in range(TRIES):
                    stage = shared if shared and tries == 0 else Stage(self)
                    on_time, told = stage.attack(self, attack)
                    if stage is not shared:
                        on_time = stage.end(self) and on_time
                    if on_time:
                        break
                self.assertTrue(on_time, told)
        if shared:
            shared.end(self)


@long_level
class FrontDoorByEnvoy(FrontDoor):
    def door(self, graph):
        return EnvoyDoor([graph.port], [graph.http_port], self.files)


class Gone:
    """A connection that the door did not take."""
    socket = type("NoSocket", (), {"settimeout": staticmethod(lambda _: None)})

    def send(self, _):
        return False

    def close(self):
        pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
